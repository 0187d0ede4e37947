import { useSyncExternalStore } from "react";

const tickMs = 20_000;

/** All components share one timer: a long list shows many times. */
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

/** What `compute` returns for the current time: a string or boolean. Renders again when that has changed. */
export const useNow = <Value extends string | boolean>(compute: (now: number) => Value): Value =>
  useSyncExternalStore(subscribe, () => compute(Date.now()));
