import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/Button.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { Notice } from "../ui/Notice.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useSwitchStudio } from "./use-switch-studio.ts";
import { useStudio } from "./use-studio.ts";

/** Warns that AI clients would connect to a studio other than the one shown, with a button to switch. */
export function ActiveStudioNotice() {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  const { isDismissed, dismiss } = useDismissal(`active-studio-notice ${studio.id} ${me.activeStudioId}`);
  const activeMembership = me.memberships.find((membership) => membership.studioId === me.activeStudioId);
  if (!activeMembership || activeMembership.studioId === studio.id || isDismissed) return null;
  return (
    // As wide on a wide page as on the others.
    <div className="max-w-[59rem]">
      <Notice
        isCompact
        action={
          <span className="flex items-center gap-1">
            <Button
              variant="quiet"
              size="small"
              onClick={() => void switchTo({ studioId: studio.id, studioName: studio.name })}
            >
              <span>
                Make <span className="max-sm:hidden">this studio </span>active
              </span>
            </Button>
            <IconButton icon={X} size="small" label="Dismiss" onClick={dismiss} />
          </span>
        }
      >
        <span className="max-sm:hidden">AI clients you connect</span>
        <span className="sm:hidden">New AI clients</span> will work in <strong>{activeMembership.studioName}</strong>
        <span className="max-sm:hidden">, your active studio, not in the one you’re viewing.</span>
      </Notice>
    </div>
  );
}

/** Whether the user has closed the notice in this browser tab. */
function useDismissal(storageKey: string) {
  const [dismissedKey, setDismissedKey] = useState<string>();
  return {
    isDismissed: dismissedKey === storageKey || sessionStorage.getItem(storageKey) !== null,
    dismiss: () => {
      restoreFocusSoon();
      sessionStorage.setItem(storageKey, "dismissed");
      setDismissedKey(storageKey);
    },
  };
}
