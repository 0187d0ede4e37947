/** Runs at most `concurrency` tasks at a time; the others wait in order. */
export function createQueue(concurrency: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** How long a remembered failure is not retried. */
const failureTtlMs = 10 * 60_000;
const maxRememberedFailures = 10_000;

/** Calls `skipRetries` if another attempt would be expensive and fail again. */
export type SingleFlightWork<T> = (skipRetries: () => void) => Promise<T | undefined>;

/**
 * Runs one task per key at a time; concurrent callers with the same key share its result. A key whose task called
 * `skipRetries` returns undefined for a while.
 */
export function createSingleFlight<T>(): (key: string, work: SingleFlightWork<T>) => Promise<T | undefined> {
  const inFlight = new Map<string, Promise<T | undefined>>();
  const failedKeys = new Set<string>();

  const rememberFailure = (key: string): void => {
    const [oldest] = failedKeys;
    if (failedKeys.size >= maxRememberedFailures && oldest !== undefined) failedKeys.delete(oldest);
    failedKeys.add(key);
    setTimeout(() => failedKeys.delete(key), failureTtlMs).unref();
  };
  const attempt = async (key: string, work: SingleFlightWork<T>): Promise<T | undefined> => {
    try {
      return await work(() => rememberFailure(key));
    } finally {
      inFlight.delete(key);
    }
  };

  return async (key, work) => {
    if (failedKeys.has(key)) return undefined;
    const running = inFlight.get(key) ?? attempt(key, work);
    inFlight.set(key, running);
    return running;
  };
}
