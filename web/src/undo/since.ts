import { getStartOfDay, resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";

/** The periods whose changes the user can undo. */
export const sinceOptions = [
  ["hour", "Last hour"],
  ["today", "Today"],
  ["week", "Last 7 days"],
  ["month", "Last 30 days"],
  ["custom", "Since a specific time"],
] as const;

export type SinceOption = (typeof sinceOptions)[number][0];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The server accepts times within the last 30 days. One hour less allows for the time that a user reviews the dry run. */
const maxAgeMs = 30 * dayMs - hourMs;

/**
 * Returns the start of the period, or undefined if the custom time is incomplete or out of range. Days and the custom
 * time are in the studio's time zone.
 */
export function resolveSince(
  option: SinceOption,
  customTime: string,
  now: number,
  timezone: string,
): string | undefined {
  const resolvedTime = resolveLocalTime(customTime, timezone);
  const since = {
    hour: now - hourMs,
    today: getStartOfDay(toLocalTime(now, timezone).slice(0, 10), timezone),
    week: now - 7 * dayMs,
    month: now - maxAgeMs,
    custom: resolvedTime.kind === "valid" ? Date.parse(resolvedTime.iso) : Number.NaN,
  }[option];
  return since >= now - maxAgeMs && since <= now ? new Date(since).toISOString() : undefined;
}

/** The bounds of a `datetime-local` input, in the studio's time zone. */
export const getInputBounds = (now: number, timezone: string) => ({
  min: toLocalTime(now - maxAgeMs, timezone),
  max: toLocalTime(now, timezone),
});
