import { days, hours } from "#lib/clock.ts";
import type { Deps } from "../../deps.ts";
import { runInBatches, type BatchOptions } from "../../housekeeping/batches.ts";
import type { Asset } from "../model/asset.ts";
import { fileKeyForThumbnail, parseKeyAssetId, storageAreas, type StorageArea } from "../model/storage-keys.ts";
import { removeAssets } from "./delete-files.ts";

/** Rows or keys per batch: small enough not to delay concurrent requests. */
const batchSize = 100;
/** How long after its URL expired an upload can still be attached. */
const graceAfterExpiry = hours(1);
/** Younger orphans are kept, because their writer may not have finished. */
const orphanAge = hours(1);
/** Renditions are removed this long after they were created; most are used once. */
const renditionLifetime = days(7);

export interface SweepResult {
  /** Pending assets that were never confirmed. */
  expired: number;
  /** Files whose keys were reserved or marked for deletion. */
  strays: number;
  /** Files in the store without an asset, and old renditions. */
  orphans: number;
  /** The store's own temp files. */
  temporary: number;
}

type SweepDeps = Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "clock">;
export type AssetSweeper = (options: BatchOptions) => Promise<SweepResult>;

/**
 * Deletes expired uploads and files without an asset. This is safe because all code follows the same order: a key is
 * recorded, in an asset or as a stray, before bytes are written to it; a record is deleted before its bytes; and no
 * asset can claim a key that was marked for deletion. So bytes without a record never become an asset's file.
 */
export function createAssetSweeper(deps: SweepDeps): AssetSweeper {
  // Each run continues listing the store where the last one stopped, and starts over at the end.
  const lastKeyByArea = new Map<StorageArea, string>();
  return async (options) => {
    const expired = await runInBatches(options, batchSize, () => sweepExpired(deps));
    const strays = await runInBatches(options, batchSize, () => sweepStrays(deps));
    let orphans = 0;
    for (const area of storageAreas) {
      await runInBatches(options, batchSize, async () => {
        const { listed, removed, lastKey } = await sweepOrphans(deps, area, lastKeyByArea.get(area));
        orphans += removed;
        if (lastKey === undefined || listed < batchSize) lastKeyByArea.delete(area);
        else lastKeyByArea.set(area, lastKey);
        return listed;
      });
    }
    const temporary = (await deps.files.sweepTempFiles?.(deps.clock() - orphanAge)) ?? 0;
    return { expired, strays, orphans, temporary };
  };
}

async function sweepExpired(deps: SweepDeps): Promise<number> {
  const expiredAssets = await deps.assets.listExpired(deps.clock() - graceAfterExpiry, batchSize);
  await removeAssets(deps, expiredAssets);
  return expiredAssets.length;
}

async function sweepStrays(deps: SweepDeps): Promise<number> {
  const keys = await deps.transact((tx) => tx.strayFiles.markDueKeysForDeletion(deps.clock(), batchSize));
  await discardKeys(deps, keys);
  return keys.length;
}

/** Marks the keys first, so that a stalled upload to one of them can no longer claim it. */
async function discardKeys(deps: SweepDeps, keys: readonly string[]): Promise<void> {
  await deps.strayFiles.markForDeletion(keys, deps.clock());
  for (const key of keys) await deps.files.remove(key);
  await deps.strayFiles.deleteRecords(keys);
}

async function sweepOrphans(
  deps: SweepDeps,
  area: StorageArea,
  after: string | undefined,
): Promise<{ listed: number; removed: number; lastKey: string | undefined }> {
  const listedFiles = await deps.files.list(area, { limit: batchSize, ...(after === undefined ? {} : { after }) });
  const oldFiles = listedFiles.filter(({ modifiedAt }) => modifiedAt <= deps.clock() - orphanAge);
  // Find the records after listing the files, so that an asset created in between protects its file.
  const ids = new Set(oldFiles.flatMap(({ key }) => parseKeyAssetId(key) ?? []));
  const records = new Map((await deps.assets.findForSweep([...ids])).map((asset) => [asset.id, asset]));
  const orphans = oldFiles.filter(({ key, modifiedAt }) => {
    const asset = records.get(parseKeyAssetId(key) ?? "");
    if (area === "incoming/") return asset?.status !== "pending";
    if (area === "renditions/" || area === "previews/")
      return asset?.status !== "ready" || modifiedAt <= deps.clock() - renditionLifetime;
    return asset?.storageKey !== (area === "thumbs/" ? fileKeyForThumbnail(key) : key);
  });
  await discardKeys(
    deps,
    orphans.map(({ key }) => key),
  );
  return { listed: listedFiles.length, removed: orphans.length, lastKey: listedFiles.at(-1)?.key };
}

/** Assets per run: keeps the cost low with stores that charge per request. */
const lostFileBatchSize = 100;

export type LostFile = Pick<Asset, "id" | "studioId" | "storageKey">;

/**
 * Each run checks the next ready assets, starting over at the end, and returns those whose bytes are missing or
 * changed, for example because the store was restored from an older backup. It only reports: repair needs a backup.
 */
export function createLostFileFinder(deps: Pick<Deps, "assets" | "files">): () => Promise<LostFile[]> {
  let lastCheckedId = "";
  return async () => {
    const nextAssets = await deps.assets.listStored(lastCheckedId, lostFileBatchSize);
    lastCheckedId = nextAssets.length < lostFileBatchSize ? "" : (nextAssets.at(-1)?.id ?? "");
    const suspects: LostFile[] = [];
    for (const { bytes, version, ...asset } of nextAssets) {
      const storedFile = await deps.files.stat(asset.storageKey ?? "");
      if (storedFile?.bytes !== bytes || storedFile.version !== version) suspects.push(asset);
    }
    // Ignore assets that were deleted during the check.
    const records = await deps.assets.findForSweep(suspects.map(({ id }) => id));
    const liveKeys = new Set(records.map(({ storageKey }) => storageKey));
    return suspects.filter(({ storageKey }) => liveKeys.has(storageKey));
  };
}
