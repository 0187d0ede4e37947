export interface LeaseStore {
  /** Acquires the lease until `expiresAt`, in one statement; returns false if any holder has it at `now`. */
  acquire(name: string, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Releases the lease if this holder still has it. */
  release(name: string, holder: string): Promise<void>;
}
