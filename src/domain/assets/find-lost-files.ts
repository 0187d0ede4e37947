import type { Deps } from "../deps.ts";
import type { Asset } from "./asset.ts";

/** So few a run that a store that charges for looking does not notice. */
const batchSize = 100;

export type LostFile = Pick<Asset, "id" | "studioId" | "storageKey">;

/**
 * Each run looks at the next few ready assets, round and round, and answers those whose bytes are gone or are
 * others: a store that lost something, or was restored from an older copy. It mends nothing: only a backup can.
 */
export function createLostFileFinder(deps: Pick<Deps, "assets" | "files">): () => Promise<LostFile[]> {
  let lastCheckedId = "";
  return async () => {
    const next = await deps.assets.listStored(lastCheckedId, batchSize);
    lastCheckedId = next.length < batchSize ? "" : (next.at(-1)?.id ?? "");
    const suspects: LostFile[] = [];
    for (const { bytes, version, ...asset } of next) {
      const storedFile = await deps.files.stat(asset.storageKey ?? "");
      if (storedFile?.bytes !== bytes || storedFile.version !== version) suspects.push(asset);
    }
    // Deleted while we looked: then its bytes are rightly gone.
    const records = await deps.assets.findForSweep(suspects.map(({ id }) => id));
    const liveKeys = new Set(records.map(({ storageKey }) => storageKey));
    return suspects.filter(({ storageKey }) => liveKeys.has(storageKey));
  };
}
