import { hours, minutes } from "#lib/clock.ts";
import { removeAssets } from "../assets/lifecycle/delete-files.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "../housekeeping/batches.ts";
import { fileLifetime } from "./upload-link.ts";
import { partUrlLifetime } from "./create-part-urls.ts";
import { countReceived, idleLimit } from "./reserve-parts.ts";

const batchSize = 100;

type Needs = Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "clock">;

/**
 * Takes away files on their way through links that are dead, so that their places are free at once, and what the store
 * was told to begin and no record knows. Those that did not arrive within 24 hours the sweeper of assets finds.
 */
export async function sweepUploads(
  deps: Needs,
  options: BatchOptions,
): Promise<{ abandoned: number; unknown: number }> {
  const abandoned = await runInBatches(options, batchSize, async () => {
    const assets = await deps.uploads.listAbandoned(batchSize);
    await removeAssets(deps, assets);
    return assets.length;
  });
  // Later than any record lives, so that no file of a record is ever touched.
  const unknown = await deps.files.parts.sweep(deps.clock() - fileLifetime - hours(2));
  return { abandoned, unknown };
}

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
