/** Yields the chunks of a body. Throws as soon as `signal` aborts, even while the body waits for more bytes. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted();
  const iterator = body[Symbol.asyncIterator]();
  let rejectPending: (reason: unknown) => void = () => {};
  const onAbort = () => rejectPending(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      // Not Promise.race: the long-lived abort promise would retain memory for every chunk.
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        rejectPending = reject;
        iterator.next().then(resolve, reject);
      });
      if (result.done) return;
      yield result.value;
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    iterator.return?.().catch(() => {}); // not awaited: it may hang on the read that was aborted
  }
}
