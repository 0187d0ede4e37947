import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";

/** Searches of this process. One user runs one at a time, and all together read one chunk at a time. */
export interface SearchQueue {
  /** Runs the search after the user's earlier ones. Rejects with `rate_limited` if too many are waiting. */
  run<T>(userId: string, search: () => Promise<T>): Promise<T>;
  /** Reads one chunk when no other search is reading, and pauses afterwards for as long as that took. */
  read<T extends { bytes: number }>(readChunk: () => Promise<T>): Promise<T>;
}

/** How many searches of one user may wait for the one that runs. */
export const maxWaitingSearches = 4;

/**
 * Between chunks other calls get the event loop and the database to themselves. The pause is at least as long as the
 * chunk took, so a busy machine is searched more slowly. A clock that jumps must not make it long.
 */
const pauseMs = { perMegabyte: 5, max: 100 } as const;

export function createSearchQueue({ sleep, clock }: Pick<Deps, "sleep" | "clock">): SearchQueue {
  const users = new Map<string, { searches: number; lane: Lane }>();
  const readers = createLane();
  return {
    async run(userId, search) {
      const user = users.get(userId) ?? { searches: 0, lane: createLane() };
      if (user.searches > maxWaitingSearches) throw tooManySearches();
      users.set(userId, user);
      user.searches++;
      try {
        return await user.lane(search);
      } finally {
        if (--user.searches === 0) users.delete(userId);
      }
    },
    read(readChunk) {
      let start = 0;
      const timedRead = () => {
        start = clock();
        return readChunk();
      };
      return readers(timedRead, async ({ bytes }) => {
        const least = Math.round((pauseMs.perMegabyte * bytes) / 1024 / 1024);
        const pause = Math.min(pauseMs.max, Math.max(least, clock() - start));
        if (pause > 0) await sleep(pause);
      });
    },
  };
}

/** Runs one piece of work after the other. `rest` delays the next one, not the result of this one. */
type Lane = <T>(work: () => Promise<T>, rest?: (result: T) => Promise<void>) => Promise<T>;

function createLane(): Lane {
  let previous: Promise<unknown> = Promise.resolve();
  return (work, rest) => {
    const result = previous.then(work);
    previous = result.then(rest).catch(() => {});
    return result;
  };
}

const tooManySearches = (): AppError =>
  new AppError("rate_limited:searches", { limit: maxWaitingSearches + 1 }, { retryAfter: 2 });
