import type { Publication } from "../api/publication-queries.ts";
import { formatZonedTime } from "./zoned-time.ts";

/** When a publication goes out or went out, in the studio's time zone. */
export function describeTime({ state, scheduledFor, publishedAt, createdAt }: Publication, timezone: string): string {
  if (publishedAt !== null) return formatZonedTime(publishedAt, timezone);
  if (scheduledFor !== null) return formatZonedTime(scheduledFor, timezone);
  if (state === "proposed") return describeRequestedTime(null, timezone);
  return state === "scheduled" || state === "publishing" ? "Now" : formatZonedTime(createdAt, timezone);
}

/** When a proposal goes out if it is approved. */
export const describeRequestedTime = (scheduledFor: string | null, timezone: string): string =>
  scheduledFor === null ? "As soon as it is approved" : formatZonedTime(scheduledFor, timezone);
