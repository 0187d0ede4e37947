import { hours } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { inBatches, type BatchOptions } from "./batches.ts";
import { purgeable, type Registered } from "./ports.ts";

/** Rows a statement: few enough that a request that waits for it does not notice. */
const batch = 500;

/** How long a client that registered itself may stay without anyone's approval. */
export const unusedLifetime = hours(24);

export type Purge = (options: BatchOptions) => Promise<{ deleted: number }>;

/** Deletes what has expired and clients nobody ever used, in small batches. What is live is never touched. */
export function createPurge(deps: Pick<Deps, "purges" | "clock">): Purge {
  // A client that was found used stays used: each is looked at once, and a run costs what is new, not what there is.
  let seen: Registered = { id: "", createdAt: 0 };
  return async (options) => {
    const now = deps.clock();
    let deleted = 0;
    for (const what of purgeable)
      deleted += await inBatches(options, batch, () => deps.purges.deleteExpired(what, now, batch));
    await inBatches(options, batch, async () => {
      const before = now - unusedLifetime;
      const clients = await deps.purges.listClients(seen, before, batch);
      deleted += await deps.purges.deleteUnusedClients(
        clients.map(({ id }) => id),
        before,
      );
      seen = clients.at(-1) ?? seen;
      return clients.length;
    });
    return { deleted };
  };
}
