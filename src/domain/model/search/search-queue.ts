import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { createSerialRunner, createUserQueue, type UserQueue } from "../user-queue.ts";

/** Limits this process to one running search per user, and to one read at a time across all searches. */
export interface SearchQueue {
  /** Runs the search after the user's earlier searches. Rejects with `rate_limited` if too many are waiting. */
  run: UserQueue;
  /** Reads one chunk when no other search is reading, and pauses afterwards for at least as long as the read took. */
  read<T extends { bytes: number }>(readChunk: () => Promise<T>): Promise<T>;
}

/** Maximum number of waiting searches per user. */
export const maxWaitingSearches = 4;

/**
 * Pauses between chunks leave the event loop and the database to other calls. A pause is at least as long as the read
 * took, so searches slow down on a busy machine. The maximum guards against clock jumps.
 */
const pauseMs = { perMegabyte: 5, max: 100 } as const;

export function createSearchQueue({ sleep, clock }: { sleep(ms: number): Promise<void>; clock: Clock }): SearchQueue {
  const readInOrder = createSerialRunner();
  return {
    run: createUserQueue(maxWaitingSearches, tooManySearchesError),
    read(readChunk) {
      let start = 0;
      const timedRead = () => {
        start = clock();
        return readChunk();
      };
      return readInOrder(timedRead, async ({ bytes }) => {
        const minPause = Math.round((pauseMs.perMegabyte * bytes) / 1024 / 1024);
        const pause = Math.min(pauseMs.max, Math.max(minPause, clock() - start));
        if (pause > 0) await sleep(pause);
      });
    },
  };
}

const tooManySearchesError = (): AppError =>
  new AppError("rate_limited:searches", { limit: maxWaitingSearches + 1 }, { retryAfter: 2 });
