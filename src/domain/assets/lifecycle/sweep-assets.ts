import { hours } from "#lib/clock.ts";
import type { Deps } from "../../deps.ts";
import { runInBatches, type BatchOptions } from "../../housekeeping/batches.ts";
import type { Asset } from "../model/asset.ts";
import { fileKeyForThumbnail, parseKeyAssetId, storageAreas, type StorageArea } from "../model/storage-keys.ts";
import { removeAssets } from "./delete-files.ts";

/** Rows or keys a step: few enough that a request that waits for it does not notice. */
const batchSize = 100;
/** How long after its address expired an upload can still be attached. */
const graceAfterExpiry = hours(1);
/** A file that belongs to nobody is not touched before; whoever is writing it has ended by then. */
const orphanAge = hours(1);

export interface SweepResult {
  /** Pending records that nobody confirmed. */
  expired: number;
  /** Files whose key was noted when they came to belong to nobody. */
  strays: number;
  /** Files that lay in the store with no asset to them. */
  orphans: number;
  /** What the store itself had left over. */
  temporary: number;
}

type Needs = Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "clock">;
export type AssetSweeper = (options: BatchOptions) => Promise<SweepResult>;

/**
 * Takes away what belongs to no asset, and never anything that does. Safe because of an order that holds everywhere:
 * a key is in a record, or noted as stray, before bytes come to it; a record goes before its bytes; and once a key
 * was given up, no record can take it. So bytes without a record never become live.
 */
export function createAssetSweeper(deps: Needs): AssetSweeper {
  // Where the walk over the store was left: a run goes on from there, and begins again when it came to the end.
  const lastKeyByArea = new Map<StorageArea, string>();
  return async (options) => {
    const expired = await runInBatches(options, batchSize, () => sweepExpired(deps));
    const strays = await runInBatches(options, batchSize, () => sweepStrays(deps));
    let orphans = 0;
    for (const area of storageAreas) {
      await runInBatches(options, batchSize, async () => {
        const { looked, removed, last } = await sweepOrphans(deps, area, lastKeyByArea.get(area));
        orphans += removed;
        if (last === undefined || looked < batchSize) lastKeyByArea.delete(area);
        else lastKeyByArea.set(area, last);
        return looked;
      });
    }
    const temporary = (await deps.files.sweepTempFiles?.(deps.clock() - orphanAge)) ?? 0;
    return { expired, strays, orphans, temporary };
  };
}

async function sweepExpired(deps: Needs): Promise<number> {
  const expired = await deps.assets.listExpired(deps.clock() - graceAfterExpiry, batchSize);
  await removeAssets(deps, expired);
  return expired.length;
}

async function sweepStrays(deps: Needs): Promise<number> {
  const keys = await deps.transact((tx) => tx.strayFiles.markDueForDeletion(deps.clock(), batchSize));
  await discardKeys(deps, keys);
  return keys.length;
}

/** Doomed first: whoever wrote to one of these keys and slept ever since cannot make an asset of it any more. */
async function discardKeys(deps: Needs, keys: readonly string[]): Promise<void> {
  await deps.strayFiles.markForDeletion(keys, deps.clock());
  for (const key of keys) await deps.files.remove(key);
  await deps.strayFiles.deleteRecords(keys);
}

async function sweepOrphans(
  deps: Needs,
  area: StorageArea,
  after: string | undefined,
): Promise<{ looked: number; removed: number; last: string | undefined }> {
  const listedFiles = await deps.files.list(area, { limit: batchSize, ...(after === undefined ? {} : { after }) });
  const oldFiles = listedFiles.filter(({ modifiedAt }) => modifiedAt <= deps.clock() - orphanAge);
  // Looked up after the listing: what has no record now had none when it was listed, or lost it since.
  const ids = new Set(oldFiles.flatMap(({ key }) => parseKeyAssetId(key) ?? []));
  const records = new Map((await deps.assets.findForSweep([...ids])).map((asset) => [asset.id, asset]));
  const orphans = oldFiles.filter(({ key }) => {
    const asset = records.get(parseKeyAssetId(key) ?? "");
    if (area === "incoming/") return asset?.status !== "pending";
    return asset?.storageKey !== (area === "thumbs/" ? fileKeyForThumbnail(key) : key);
  });
  await discardKeys(
    deps,
    orphans.map(({ key }) => key),
  );
  return { looked: listedFiles.length, removed: orphans.length, last: listedFiles.at(-1)?.key };
}

/** So few a run that a store that charges for looking does not notice. */
const lostFileBatchSize = 100;

export type LostFile = Pick<Asset, "id" | "studioId" | "storageKey">;

/**
 * Each run looks at the next few ready assets, round and round, and answers those whose bytes are gone or are
 * others: a store that lost something, or was restored from an older copy. It mends nothing: only a backup can.
 */
export function createLostFileFinder(deps: Pick<Deps, "assets" | "files">): () => Promise<LostFile[]> {
  let lastCheckedId = "";
  return async () => {
    const next = await deps.assets.listStored(lastCheckedId, lostFileBatchSize);
    lastCheckedId = next.length < lostFileBatchSize ? "" : (next.at(-1)?.id ?? "");
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
