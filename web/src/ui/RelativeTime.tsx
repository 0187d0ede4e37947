import { useSyncExternalStore } from "react";

/** The units, with their length and the shortest time they are used for, in seconds. */
const units = [
  ["year", 31_536_000, 31_536_000],
  ["month", 2_592_000, 2_592_000],
  // A shorter time would be "next week", which can mean 1 to 13 days.
  ["week", 604_800, 1_209_600],
  ["day", 86_400, 86_400],
  ["hour", 3600, 3600],
  ["minute", 60, 60],
] as const;

const tickMs = 20_000;

const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function subscribe(notify: () => void): () => void {
  const timer = setInterval(notify, tickMs);
  return () => clearInterval(timer);
}
/** Rounded, because `useSyncExternalStore` requires the same value until the next tick. */
const getCurrentTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

/** A relative time, with the exact time as a tooltip. */
export function RelativeTime({ at, timezone }: { at: string; timezone?: string }) {
  const now = useSyncExternalStore(subscribe, getCurrentTick);
  return (
    <time dateTime={at} title={formatExactTime(at, timezone)}>
      {formatRelativeTime(Date.parse(at), now)}
    </time>
  );
}

function formatRelativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const [unit, unitSeconds] = units.find(([, , minimum]) => Math.abs(seconds) >= minimum) ?? ["second", 1];
  return unit === "second" ? "just now" : relativeFormat.format(Math.round(seconds / unitSeconds), unit);
}

/** Creating a format is much slower than using it, and a long list shows many times. */
const exactFormats = new Map<string | undefined, Intl.DateTimeFormat>();

export function formatExactTime(at: string, timezone?: string): string {
  const format =
    exactFormats.get(timezone) ??
    new Intl.DateTimeFormat("en", {
      dateStyle: "medium",
      timeStyle: "short",
      hourCycle: "h23",
      ...(timezone === undefined ? {} : { timeZone: timezone }),
    });
  exactFormats.set(timezone, format);
  return format.format(new Date(at));
}
