import { CalendarClock } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";
import { stateLabels } from "../publishing/publication-states.ts";
import { formatShortTime, formatTime } from "../ui/format-time.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { describePostState } from "./describe-post-state.ts";
import { findPlannedTime, findPublishedTime } from "./find-planned-time.ts";

/**
 * When the post goes out, should have gone out or went out; if none is known, when it was created, because lists are
 * sorted by that time.
 */
export function PostTime({ post, timezone }: { post: PostSummary; timezone: string }) {
  const plannedTime = findPlannedTime(post);
  if (plannedTime !== undefined)
    return (
      <span className="inline-flex items-center gap-1 whitespace-nowrap text-ink">
        {/* On a phone, the state beside it has a similar icon, and there is little room. */}
        <CalendarClock size={14} className="flex-none text-info @max-md:hidden" aria-hidden="true" />
        <span className="sr-only">{Date.parse(plannedTime) < Date.now() ? "Was planned for " : "Planned for "}</span>
        <span className="@max-md:hidden">{formatTime(plannedTime, timezone)}</span>
        <span className="hidden @max-md:inline">{formatShortTime(plannedTime, timezone)}</span>
      </span>
    );
  const publishedTime = findPublishedTime(post);
  return (
    <span className="min-w-0 truncate">
      {publishedTime === undefined ? (
        // On a phone, there is no room for it.
        <span className="@max-md:sr-only">Created </span>
      ) : (
        // The state next to it usually says the same.
        <span className={describePostState(post).label === stateLabels.published ? "sr-only" : ""}>Published </span>
      )}
      <RelativeTime at={publishedTime ?? post.createdAt} timezone={timezone} />
    </span>
  );
}
