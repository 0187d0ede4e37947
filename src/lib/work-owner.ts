import { AsyncLocalStorage } from "node:async_hooks";

/** Who work is done for. Shared queues take turns between owners. */
export interface WorkOwner {
  /** A user, or how a client identifies itself until the user is known. */
  readonly key: string;
}

const currentOwner = new AsyncLocalStorage<WorkOwner>();

/** Runs work, and all that it starts, for an owner. */
export const runForOwner = <T>(owner: WorkOwner, work: () => T): T => currentOwner.run(owner, work);

/** Background jobs share one key. */
export const getOwnerKey = (): string => currentOwner.getStore()?.key ?? "";
