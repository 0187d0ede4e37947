/** The chunks of a body until it is called off: then it fails at once, whatever the body itself is waiting for. */
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
      // Not Promise.race: a promise that outlives the body would hold on to every round of it.
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
    iterator.return?.().catch(() => {}); // not waited for: it may hang in the very thing that was called off
  }
}
