import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps } from "../ports/deps.ts";

/** Counts one call by a user or through a link. Throws, and counts nothing, at the limit. */
export type CallLimitCheck = (key: string) => void;

/**
 * Limits per user for all AI clients together, per user for the web app, and per upload or review link. The web app has its own
 * limit so that a user can still revoke a client that calls too often. `messages` counts every message of AI clients,
 * also those that are not calls, so that a client at the limit of calls can still connect and list the tools.
 */
export const callLimits = {
  messages: { perMinute: 3000 },
  calls: { perMinute: 600 },
  web: { perMinute: 600 },
  uploads: { perMinute: 600 },
  reviews: { perMinute: 300 },
} as const;

export interface CallLimiter {
  check: CallLimitCheck;
  /** Adds the local counts to the shared ones and reads the totals of all instances. */
  sync(): Promise<void>;
}

/** For `RATE_LIMITS=off`. */
export const unlimitedCalls: CallLimiter = { check() {}, sync: async () => {} };

const windowMs = minutes(1);

interface Count {
  /** Total of all instances at the last sync. */
  sharedCount: number;
  /** Calls on this instance since the last sync. */
  localCount: number;
}

/**
 * A sliding window of one minute per key: the calls of the current window plus a share of the previous one.
 * Calls are counted in memory; `sync` runs every second, so that all instances together exceed the limit by at most
 * one second of calls. The two maps rotate every window, which bounds their size.
 */
export function createCallLimiter(
  deps: Pick<Deps, "rateLimits" | "clock">,
  name: string,
  { perMinute }: { perMinute: number },
): CallLimiter {
  let currentWindowEnd = 0;
  let currentCounts = new Map<string, Count>();
  let previousCounts = new Map<string, Count>();

  const rotateWindow = (now: number): void => {
    if (now < currentWindowEnd && now >= currentWindowEnd - windowMs) return;
    const newWindowEnd = now - (now % windowMs) + windowMs;
    previousCounts = newWindowEnd === currentWindowEnd + windowMs ? currentCounts : new Map<string, Count>();
    currentCounts = new Map();
    currentWindowEnd = newWindowEnd;
  };
  const sumCounts = (count: Count | undefined): number => (count ? count.sharedCount + count.localCount : 0);

  return {
    check(key) {
      const now = deps.clock();
      rotateWindow(now);
      const currentCount = currentCounts.get(key);
      if (
        sumCounts(currentCount) + (sumCounts(previousCounts.get(key)) * (currentWindowEnd - now)) / windowMs >=
        perMinute
      ) {
        const retryAfter = Math.ceil((currentWindowEnd - now) / 1000);
        throw new AppError("rate_limited:calls", { perMinute, retryAfter }, { retryAfter });
      }
      if (currentCount) currentCount.localCount++;
      else currentCounts.set(key, { sharedCount: 0, localCount: 1 });
    },
    async sync() {
      rotateWindow(deps.clock());
      for (const [counts, windowEnd] of [
        [previousCounts, currentWindowEnd - windowMs],
        [currentCounts, currentWindowEnd],
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
