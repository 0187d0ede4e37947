/** Processes items concurrently. After a failure it starts no more items, waits for running ones, then throws. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const sharedItems = toGenerator(items);
  const worker = async (): Promise<void> => {
    // An error closes the shared generator, which ends the loops of the other workers.
    for (const item of sharedItems) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

function* toGenerator<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
