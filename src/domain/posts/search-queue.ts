import { AppError } from "#lib/errors.ts";

/** Searches of this process. One user runs one at a time, and all together read one chunk at a time. */
export interface SearchQueue {
  /** Runs the search after the user's earlier ones. Rejects with `rate_limited` if too many are waiting. */
  run<T>(userId: string, search: () => Promise<T>): Promise<T>;
  /** Reads one chunk when no other search is reading, and pauses afterwards in proportion to its bytes. */
  read<T extends { bytes: number }>(readChunk: () => Promise<T>): Promise<T>;
}

/** How many searches of one user may wait for the one that runs. */
export const maxWaitingSearches = 4;

/** Between chunks other calls get the event loop and the database to themselves. */
const pauseMsPerMegabyte = 5;

export function createSearchQueue(sleep: (ms: number) => Promise<void>): SearchQueue {
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
    read: (readChunk) =>
      readers(readChunk, async ({ bytes }) => {
        const pauseMs = Math.round((pauseMsPerMegabyte * bytes) / 1024 / 1024);
        if (pauseMs > 0) await sleep(pauseMs);
      }),
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
  new AppError(
    "rate_limited",
    `You have ${maxWaitingSearches + 1} searches running or waiting, the most at once.`,
    "Wait until one of them has returned, then search again.",
    { retryAfter: 2 },
  );
