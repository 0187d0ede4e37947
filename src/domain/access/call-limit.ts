import { minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";

/** Counts one call of a user, or of a link; answers the refusal where there were too many. */
export type CountCall = (key: string) => AppError | undefined;

/**
 * Each user through all clients together, each user in the web app, and each upload link. A client that calls
 * too often does not keep its user from the web app, where the user can revoke it.
 */
export const callLimits = { calls: { perMinute: 600 }, web: { perMinute: 600 }, uploads: { perMinute: 600 } } as const;

export const noLimit: CountCall = () => undefined;

export interface CallLimit {
  count: CountCall;
  /** Adds what was counted here to what all instances share, and learns what the others counted. */
  settle(): Promise<void>;
}

const window = minutes(1);

interface Count {
  /** What all instances together had counted when they were last asked. */
  settled: number;
  /** What this one counted since. */
  fresh: number;
}

/**
 * A sliding minute for each key: the calls of this window, and those of the one before by how much of it still
 * lies within a minute. A call is counted in memory and waits for nothing; `settle` runs each second, so that
 * all instances together overshoot by what comes in a second at most. Two maps that turn over: nothing grows.
 */
export function createCallLimit(
  deps: Pick<Deps, "rateLimits" | "clock">,
  name: string,
  { perMinute }: { perMinute: number },
): CallLimit {
  let end = 0;
  let current = new Map<string, Count>();
  let previous = new Map<string, Count>();

  const turn = (now: number): void => {
    if (now < end && now >= end - window) return;
    const next = now - (now % window) + window;
    previous = next === end + window ? current : new Map<string, Count>();
    current = new Map();
    end = next;
  };
  const total = (count: Count | undefined): number => (count ? count.settled + count.fresh : 0);

  return {
    count(key) {
      const now = deps.clock();
      turn(now);
      const found = current.get(key);
      if (total(found) + (total(previous.get(key)) * (end - now)) / window >= perMinute) {
        const retryAfter = Math.ceil((end - now) / 1000);
        return new AppError("rate_limited:calls", { perMinute, retryAfter }, { retryAfter });
      }
      if (found) found.fresh++;
      else current.set(key, { settled: 0, fresh: 1 });
      return undefined;
    },
    async settle() {
      turn(deps.clock());
      for (const [counts, windowEnd] of [
        [previous, end - window],
        [current, end],
      ] as const) {
        const fresh = [...counts]
          .filter(([, count]) => count.fresh > 0)
          .map(([key, { fresh: hits }]) => ({ key, hits }));
        if (fresh.length === 0) continue;
        const totals = await deps.rateLimits.add(
          fresh.map(({ key, hits }) => ({ key: `${name} ${key}`, hits })),
          windowEnd,
        );
        for (const { key, hits } of fresh) {
          const count = counts.get(key);
          if (!count) continue;
          count.settled = totals.get(`${name} ${key}`) ?? 0;
          count.fresh -= hits;
        }
      }
    },
  };
}
