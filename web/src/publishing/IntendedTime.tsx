import { CalendarClock, X } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import { askLabel } from "../posts/next-action.ts";
import { Button } from "../ui/Button.tsx";
import { formatTime } from "../ui/format-time.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { resolveLocalTime } from "#portable/zoned-time.ts";

/** The time that the user chose on the calendar for the post; shown until the post is scheduled. */
export function IntendedTime({
  localTime,
  onSchedule,
  onDismiss,
}: {
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
  /** Undefined if the user can't schedule the post now. */
  onSchedule: (() => void) | undefined;
  onDismiss: () => void;
}) {
  const { studio } = useStudio();
  const { timezone } = studio;
  const isPublisher = mayPublishWithoutApproval(studio);
  const time = resolveLocalTime(localTime, timezone);
  if (time.kind !== "valid") return null;
  return (
    <div className="mb-4 flex items-center gap-2 rounded-md bg-info-wash py-1 pr-1 pl-2.5 forced-colors:border">
      <CalendarClock size={16} className="flex-none text-info" aria-hidden="true" />
      <p className="m-0 min-w-0 flex-1 text-sm">
        Intended for {formatTime(time.iso, timezone)}. Nothing is scheduled yet.
      </p>
      {onSchedule && (
        <Button
          variant="secondary"
          size="small"
          aria-label={`${isPublisher ? "Schedule" : "Ask for approval"} for ${formatTime(time.iso, timezone)}`}
          onClick={onSchedule}
        >
          {isPublisher ? "Schedule…" : askLabel}
        </Button>
      )}
      <IconButton icon={X} size="small" label="Clear the intended time" onClick={onDismiss} />
    </div>
  );
}
