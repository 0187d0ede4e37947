import type { Deps } from "../deps.ts";

export interface LeaseStore {
  /** Takes the lease until `expiresAt`, in one statement; false where someone holds it and it has not expired at `now`. */
  take(name: string, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Gives it back, where this holder still has it. */
  release(name: string, holder: string): Promise<void>;
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
  if (!(await deps.leases.take(name, holder, now, now + ttlMs))) return false;
  try {
    await work();
  } finally {
    await deps.leases.release(name, holder);
  }
  return true;
}
