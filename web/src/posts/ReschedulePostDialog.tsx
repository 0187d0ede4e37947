import type { PostSummary } from "../api/summary-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { toLocalTime } from "#portable/zoned-time.ts";
import { TimeDialog } from "./calendar/TimeDialog.tsx";
import { useReschedule } from "./calendar/use-reschedule.ts";
import { listReschedulable } from "./list-reschedulable.ts";

/** Moves the publications of a post that are planned for the same time. */
export function ReschedulePostDialog({ post, onClose }: { post: PostSummary; onClose: () => void }) {
  const { timezone } = useStudio().studio;
  const reschedule = useReschedule();
  const entries = listReschedulable(post);
  const time = entries[0]?.scheduledFor ?? undefined;
  const localTime = time === undefined ? undefined : toLocalTime(Date.parse(time), timezone);
  return (
    <TimeDialog group={{ post, localTime, entries, isPartial: false }} onReschedule={reschedule} onClose={onClose} />
  );
}
