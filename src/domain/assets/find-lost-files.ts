import type { Deps } from "../deps.ts";
import type { Asset } from "./asset.ts";

/** So few a run that a store that charges for looking does not notice. */
const batch = 100;

export type LostFile = Pick<Asset, "id" | "studioId" | "storageKey">;

/**
 * Each run looks at the next few ready assets, round and round, and answers those whose bytes are gone or are
 * others: a store that lost something, or was restored from an older copy. It mends nothing: only a backup can.
 */
export function createLostFileSearch(deps: Pick<Deps, "assets" | "files">): () => Promise<LostFile[]> {
  let reached = "";
  return async () => {
    const next = await deps.assets.listStored(reached, batch);
    reached = next.length < batch ? "" : (next.at(-1)?.id ?? "");
    const suspects: LostFile[] = [];
    for (const { bytes, version, ...asset } of next) {
      const stored = await deps.files.stat(asset.storageKey ?? "");
      if (stored?.bytes !== bytes || stored.version !== version) suspects.push(asset);
    }
    // Deleted while we looked: then its bytes are rightly gone.
    const records = await deps.assets.findForSweep(suspects.map(({ id }) => id));
    const live = new Set(records.map(({ storageKey }) => storageKey));
    return suspects.filter(({ storageKey }) => live.has(storageKey));
  };
}
