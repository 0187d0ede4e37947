/** How long a key is not retried after an expensive failure. */
const failureTtlMs = 10 * 60_000;
const maxRememberedFailures = 10_000;

/** A task; it calls `skipRetries` if another attempt would be expensive and would fail again. */
export type SingleFlightWork<T> = (skipRetries: () => void) => Promise<T | undefined>;

/**
 * Runs one task per key at a time; concurrent callers with the same key share its result. If a task calls
 * `skipRetries`, calls with its `failureKey` return undefined until `failureTtlMs` has passed.
 */
export function createSingleFlight<T>(): (
  key: string,
  work: SingleFlightWork<T>,
  failureKey?: string,
) => Promise<T | undefined> {
  const inFlightTasks = new Map<string, Promise<T | undefined>>();
  const failedKeys = new Set<string>();

  const rememberFailure = (key: string): void => {
    const [oldest] = failedKeys;
    if (failedKeys.size >= maxRememberedFailures && oldest !== undefined) failedKeys.delete(oldest);
    failedKeys.add(key);
    setTimeout(() => failedKeys.delete(key), failureTtlMs).unref();
  };

  return async (key, work, failureKey = key) => {
    if (failedKeys.has(failureKey)) return undefined;
    const task =
      inFlightTasks.get(key) ?? work(() => rememberFailure(failureKey)).finally(() => inFlightTasks.delete(key));
    inFlightTasks.set(key, task);
    return task;
  };
}
