import type { Clock } from "#lib/clock.ts";

/** A clock that changes only when a test advances it. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function createTestClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  return Object.assign(() => now, { advance: (ms: number) => void (now += ms) });
}

/** A time in the future, or in the past if negative, for servers and databases that use the real clock. */
export const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString();
