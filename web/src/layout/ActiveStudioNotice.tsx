import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useSwitchStudio } from "./use-switch-studio.ts";
import { useStudio } from "./use-studio.ts";

/** Warns that AI clients would connect to a studio other than the one shown, with a button to switch. */
export function ActiveStudioNotice() {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  const activeMembership = me.memberships.find((membership) => membership.studioId === me.activeStudioId);
  if (!activeMembership || activeMembership.studioId === studio.id) return null;
  return (
    <Notice
      action={
        <Button variant="quiet" onClick={() => void switchTo({ studioId: studio.id, studioName: studio.name })}>
          Make this studio active
        </Button>
      }
    >
      AI clients you connect will work in <strong>{activeMembership.studioName}</strong>, your active studio, not in the
      one you’re viewing.
    </Notice>
  );
}
