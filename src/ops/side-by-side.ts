/** Works through the items, several at once. The first failure ends it, after what was under way has ended. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const sharedItems = toGenerator(items);
  const worker = async (): Promise<void> => {
    // A loop that is left by an error closes what it reads from: the others find it at its end.
    for (const item of sharedItems) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

function* toGenerator<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
