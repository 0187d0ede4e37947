import { setTimeout as sleep } from "node:timers/promises";

export const getPercentile = (times: readonly number[], percent: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil((times.length * percent) / 100) - 1] ?? 0;

/** Runs an operation this many times, one after another. Returns a percentile of the durations in milliseconds. */
export async function measurePercentile(
  percent: number,
  count: number,
  operation: (i: number) => Promise<unknown>,
  pauseMs = 0,
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await operation(i);
    times.push(performance.now() - startedAt);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return getPercentile(times, percent);
}
