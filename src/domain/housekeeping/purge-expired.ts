import { hours } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "./batches.ts";

/** Rows that are useless once expired. */
export const purgeableKinds = [
  "oauthRecords",
  "sessions",
  "mcpSessions",
  "rateLimits",
  "uploadLinks",
  "connectLinks",
  "platformApps",
  "grantCalls",
  "assetChanges",
  "commentChanges",
  "deletedComments",
  "deletedCommentTexts",
] as const;
export type PurgeableKind = (typeof purgeableKinds)[number];

/** Each method is one statement over at most `limit` rows, so that it holds locks only briefly. */
export interface PurgeStore {
  /** Deletes rows (or, for `deletedCommentTexts`, texts) that have expired at `now`, oldest first; returns how many. */
  deleteExpired(kind: PurgeableKind, now: number, limit: number): Promise<number>;
  /**
   * Lists dynamically registered clients in the order of `createdAt` and id: those that follow `after` and were
   * registered at `before` or earlier.
   */
  listClients(after: RegisteredClient, before: number, limit: number): Promise<RegisteredClient[]>;
  /**
   * Deletes the clients among these that never had a grant, and returns their number. Compares `createdAt` with `before`
   * again, because `postponePurge` may have changed it since the clients were listed.
   */
  deleteUnusedClients(clientIds: readonly string[], before: number): Promise<number>;
}

export interface RegisteredClient {
  id: string;
  createdAt: number;
}

/** Rows per statement: small enough not to delay requests noticeably. */
const batchSize = 500;

/** How long a dynamically registered client is kept without a grant. */
export const unusedClientLifetime = hours(24);

export type PurgeJob = (options: BatchOptions) => Promise<{ deleted: number }>;

/** Deletes expired rows and unused clients in small batches. */
export function createPurgeJob(deps: Pick<Deps, "purges" | "clock">): PurgeJob {
  // A client that ever had a grant is never deleted here, so one check per client is enough: each run continues after
  // the last client that was checked. A client whose purge was postponed comes later in the order and is checked again.
  let lastCheckedClient: RegisteredClient = { id: "", createdAt: 0 };
  return async (options) => {
    const now = deps.clock();
    let deletedCount = 0;
    for (const kind of purgeableKinds)
      deletedCount += await runInBatches(options, batchSize, () => deps.purges.deleteExpired(kind, now, batchSize));
    await runInBatches(options, batchSize, async () => {
      const before = now - unusedClientLifetime;
      const clients = await deps.purges.listClients(lastCheckedClient, before, batchSize);
      deletedCount += await deps.purges.deleteUnusedClients(
        clients.map(({ id }) => id),
        before,
      );
      lastCheckedClient = clients.at(-1) ?? lastCheckedClient;
      return clients.length;
    });
    return { deleted: deletedCount };
  };
}
