/** Resolves to undefined if the signal aborts before the work ends. The work then continues in the background. */
export async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, ...(signal.aborted ? [undefined] : [aborted])]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
}
