const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const dayAndMonth = { day: "numeric", month: "short" } as const;

const styles = {
  nearTime: { weekday: "short", ...dayAndMonth, ...clock },
  shortNearTime: { ...dayAndMonth, ...clock },
  shortDistantTime: { ...dayAndMonth, year: "numeric" },
  distantTime: { ...dayAndMonth, year: "numeric", ...clock },
  exactTime: { weekday: "short", ...dayAndMonth, year: "numeric", ...clock, timeZoneName: "shortOffset" },
  timeOfDay: clock,
  date: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A cache, because creating a format is much slower than using it, and a list uses one per row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(style: keyof typeof styles, at: string | number, timezone?: string): string {
  const key = `${style} ${timezone}`;
  const dateFormat =
    formats.get(key) ??
    new Intl.DateTimeFormat("en-GB", {
      ...styles[style],
      ...(timezone === undefined ? {} : { timeZone: timezone }),
    });
  formats.set(key, dateFormat);
  return dateFormat.format(new Date(at));
}

const maxNearMs = 180 * 86_400_000;
const isNear = (at: string): boolean => Math.abs(Date.parse(at) - Date.now()) < maxNearMs;

/** Date and time: "Tue 17 Nov, 09:00", or "17 Nov 2026, 09:00" if it is not within six months. */
export function formatTime(at: string, timezone: string): string {
  return format(isNear(at) ? "nearTime" : "distantTime", at, timezone);
}

/** For little room: "17 Nov, 09:00", or "17 Nov 2026" if it is not within six months. */
export const formatShortTime = (at: string, timezone: string): string =>
  format(isNear(at) ? "shortNearTime" : "shortDistantTime", at, timezone);

/**
 * Date and time with the offset, if they must not be misunderstood: "Sun, 15 Nov 2026, 09:30 GMT+1". In a time zone that
 * only has the offset of UTC at that time, such as Lisbon's in winter, "UTC" would read like another zone: "GMT+0".
 */
export const formatExactTime = (at: string, timezone?: string): string => {
  const time = format("exactTime", at, timezone);
  return timezone === "UTC" ? time.replace(/GMT\+0$/, "UTC") : time;
};

/** "09:30", next to a date. */
export const formatTimeOfDay = (at: string, timezone: string): string => format("timeOfDay", at, timezone);

/** "Sunday, 15 November 2026" */
export const formatDate = (at: string | number, timezone: string): string => format("date", at, timezone);
