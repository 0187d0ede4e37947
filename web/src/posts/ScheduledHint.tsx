import { CalendarClock } from "lucide-react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { formatTime } from "../ui/format-time.ts";

/** Says what an edit of a scheduled post does. A publication that has started sends the text that it had then. */
export function ScheduledHint({ post: { publications = [] } }: { post: Post }) {
  const { studio, may } = useStudio();
  const [time] = publications
    .filter(({ state }) => state === "scheduled")
    .flatMap(({ scheduledFor }) => scheduledFor ?? [])
    .toSorted();
  if (time === undefined || Date.parse(time) <= Date.now() || !may("posts.write")) return null;
  return (
    <p className="mt-2 mb-0 flex gap-1.5 text-sm text-muted">
      <CalendarClock size={14} className="mt-0.75 flex-none text-info" aria-hidden="true" />
      <span className="min-w-0">
        Scheduled for {formatTime(time, studio.timezone)}.{" "}
        {mayPublishWithoutApproval(studio)
          ? "Changes until then will be published."
          : "If you change the text or files, an owner or admin needs to approve it again."}
      </span>
    </p>
  );
}
