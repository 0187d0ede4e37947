import { addDays } from "#portable/zoned-time.ts";

/** Days are `2026-11-15`, in the studio's time zone. Weeks start on Monday. */

export const calendarRanges = ["month", "week", "agenda"] as const;
export type CalendarRange = (typeof calendarRanges)[number];

const dayMs = 86_400_000;

const toUtcMs = (day: string): number => Date.parse(`${day}T00:00Z`);
const toDay = (utcMs: number): string => new Date(utcMs).toISOString().slice(0, 10);

/** The same day of another month, or that month's last day if it is shorter. */
export function addMonths(day: string, count: number): string {
  const date = new Date(toUtcMs(day));
  const firstOfMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate();
  return toDay(firstOfMonth + (Math.min(date.getUTCDate(), lastDay) - 1) * dayMs);
}

const getStartOfWeek = (day: string): string => addDays(day, -((new Date(toUtcMs(day)).getUTCDay() + 6) % 7));
const getStartOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;
const getEndOfMonth = (day: string): string => addDays(addMonths(getStartOfMonth(day), 1), -1);

/** All days that the range shows. A month includes the rest of its first and last week. */
export function listDays(range: CalendarRange, day: string): string[] {
  const [first, last] = getBounds(range, day);
  const count = (toUtcMs(last) - toUtcMs(first)) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}

function getBounds(range: CalendarRange, day: string): [first: string, last: string] {
  if (range === "week") return [getStartOfWeek(day), addDays(getStartOfWeek(day), 6)];
  if (range === "agenda") return [getStartOfMonth(day), getEndOfMonth(day)];
  return [getStartOfWeek(getStartOfMonth(day)), addDays(getStartOfWeek(getEndOfMonth(day)), 6)];
}

/** A day in the next or the previous week or month. */
export const stepRange = (range: CalendarRange, day: string, direction: 1 | -1): string =>
  range === "week" ? addDays(day, 7 * direction) : addMonths(getStartOfMonth(day), direction);

/** Creates the format on first use, because other pages use this file only to count days. */
const createFormatter = (options: Intl.DateTimeFormatOptions) => {
  let dateFormat: Intl.DateTimeFormat | undefined;
  return (day: string): string => {
    dateFormat ??= new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
    return dateFormat.format(toUtcMs(day));
  };
};

const formatMonth = createFormatter({ month: "long", year: "numeric" });
export const formatLongDay = createFormatter({ weekday: "long", day: "numeric", month: "long" });
export const formatWeekday = createFormatter({ weekday: "short" });
const formatDayAndMonth = createFormatter({ day: "numeric", month: "short" });
/** "15 Nov 2026" */
export const formatFullDay = createFormatter({ day: "numeric", month: "short", year: "numeric" });

/** "November 2026", or "16 Nov – 22 Nov 2026" for a week. */
export function formatRange(range: CalendarRange, day: string): string {
  if (range !== "week") return formatMonth(day);
  const [first, last] = getBounds(range, day);
  return `${formatDayAndMonth(first)} – ${formatFullDay(last)}`;
}
