/** Prevents a background job from delaying requests and shutdown. */
export interface BatchOptions {
  /** Runs between two batches, so that requests come first. */
  pause: () => Promise<void>;
  /** Whether to leave the remaining batches to the next run. */
  shouldStop: () => boolean;
}

/** Repeats `processBatch` until it returns less than a full batch or the job should stop; returns the total. */
export async function runInBatches(
  { pause, shouldStop }: BatchOptions,
  batchSize: number,
  processBatch: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let count = batchSize; count >= batchSize && !shouldStop(); await pause()) {
    count = await processBatch();
    total += count;
  }
  return total;
}
