import { AsyncLocalStorage } from "node:async_hooks";

/** Who work is done for. Shared queues take turns between groups, and within a group between owners. */
export interface WorkOwner {
  /** A user, or how a client identifies itself until the user is known. */
  readonly key: string;
  /** The user, or the IP address of the client until the user is known: a client can send any number of keys. */
  readonly group: string;
}

const backgroundJobs: WorkOwner = { key: "", group: "" };
const currentOwner = new AsyncLocalStorage<WorkOwner>();

/** Runs work, and all that it starts, for an owner. */
export const runForOwner = <T>(owner: WorkOwner, work: () => T): T => currentOwner.run(owner, work);

/** Runs work that no request waits for, although a request starts it. */
export const runInBackground = <T>(work: () => T): T => runForOwner(backgroundJobs, work);

export const getOwner = (): WorkOwner => currentOwner.getStore() ?? backgroundJobs;
