import type { Deps } from "../ports/deps.ts";

/**
 * Runs `work` unless the lease is held; returns whether `work` ran. The lease expires after `ttlMs`, in case its holder
 * crashes. So that no other holder starts while `work` is running, `work` must end before the lease expires, by
 * more than the clock skew between instances.
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
