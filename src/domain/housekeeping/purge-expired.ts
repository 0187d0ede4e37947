import { hours } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "./batches.ts";

/** What nobody will ask for again. */
export const purgeableKinds = [
  "oauthRecords",
  "sessions",
  "rateLimits",
  "uploadLinks",
  "connectPages",
  "platformApps",
  "grantCalls",
] as const;
export type PurgeableKind = (typeof purgeableKinds)[number];

/** Each of these is one statement over at most `limit` rows, so that nobody waits for long. */
export interface PurgeStore {
  /** Deletes rows that had expired at `now`, oldest first, and answers how many. */
  deleteExpired(kind: PurgeableKind, now: number, limit: number): Promise<number>;
  /** Clients that registered themselves after `after` and not after `before`, oldest first. */
  listClients(after: RegisteredClient, before: number, limit: number): Promise<RegisteredClient[]>;
  /** Deletes those of them that nobody ever approved, nor is about to, and answers how many. */
  deleteUnusedClients(clientIds: readonly string[], before: number): Promise<number>;
}

export interface RegisteredClient {
  id: string;
  createdAt: number;
}

export interface LeaseStore {
  /** Takes the lease until `expiresAt`, in one statement; false where someone holds it and it has not expired at `now`. */
  acquire(name: string, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Gives it back, where this holder still has it. */
  release(name: string, holder: string): Promise<void>;
}

/** Rows a statement: few enough that a request that waits for it does not notice. */
const batchSize = 500;

/** How long a client that registered itself may stay without anyone's approval. */
export const unusedClientLifetime = hours(24);

export type PurgeJob = (options: BatchOptions) => Promise<{ deleted: number }>;

/** Deletes what has expired and clients nobody ever used, in small batches. What is live is never touched. */
export function createPurgeJob(deps: Pick<Deps, "purges" | "clock">): PurgeJob {
  // A client that was found used stays used: each is looked at once, and a run costs what is new, not what there is.
  let lastCheckedClient: RegisteredClient = { id: "", createdAt: 0 };
  return async (options) => {
    const now = deps.clock();
    let deleted = 0;
    for (const kind of purgeableKinds)
      deleted += await runInBatches(options, batchSize, () => deps.purges.deleteExpired(kind, now, batchSize));
    await runInBatches(options, batchSize, async () => {
      const before = now - unusedClientLifetime;
      const clients = await deps.purges.listClients(lastCheckedClient, before, batchSize);
      deleted += await deps.purges.deleteUnusedClients(
        clients.map(({ id }) => id),
        before,
      );
      lastCheckedClient = clients.at(-1) ?? lastCheckedClient;
      return clients.length;
    });
    return { deleted };
  };
}
