import type { CalendarRange } from "../calendar-ranges.ts";

/** Days are `2026-11-15`, in the studio's time zone. Weeks start on Monday. */

const dayMs = 86_400_000;

const toTime = (day: string): number => Date.parse(`${day}T00:00Z`);
const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const addDays = (day: string, count: number): string => toDay(toTime(day) + count * dayMs);

export function addMonths(day: string, count: number): string {
  const date = new Date(toTime(day));
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate();
  return toDay(first + (Math.min(date.getUTCDate(), lastDay) - 1) * dayMs);
}

const getStartOfWeek = (day: string): string => addDays(day, -((new Date(toTime(day)).getUTCDay() + 6) % 7));
const getStartOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;
const getEndOfMonth = (day: string): string => addDays(addMonths(getStartOfMonth(day), 1), -1);

/** All days that the range shows. A month includes the rest of its first and last week. */
export function listDays(range: CalendarRange, day: string): string[] {
  const [first, last] = getBounds(range, day);
  const count = (toTime(last) - toTime(first)) / dayMs + 1;
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}

function getBounds(range: CalendarRange, day: string): [first: string, last: string] {
  if (range === "week") return [getStartOfWeek(day), addDays(getStartOfWeek(day), 6)];
  if (range === "agenda") return [getStartOfMonth(day), getEndOfMonth(day)];
  return [getStartOfWeek(getStartOfMonth(day)), addDays(getStartOfWeek(getEndOfMonth(day)), 6)];
}

export const stepRange = (range: CalendarRange, day: string, direction: 1 | -1): string =>
  range === "week" ? addDays(day, 7 * direction) : addMonths(getStartOfMonth(day), direction);

const format = (options: Intl.DateTimeFormatOptions) => {
  const dateFormat = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day: string): string => dateFormat.format(toTime(day));
};

const formatMonth = format({ month: "long", year: "numeric" });
export const formatLongDay = format({ weekday: "long", day: "numeric", month: "long" });
export const formatWeekday = format({ weekday: "short" });
const formatDayAndMonth = format({ day: "numeric", month: "short" });
const formatFullDay = format({ day: "numeric", month: "short", year: "numeric" });

/** "November 2026", or "16 Nov – 22 Nov 2026" for a week. */
export function formatRange(range: CalendarRange, day: string): string {
  if (range !== "week") return formatMonth(day);
  const [first, last] = getBounds(range, day);
  return `${formatDayAndMonth(first)} – ${formatFullDay(last)}`;
}
