/** Converts between instants and local times in a studio's time zone, which may differ from the browser's. */

export type ZonedTime =
  | { kind: "valid"; iso: string; isAmbiguous: boolean }
  | { kind: "incomplete" }
  /** Clocks skip this local time when daylight saving time starts. */
  | { kind: "nonexistent" };

const dayMs = 86_400_000;

/** Not all browsers have it. */
declare const Temporal:
  | {
      Instant: {
        fromEpochMilliseconds: (ms: number) => {
          toZonedDateTimeISO: (timezone: string) => { offsetNanoseconds: number };
        };
      };
    }
  | undefined;

/**
 * Resolves a local time (`2026-11-15T09:30`) to ISO 8601 with the offset of the time zone at that time. A local time
 * that occurs twice, when daylight saving time ends, resolves to the first of the two.
 */
export function resolveLocalTime(localTime: string, timezone: string): ZonedTime {
  // In milliseconds since the epoch, as if the local time were UTC.
  const wallTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(localTime) ? Date.parse(`${localTime}Z`) : Number.NaN;
  if (Number.isNaN(wallTime)) return { kind: "incomplete" };
  const offsets = new Set([-dayMs, dayMs].map((shift) => getOffset(wallTime + shift, timezone)));
  const instants = [...offsets]
    .filter((offset) => getOffset(wallTime - offset, timezone) === offset)
    .map((offset) => wallTime - offset)
    .toSorted((a, b) => a - b);
  const [instant] = instants;
  if (instant === undefined) return { kind: "nonexistent" };
  return {
    kind: "valid",
    iso: `${localTime}:00${formatOffset(getOffset(instant, timezone))}`,
    isAmbiguous: instants.length > 1,
  };
}

/**
 * The instants of recurring local times (`09:30`) on a day. One that clocks skip moves forward by the gap; of one that
 * occurs twice, the first counts.
 */
export function resolveTimesOfDay(day: string, times: readonly string[], timezone: string): number[] {
  const midnight = Date.parse(`${day}T00:00Z`);
  const [before, after] = [getOffset(midnight - dayMs, timezone), getOffset(midnight + 2 * dayMs, timezone)];
  return times.map((time) => {
    const wallTime = Date.parse(`${day}T${time}Z`);
    const instant = wallTime - before;
    // Reading an offset takes long, so only near a change of the offset.
    if (before === after || getOffset(instant, timezone) === before) return instant;
    return getOffset(wallTime - after, timezone) === after ? wallTime - after : instant;
  });
}

/** The local time for a `datetime-local` input. */
export function toLocalTime(instant: number, timezone: string): string {
  return new Date(instant + getOffset(instant, timezone)).toISOString().slice(0, 16);
}

/** The first instant of a day (`2026-11-15`), even if clocks skip its midnight. */
export function getStartOfDay(day: string, timezone: string): number {
  const midnight = resolveLocalTime(`${day}T00:00`, timezone);
  if (midnight.kind === "valid") return Date.parse(midnight.iso);
  // Clocks skip midnight, so the day starts at the instant that would be midnight with the offset of the day before.
  const wallTime = Date.parse(`${day}T00:00Z`);
  return wallTime - getOffset(wallTime - dayMs, timezone);
}

export const getEndOfDay = (day: string, timezone: string): number => getStartOfDay(addDays(day, 1), timezone) - 1;

/** The day (`2026-11-15`) so many days later. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** A cache, because creating a format is much slower than using it. */
const partFormats = new Map<string, Intl.DateTimeFormat>();

function getPartFormat(timezone: string): Intl.DateTimeFormat {
  const cachedFormat = partFormats.get(timezone);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat("en-US", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone: timezone,
  });
  partFormats.set(timezone, format);
  return format;
}

/** How far local time is ahead of UTC, in milliseconds. */
function getOffset(instant: number, timezone: string): number {
  // The first format of `Intl` is slow to create, and the first page needs no other.
  if (typeof Temporal !== "undefined")
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
  const parts = getPartFormat(timezone).formatToParts(instant);
  const read = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wallTime = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  return wallTime - Math.floor(instant / 1000) * 1000;
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${pad(minutes / 60)}:${pad(minutes % 60)}`;
}
