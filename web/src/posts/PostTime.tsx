import { CalendarClock } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { describePostState } from "./describe-post-state.ts";
import { findPlannedTime, findPublishedTime } from "./find-planned-time.ts";
import { formatPostTime } from "./format-post-time.ts";

/** When the post goes out or went out. If neither is known, when it was changed. */
export function PostTime({ post, timezone }: { post: PostSummary; timezone: string }) {
  const plannedTime = findPlannedTime(post);
  if (plannedTime !== undefined)
    return (
      <span className="inline-flex items-center gap-1 whitespace-nowrap text-ink">
        <CalendarClock size={14} className="flex-none text-info" aria-hidden="true" />
        <span className="sr-only">Planned for </span>
        {formatPostTime(plannedTime, timezone)}
      </span>
    );
  const publishedTime = findPublishedTime(post);
  return (
    <span className="min-w-0 truncate">
      {publishedTime === undefined ? (
        <span className="sr-only">Changed </span>
      ) : (
        // The state next to it usually says the same.
        <span className={describePostState(post).label === stateLabels.published ? "sr-only" : ""}>Published </span>
      )}
      <RelativeTime at={publishedTime ?? post.updatedAt} timezone={timezone} />
    </span>
  );
}
