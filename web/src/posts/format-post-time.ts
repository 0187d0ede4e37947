/** A cache, because creating a format is much slower than using it, and a list uses one per row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timezone: string, style: "short" | "withYear"): Intl.DateTimeFormat {
  const key = `${style} ${timezone}`;
  const cachedFormat = formats.get(key);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(style === "withYear" ? { year: "numeric" } : { weekday: "short" }),
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: timezone,
  });
  formats.set(key, format);
  return format;
}

/** Date and time without the offset: "Tue 17 Nov, 09:00", or "17 Nov 2026, 09:00" if it is not within six months. */
export function formatPostTime(iso: string, timezone: string): string {
  const time = Date.parse(iso);
  const isNear = Math.abs(time - Date.now()) < 180 * 86_400_000;
  return getFormat(timezone, isNear ? "short" : "withYear").format(time);
}
