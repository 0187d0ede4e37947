import { useSyncExternalStore } from "react";
import { formatRelativeTime } from "./format-relative-time.ts";

const tickMs = 20_000;

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
