import { AppError } from "#lib/errors.ts";

/** Large enough to make the cost of system calls negligible, small enough for hundreds of concurrent uploads. */
const batchBytes = 1024 * 1024;
/** A client can send chunks of one byte, and each takes 300 bytes of memory. Also the limit of `writev`. */
const maxBatchChunks = 1024;

export interface Batch {
  chunks: Uint8Array[];
  bytes: number;
}

/** Yields the chunks of a body in batches. Throws if the body is longer than `maxBytes`, or as soon as `signal` aborts. */
export async function* readBatches(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
): AsyncGenerator<Batch, void> {
  let batch: Batch = { chunks: [], bytes: 0 };
  let totalBytes = 0;
  for await (const chunk of signal ? untilAborted(body, signal) : body) {
    totalBytes += chunk.length;
    if (totalBytes > maxBytes) throw bodyTooLargeError();
    batch.chunks.push(chunk);
    batch.bytes += chunk.length;
    if (batch.bytes < batchBytes && batch.chunks.length < maxBatchChunks) continue;
    yield batch;
    batch = { chunks: [], bytes: 0 };
  }
  if (batch.bytes > 0) yield batch;
}

export const bodyTooLargeError = (): AppError => new AppError("too_large:put");

/** Yields the chunks of a body. Throws as soon as `signal` aborts, even while the body waits for more bytes. */
async function* untilAborted(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
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
