import { hours } from "#lib/clock.ts";
import type { Asset } from "../assets/asset.ts";
import { removeFiles, removeRecord } from "../assets/removal.ts";
import type { SweepOptions } from "../assets/sweep-assets.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken } from "../overtaken.ts";
import { fileLifetime } from "./link.ts";

const batch = 100;

type Needs = Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "clock">;

/**
 * Takes away files on their way through links that are dead, so that their places are free at once, and what the store
 * was told to begin and no record knows. Those that did not arrive within 24 hours the sweeper of assets finds.
 */
export async function sweepUploads(
  deps: Needs,
  { pause, isOver }: SweepOptions,
): Promise<{ abandoned: number; unknown: number }> {
  let abandoned = 0;
  for (let count = batch; count >= batch && !isOver(); await pause()) {
    const assets = await deps.uploads.listAbandoned(batch);
    await clearAbandoned(deps, assets);
    count = assets.length;
    abandoned += count;
  }
  // Later than any record lives, so that no file of a record is ever touched.
  const unknown = await deps.files.parts.sweep(deps.clock() - fileLifetime - hours(2));
  return { abandoned, unknown };
}

export async function clearAbandoned(deps: Omit<Needs, "uploads">, assets: readonly Asset[]): Promise<void> {
  for (const asset of assets) {
    const gone = await deps
      .transact(async (tx) => {
        await removeRecord(deps, tx, asset);
        return true;
      })
      .catch(ifOvertaken);
    if (gone) await removeFiles(deps, asset);
  }
}
