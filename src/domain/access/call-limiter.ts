import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";

/** Counts one call of a user, or of a link; answers the refusal where there were too many. */
export type CallLimitCheck = (key: string) => AppError | undefined;

/**
 * Each user through all clients together, each user in the web app, and each upload link. A client that calls
 * too often does not keep its user from the web app, where the user can revoke it.
 */
export const callLimits = { calls: { perMinute: 600 }, web: { perMinute: 600 }, uploads: { perMinute: 600 } } as const;

export const noCallLimit: CallLimitCheck = () => undefined;

export interface CallLimiter {
  check: CallLimitCheck;
  /** Adds what was counted here to what all instances share, and learns what the others counted. */
  sync(): Promise<void>;
}

const windowMs = minutes(1);

interface Count {
  /** What all instances together had counted when they were last asked. */
  sharedCount: number;
  /** What this one counted since. */
  localCount: number;
}

/**
 * A sliding minute for each key: the calls of this window, and those of the one before by how much of it still
 * lies within a minute. A call is counted in memory and waits for nothing; `settle` runs each second, so that
 * all instances together overshoot by what comes in a second at most. Two maps that turn over: nothing grows.
 */
export function createCallLimiter(
  deps: Pick<Deps, "rateLimits" | "clock">,
  name: string,
  { perMinute }: { perMinute: number },
): CallLimiter {
  let currentWindowEnd = 0;
  let current = new Map<string, Count>();
  let previous = new Map<string, Count>();

  const rotateWindow = (now: number): void => {
    if (now < currentWindowEnd && now >= currentWindowEnd - windowMs) return;
    const next = now - (now % windowMs) + windowMs;
    previous = next === currentWindowEnd + windowMs ? current : new Map<string, Count>();
    current = new Map();
    currentWindowEnd = next;
  };
  const sumCounts = (count: Count | undefined): number => (count ? count.sharedCount + count.localCount : 0);

  return {
    check(key) {
      const now = deps.clock();
      rotateWindow(now);
      const currentCount = current.get(key);
      if (sumCounts(currentCount) + (sumCounts(previous.get(key)) * (currentWindowEnd - now)) / windowMs >= perMinute) {
        const retryAfter = Math.ceil((currentWindowEnd - now) / 1000);
        return new AppError("rate_limited:calls", { perMinute, retryAfter }, { retryAfter });
      }
      if (currentCount) currentCount.localCount++;
      else current.set(key, { sharedCount: 0, localCount: 1 });
      return undefined;
    },
    async sync() {
      rotateWindow(deps.clock());
      for (const [counts, windowEnd] of [
        [previous, currentWindowEnd - windowMs],
        [current, currentWindowEnd],
      ] as const) {
        const unsyncedCounts = [...counts]
          .filter(([, count]) => count.localCount > 0)
          .map(([key, { localCount: hits }]) => ({ key, hits }));
        if (unsyncedCounts.length === 0) continue;
        const totals = await deps.rateLimits.addHits(
          unsyncedCounts.map(({ key, hits }) => ({ key: `${name} ${key}`, hits })),
          windowEnd,
        );
        for (const { key, hits } of unsyncedCounts) {
          const count = counts.get(key);
          if (!count) continue;
          count.sharedCount = totals.get(`${name} ${key}`) ?? 0;
          count.localCount -= hits;
        }
      }
    },
  };
}
