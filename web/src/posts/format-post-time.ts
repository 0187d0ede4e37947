/** Creating a format is much slower than using it, and a list uses one per row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timezone: string, style: "short" | "withYear"): Intl.DateTimeFormat {
  const key = `${style} ${timezone}`;
  const cachedFormat = formats.get(key);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(style === "withYear" ? { year: "numeric" } : {}),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: timezone,
  });
  formats.set(key, format);
  return format;
}

/** Date and time without the offset, and without the year if it is within six months: "Tue, 17 Nov, 09:00". */
export function formatPostTime(iso: string, timezone: string): string {
  const time = Date.parse(iso);
  const isNear = Math.abs(time - Date.now()) < 180 * 86_400_000;
  return getFormat(timezone, isNear ? "short" : "withYear").format(time);
}
