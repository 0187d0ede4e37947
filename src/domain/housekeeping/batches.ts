import type { Deps } from "../deps.ts";

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

/**
 * Runs `work` unless another holder is at it; answers whether it ran. A holder that dies loses the lease after
 * `ttlMs`, so `work` must end well before that, by more than the clocks of two instances may differ.
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
