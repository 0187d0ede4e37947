import { hours } from "#lib/clock.ts";
import { removeAssets } from "../assets/removal.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "../housekeeping/batches.ts";
import { fileLifetime } from "./link.ts";

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
