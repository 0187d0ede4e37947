import { useState, useSyncExternalStore } from "react";
import { formatRelativeTime } from "./format-relative-time.ts";
import { formatExactTime } from "./format-time.ts";

const tickMs = 20_000;

/** All times share one timer: a long list shows many. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(notify: () => void): () => void {
  timer ??= setInterval(() => listeners.forEach((listener) => listener()), tickMs);
  listeners.add(notify);
  return () => {
    listeners.delete(notify);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Rounded, because `useSyncExternalStore` requires the same value until the next tick. */
const getCurrentTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

/**
 * A relative time, with the exact time as a tooltip. The exact time is formatted only once the pointer is over it:
 * formatting the first date takes a tenth of the CPU time of a page.
 */
export function RelativeTime({ at, timezone }: { at: string; timezone?: string }) {
  const now = useSyncExternalStore(subscribe, getCurrentTick);
  const [wasHovered, setWasHovered] = useState(false);
  return (
    <time
      dateTime={at}
      title={wasHovered ? formatExactTime(at, timezone) : undefined}
      onPointerEnter={() => setWasHovered(true)}
    >
      {formatRelativeTime(Date.parse(at), now)}
    </time>
  );
}
