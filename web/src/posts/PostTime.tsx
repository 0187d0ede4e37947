import { CalendarClock, CalendarX2 } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";
import { formatShortTime, formatTime } from "../ui/format-time.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useNow } from "../ui/use-now.ts";
import { findPostTime } from "./find-post-time.ts";
import { findShownState } from "./find-shown-state.ts";

/**
 * When the post goes out, should have gone out or went out; if none is known, when it was created, because most
 * lists are sorted by that time. On a phone, there is no room for the icon, nor for “Created” beside a state.
 */
export function PostTime({
  post,
  timezone,
  isBesideState = false,
  isShort = false,
}: {
  post: PostSummary;
  timezone: string;
  /** Whether the state stands directly before it, which usually says the same as the verb. */
  isBesideState?: boolean;
  /** Whether it has as little room as on a phone. */
  isShort?: boolean;
}) {
  const { kind, at } = findPostTime(post);
  const isPast = useNow((now) => Date.parse(at) < now);
  const longClass = isShort ? "hidden" : "@max-md:hidden";
  if (kind === "planned")
    return (
      <span className="inline-flex items-center gap-1 whitespace-nowrap text-ink">
        <CalendarClock size={14} className={`flex-none text-info ${longClass}`} aria-hidden="true" />
        <span className="sr-only">{isPast ? "Was planned for " : "Planned for "}</span>
        <span className={longClass}>{formatTime(at, timezone)}</span>
        <span className={isShort ? "" : "hidden @max-md:inline"}>{formatShortTime(at, timezone)}</span>
      </span>
    );
  if (kind === "due")
    return (
      <span className="inline-flex items-center gap-1 whitespace-nowrap text-danger">
        <CalendarX2 size={14} className={`flex-none ${longClass}`} aria-hidden="true" />
        <span>
          <span className={isBesideState ? "sr-only" : ""}>Was due </span>
          {formatShortTime(at, timezone)}
        </span>
      </span>
    );
  const hiddenVerbClass = isShort || findShownState(post) === kind ? "sr-only" : "@max-md:sr-only";
  return (
    <span className="min-w-0 truncate">
      <span className={isBesideState ? hiddenVerbClass : ""}>{kind === "published" ? "Published " : "Created "}</span>
      <RelativeTime at={at} timezone={timezone} />
    </span>
  );
}
