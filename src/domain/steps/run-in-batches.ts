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

/** Processes rows of all studios, so that a row that can't be processed delays only the rows of its studio. */
export interface StudioIsolation {
  listFailedStudios(): string[];
  /** Skips items of studios for which `processItem` has failed. Returns the number of items, for `runInBatches`. */
  processEach<Item extends { studioId: string }>(
    items: readonly Item[],
    processItem: (item: Item) => Promise<void>,
  ): Promise<number>;
  /** Throws the first error, if there was one. Call it at the end. */
  throwFirstError(): void;
}

export function isolateStudios(): StudioIsolation {
  const errorsByStudio = new Map<string, unknown>();
  return {
    listFailedStudios: () => [...errorsByStudio.keys()],
    async processEach(items, processItem) {
      for (const item of items) {
        if (errorsByStudio.has(item.studioId)) continue;
        await processItem(item).catch((error: unknown) => errorsByStudio.set(item.studioId, error));
      }
      return items.length;
    },
    throwFirstError() {
      if (errorsByStudio.size > 0) throw [...errorsByStudio.values()][0];
    },
  };
}
