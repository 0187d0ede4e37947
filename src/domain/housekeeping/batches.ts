import type { Deps } from "../deps.ts";

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

/**
 * Runs `work` unless another holder has the lease; returns whether it ran. The lease of a crashed holder expires after
 * `ttlMs`, so `work` must end earlier, by more than the clock skew between instances.
 */
export async function withLease(
  deps: Pick<Deps, "leases" | "clock">,
  name: string,
  holder: string,
  ttlMs: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const now = deps.clock();
  if (!(await deps.leases.acquire(name, holder, now, now + ttlMs))) return false;
  try {
    await work();
  } finally {
    await deps.leases.release(name, holder);
  }
  return true;
}
