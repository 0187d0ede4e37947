import { hours } from "#lib/clock.ts";
import type { Deps, Stores } from "../../deps.ts";
import { undefinedOnConflict, ConflictError } from "../../conflict.ts";
import { isReady, isUploading, type Asset } from "../model/asset.ts";
import type { MultipartFile } from "../model/file-store.ts";
import { incomingKey, thumbnailKey } from "../model/storage-keys.ts";

/** Longer than any write that is still in progress when its key is marked for deletion. */
export const lateWriteGrace = hours(1);

/** The files of deleted assets that no other asset uses. */
export interface UnusedFiles {
  keysToDelete: string[];
  /** Deleted again after `lateWriteGrace`, because a write in progress may still create them. */
  keysToDeleteTwice: string[];
  multipartUploads: Pick<MultipartFile, "key" | "id">[];
}

/**
 * Deletes the records of a studio's assets, marks the files that no other asset uses for deletion, refunds their bytes
 * and releases positions on posts, all in `tx`. Returns these files, to be removed after the commit. Throws
 * `ConflictError` if an asset has changed since it was read.
 */
export async function deleteAssetRecords(
  deps: Pick<Deps, "clock">,
  tx: Stores,
  assets: readonly Asset[],
): Promise<UnusedFiles> {
  for (const asset of assets) {
    if (asset.postId !== null) await tx.posts.releasePosition(asset.studioId, asset.postId);
    if (!(await tx.assets.remove(asset))) throw new ConflictError();
  }
  const lastAssets = await releaseSharedFiles(tx, assets);
  const refundedBytes = lastAssets.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0);
  if (lastAssets[0] && refundedBytes > 0) await tx.assets.charge(lastAssets[0].studioId, -refundedBytes, undefined);
  const unusedFiles = listUnusedFiles(lastAssets);
  await markForDeletion(deps, tx, unusedFiles);
  return unusedFiles;
}

/**
 * Records that these assets no longer use their files, and returns the assets whose file no other asset uses. All calls
 * go through the files in the order of their keys, to avoid deadlocks.
 */
export async function releaseSharedFiles(tx: Pick<Stores, "sharedFiles">, assets: readonly Asset[]): Promise<Asset[]> {
  const readyAssets = assets.filter(isReady).toSorted((a, b) => (a.storageKey < b.storageKey ? -1 : 1));
  const lastAssets: Asset[] = assets.filter((asset) => !isReady(asset));
  for (const asset of readyAssets)
    if (await tx.sharedFiles.decrementAssetCount(asset.storageKey)) lastAssets.push(asset);
  return lastAssets;
}

/** All files of these assets. No other asset may use them. */
export function listUnusedFiles(assets: readonly Asset[]): UnusedFiles {
  const pendingAssets = assets.filter((asset) => !isReady(asset));
  const fileKeys = [...new Set(assets.filter(isReady).map(({ storageKey }) => storageKey))];
  return {
    keysToDelete: [...pendingAssets.map(({ id }) => incomingKey(id)), ...fileKeys],
    keysToDeleteTwice: [...pendingAssets.flatMap(({ storageKey }) => storageKey ?? []), ...fileKeys.map(thumbnailKey)],
    multipartUploads: assets
      .filter(isUploading)
      .map(({ storageKey, sourceVersion }) => ({ key: storageKey, id: sourceVersion })),
  };
}

export async function markForDeletion(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "strayFiles">,
  { keysToDelete, keysToDeleteTwice }: UnusedFiles,
): Promise<void> {
  const now = deps.clock();
  await tx.strayFiles.markForDeletion(keysToDelete, now);
  await tx.strayFiles.markForDeletion(keysToDeleteTwice, now + lateWriteGrace);
}

/** Deletes assets, each in its own transaction, and their files. Skips assets that changed since they were read. */
export async function removeAssets(
  deps: Pick<Deps, "files" | "strayFiles" | "transact" | "clock">,
  assets: readonly Asset[],
): Promise<void> {
  for (const asset of assets) {
    const unusedFiles = await deps
      .transact({ job: "remove assets" }, (tx) => deleteAssetRecords(deps, tx, [asset]))
      .catch(undefinedOnConflict);
    if (unusedFiles) await removeFiles(deps, unusedFiles);
  }
}

/**
 * Removes files that `deleteAssetRecords` returned. The sweeper retries failures, and removes `keysToDeleteTwice` once
 * more in case a write was still in progress.
 */
export async function removeFiles(
  deps: Pick<Deps, "files" | "strayFiles">,
  { keysToDelete, keysToDeleteTwice, multipartUploads }: UnusedFiles,
): Promise<void> {
  try {
    for (const upload of multipartUploads) await deps.files.parts.abort(upload);
    await Promise.all([...keysToDelete, ...keysToDeleteTwice].map((key) => deps.files.remove(key)));
    await deps.strayFiles.deleteRecords(keysToDelete);
  } catch {
    // The keys are marked for deletion, so the sweeper removes the bytes.
  }
}
