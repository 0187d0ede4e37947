import { hours } from "#lib/clock.ts";
import { type BatchOptions, runInBatches } from "../steps/run-in-batches.ts";
import type { Deps } from "../ports/deps.ts";
import { purgeableKinds, type RegisteredClient } from "../ports/coordination.ts";

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
