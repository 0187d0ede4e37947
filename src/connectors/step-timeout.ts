import { PlatformError } from "#domain/model/platform-error.ts";

/** Timeout for one step of connecting an account or renewing its credential, however many requests it needs. */
export const stepTimeoutMs = 10_000;

export async function withStepTimeout<T>(work: (hasTimedOut: () => boolean) => Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let hasTimedOut = false;
  using _ = setTimeout(() => {
    hasTimedOut = true;
    reject(timeoutError());
  }, stepTimeoutMs);
  return await Promise.race([work(() => hasTimedOut), timeout]);
}

export const timeoutError = (): PlatformError => new PlatformError("unavailable", "it didn’t respond in time");
