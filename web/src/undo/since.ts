/** The periods whose changes the user can undo. */
export const sinceOptions = [
  ["hour", "Last hour"],
  ["today", "Today"],
  ["week", "Last 7 days"],
  ["month", "Last 30 days"],
  ["custom", "Since a date and time"],
] as const;

export type SinceOption = (typeof sinceOptions)[number][0];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The server accepts times within the last 30 days. One minute less allows for the time that a request takes. */
const maxAgeMs = 30 * dayMs - 60_000;

/** Returns the start of the period, or undefined if the custom time is incomplete or out of range. */
export function resolveSince(option: SinceOption, customTime: string, now: number): string | undefined {
  const since = {
    hour: now - hourMs,
    today: new Date(now).setHours(0, 0, 0, 0),
    week: now - 7 * dayMs,
    month: now - maxAgeMs,
    custom: Date.parse(customTime),
  }[option];
  return since >= now - maxAgeMs && since <= now ? new Date(since).toISOString() : undefined;
}

/** The bounds of a `datetime-local` input, in the browser's time zone. */
export const getInputBounds = (now: number) => ({ min: toInputTime(now - maxAgeMs), max: toInputTime(now) });

function toInputTime(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 16);
}
