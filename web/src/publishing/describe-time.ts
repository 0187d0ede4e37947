import type { Publication } from "../api/publication-queries.ts";
import { formatExactTime } from "../ui/format-time.ts";

/** When a publication goes out or went out, in the studio's time zone. Lists that name the zone omit the offset. */
export function describeTime(
  { state, scheduledFor, publishedAt, createdAt }: Publication,
  timezone: string,
  format: (at: string, timezone: string) => string = formatExactTime,
): string {
  const time = publishedAt ?? scheduledFor;
  if (time !== null) return format(time, timezone);
  if (state === "proposed") return describeRequestedTime(null, timezone);
  return state === "scheduled" || state === "publishing" ? "Now" : format(createdAt, timezone);
}

/** When a proposal goes out if it is approved. */
export const describeRequestedTime = (scheduledFor: string | null, timezone: string): string =>
  scheduledFor === null ? "As soon as it is approved" : formatExactTime(scheduledFor, timezone);
