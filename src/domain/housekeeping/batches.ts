/** How something that is done beside requests goes about it. */
export interface BatchOptions {
  /** Between two steps, so that requests come first. */
  pause: () => Promise<void>;
  /** When to leave the rest to the next run. */
  isOver: () => boolean;
}

/** Takes a step as long as each finds a whole batch; answers what all of them found together. */
export async function runInBatches(
  { pause, isOver }: BatchOptions,
  batchSize: number,
  processBatch: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let count = batchSize; count >= batchSize && !isOver(); await pause()) {
    count = await processBatch();
    total += count;
  }
  return total;
}
