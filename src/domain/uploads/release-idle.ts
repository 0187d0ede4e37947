import { minutes } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "../housekeeping/batches.ts";
import { partUrlLifetime } from "./part-addresses.ts";
import { countReceived, idleLimit } from "./reservations.ts";

const batch = 100;

/**
 * Counts what has arrived of each file that is uploading, and releases what is reserved for idle ones. A released file
 * is counted for as long as its part URLs may still bring bytes.
 */
export async function releaseIdle(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "clock" | "limits">,
  options: BatchOptions,
): Promise<void> {
  if (deps.limits.studioBytes === undefined) return;
  await runInBatches(options, batch, async () => {
    const now = deps.clock();
    const files = await deps.uploads.listUncounted({
      countedBefore: now - minutes(1),
      activeSince: now - idleLimit - partUrlLifetime - minutes(5),
      limit: batch,
    });
    for (const file of files) await countReceived(deps, file);
    return files.length;
  });
}
