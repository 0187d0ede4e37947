import { ApiError, formatError } from "../api/api-error.ts";

export interface BulkFailure<Item> {
  item: Item;
  /** What happened, and what to do next. */
  message: string;
}

export interface BulkResult<Item, Result> {
  successes: { item: Item; result: Result }[];
  failures: BulkFailure<Item>[];
}

/** The server's limit is per minute and counts all requests of the user, so a long run may have to wait. */
const rateLimitRetryMs = 3000;
const maxRateLimitRetries = 40;

/** Runs an action for each item, `concurrency` items at a time. An item that fails does not stop the others. */
export async function runBulk<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  { concurrency = 1, onProgress }: { concurrency?: number; onProgress?: (finishedCount: number) => void } = {},
): Promise<BulkResult<Item, Result>> {
  const successes: BulkResult<Item, Result>["successes"] = [];
  const failures: BulkFailure<Item>[] = [];
  const queue = items.values();

  async function runQueue(): Promise<void> {
    for (const item of queue) {
      try {
        successes.push({ item, result: await runWithinRateLimit(() => run(item)) });
      } catch (error) {
        failures.push({ item, message: formatError(error) });
      }
      onProgress?.(successes.length + failures.length);
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runQueue));
  return { successes, failures };
}

async function runWithinRateLimit<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || retries >= maxRateLimitRetries) throw error;
      await new Promise((resolve) => setTimeout(resolve, rateLimitRetryMs));
    }
  }
}
