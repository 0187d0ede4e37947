/** Runs at most `atOnce` of the works it is given; the others wait their turn. */
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

/** How long what came to nothing is not tried again. */
const failureTtlMs = 10 * 60_000;
const maxRememberedFailures = 10_000;

/** Is told how to say that the next attempt would cost as much and bring as little. */
export type SingleFlightWork<T> = (skipRetries: () => void) => Promise<T | undefined>;

/**
 * Work under a key, of which one is under way at a time: whoever asks meanwhile is given what it brings. What is not
 * worth another attempt is remembered for a while.
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
