import { days, hours, minutes } from "#lib/clock.ts";
import type { Asset } from "../model/asset.ts";
import { parseKeyAssetId, type StorageArea, storageAreas, toFileKey } from "../model/storage-keys.ts";
import type { Deps } from "../ports/deps.ts";
import type { FileStore } from "../ports/file-store.ts";
import { removeAssets } from "../steps/delete-files.ts";
import { type BatchOptions, isolateStudios, runInBatches, type StudioIsolation } from "../steps/run-in-batches.ts";
import { countReceivedBytes, idleLimit, partUrlLifetime } from "../uploads/reserve-parts.ts";
import { maxUploadDuration } from "../uploads/upload-link.ts";

/** Rows or keys per batch: small enough not to delay concurrent requests. */
const batchSize = 100;
/** An upload can still be attached this long after its URL has expired. */
const graceAfterExpiry = hours(1);
/** Younger orphans are kept, because their writer may not have finished. */
const orphanAge = hours(1);
/** Renditions and previews are removed this long after they were created; most are used once. */
const renditionLifetime = days(7);

/** How much was deleted, as logged. */
export interface SweepResult {
  /** Pending assets that were never confirmed. */
  expired: number;
  /** Files whose keys were reserved or marked for deletion. */
  strays: number;
  /** Files in the store without an asset, and old renditions and previews. */
  orphans: number;
  /** The store's own temp files. */
  temporary: number;
}

type SweepDeps = Pick<Deps, "assets" | "sharedFiles" | "strayFiles" | "transact" | "files" | "clock">;
type ListedFile = Awaited<ReturnType<FileStore["list"]>>[number];
export type AssetSweeper = (options: BatchOptions) => Promise<SweepResult>;

/**
 * Deletes expired uploads and files without an asset. This is safe because all code follows the same order: a key is
 * recorded, in an asset or as a stray, before bytes are written to it; a record is deleted before its bytes; and no
 * asset can claim a key that was marked for deletion. Only an existing asset can be copied. So bytes without a record
 * never become an asset's file. If an upload can't be deleted, continues with everything else and then throws the error.
 */
export function createAssetSweeper(deps: SweepDeps): AssetSweeper {
  // Each run continues listing the store where the last one stopped, and starts over at the end.
  const lastKeyByArea = new Map<StorageArea, string>();
  return async (options) => {
    const isolation = isolateStudios();
    const expiredCount = await runInBatches(options, batchSize, () => sweepExpired(deps, isolation));
    const strayCount = await runInBatches(options, batchSize, () => sweepStrays(deps));
    let orphanCount = 0;
    for (const area of storageAreas) {
      await runInBatches(options, batchSize, async () => {
        const { listedCount, removedCount, lastKey } = await sweepOrphans(deps, area, lastKeyByArea.get(area));
        orphanCount += removedCount;
        if (lastKey === undefined || listedCount < batchSize) lastKeyByArea.delete(area);
        else lastKeyByArea.set(area, lastKey);
        return listedCount;
      });
    }
    const tempFileCount = (await deps.files.sweepTempFiles?.(deps.clock() - orphanAge)) ?? 0;
    isolation.throwFirstError();
    return { expired: expiredCount, strays: strayCount, orphans: orphanCount, temporary: tempFileCount };
  };
}

async function sweepExpired(deps: SweepDeps, { listFailedStudios, processEach }: StudioIsolation): Promise<number> {
  const expiredAssets = await deps.assets.listExpired(deps.clock() - graceAfterExpiry, listFailedStudios(), batchSize);
  return processEach(expiredAssets, (asset) => removeAssets(deps, [asset]));
}

async function sweepStrays(deps: SweepDeps): Promise<number> {
  const keys = await deps.transact({ job: "sweep assets" }, (tx) =>
    tx.strayFiles.markDueKeysForDeletion(deps.clock(), batchSize),
  );
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
): Promise<{ listedCount: number; removedCount: number; lastKey: string | undefined }> {
  const listedFiles = await deps.files.list(area, { limit: batchSize, ...(after === undefined ? {} : { after }) });
  const oldFiles = listedFiles.filter(({ modifiedAt }) => modifiedAt <= deps.clock() - orphanAge);
  // Find the records after listing the files, so that an asset created in between protects its file.
  const orphans =
    area === "files/" || area === "thumbs/"
      ? await findUnusedFiles(deps, oldFiles)
      : await findFilesWithoutAsset(deps, area, oldFiles);
  await discardKeys(
    deps,
    orphans.map(({ key }) => key),
  );
  return { listedCount: listedFiles.length, removedCount: orphans.length, lastKey: listedFiles.at(-1)?.key };
}

/** Files that no asset uses. Ignores the id in the key, because a copy can outlive the asset that the key names. */
async function findUnusedFiles(deps: SweepDeps, files: readonly ListedFile[]): Promise<ListedFile[]> {
  const usedKeys = new Set(await deps.sharedFiles.listUsedKeys(files.map(({ key }) => toFileKey(key))));
  return files.filter(({ key }) => !usedKeys.has(toFileKey(key)));
}

/** Incoming files, renditions and previews belong to the one asset that their key names. */
async function findFilesWithoutAsset(
  deps: SweepDeps,
  area: "incoming/" | "renditions/" | "previews/",
  files: readonly ListedFile[],
): Promise<ListedFile[]> {
  const ids = new Set(files.flatMap(({ key }) => parseKeyAssetId(key) ?? []));
  const records = new Map((await deps.assets.findInAllStudios([...ids])).map((asset) => [asset.id, asset]));
  return files.filter(({ key, modifiedAt }) => {
    const asset = records.get(parseKeyAssetId(key) ?? "");
    if (area === "incoming/") return asset?.status !== "pending";
    return asset?.status !== "ready" || modifiedAt <= deps.clock() - renditionLifetime;
  });
}

/** Assets per run; few, because some stores charge per request. */
const lostFileBatchSize = 100;

export type LostFile = Pick<Asset, "id" | "studioId" | "storageKey">;

/**
 * Each run checks the next ready assets, starting over at the end, and returns the assets whose bytes are missing or
 * changed, for example because the store was restored from an older backup. It does not repair them: only the operator
 * can, with a backup.
 */
export function createLostFileFinder(deps: Pick<Deps, "assets" | "files">): () => Promise<LostFile[]> {
  let lastCheckedId = "";
  return async () => {
    const nextAssets = await deps.assets.listStored(lastCheckedId, lostFileBatchSize);
    lastCheckedId = nextAssets.length < lostFileBatchSize ? "" : (nextAssets.at(-1)?.id ?? "");
    const isLostByKey = new Map<string, boolean>();
    for (const { storageKey, bytes, version } of nextAssets) {
      if (storageKey === null || isLostByKey.has(storageKey)) continue;
      const storedFile = await deps.files.stat(storageKey);
      isLostByKey.set(storageKey, storedFile?.bytes !== bytes || storedFile.version !== version);
    }
    const suspects = nextAssets
      .filter(({ storageKey }) => isLostByKey.get(storageKey ?? "") === true)
      .map(({ id, studioId, storageKey }) => ({ id, studioId, storageKey }));
    // Ignore assets that were deleted during the check.
    const records = await deps.assets.findInAllStudios(suspects.map(({ id }) => id));
    const liveIds = new Set(records.map(({ id }) => id));
    return suspects.filter(({ id }) => liveIds.has(id));
  };
}

/**
 * Deletes uploads of links that are no longer valid, to release their positions, and aborts multipart uploads without a
 * record. `createAssetSweeper` deletes uploads that did not finish within 24 hours. If an upload can't be deleted,
 * continues with those of other studios and then throws the error.
 */
export async function sweepUploads(
  deps: Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "clock">,
  options: BatchOptions,
): Promise<{ abandoned: number; unknown: number }> {
  const { processEach, throwFirstError } = isolateStudios();
  let lastId = "";
  const abandoned = await runInBatches(options, batchSize, async () => {
    const assets = await deps.uploads.listAbandoned(lastId, batchSize);
    lastId = assets.at(-1)?.id ?? lastId;
    return processEach(assets, (asset) => removeAssets(deps, [asset]));
  });
  // No record of an upload is this old, so only uploads without a record are aborted.
  const unknown = await deps.files.parts.sweep(deps.clock() - maxUploadDuration - hours(2));
  throwFirstError();
  return { abandoned, unknown };
}

/**
 * Counts the received bytes of uploading files and releases the reservations of idle ones. A released file is still
 * counted while its part URLs are valid.
 */
export async function releaseIdleUploads(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "clock" | "limits">,
  options: BatchOptions,
): Promise<void> {
  if (deps.limits.studioBytes === undefined) return;
  await runInBatches(options, batchSize, async () => {
    const now = deps.clock();
    const files = await deps.uploads.listDueForCounting({
      countedBefore: now - minutes(1),
      activeSince: now - idleLimit - partUrlLifetime - minutes(5),
      limit: batchSize,
    });
    for (const file of files) await countReceivedBytes(deps, file);
    return files.length;
  });
}
