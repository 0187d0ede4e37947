import type { Deps } from "../deps.ts";

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
