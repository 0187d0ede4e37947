import { type ChangeActivity, recordChange } from "./record-activity.ts";
import { type Asset, getMultipartUpload, isReady, isUploading } from "../model/asset.ts";
import type { MultipartFile } from "../ports/file-store.ts";
import { incomingKey, lateWriteGrace, thumbnailKey } from "../model/storage-keys.ts";
import type { Caller } from "../caller.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { type ContentTable, contentTables } from "../ports/studios.ts";
import type { TimePosition } from "../model/page.ts";
import { writes } from "../ports/write-stores.ts";

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
export async function deleteAssets(deps: Pick<Deps, "clock">, tx: Tx, assets: readonly Asset[]): Promise<UnusedFiles> {
  for (const asset of assets) {
    if (asset.postId !== null) await tx[writes].posts.releasePosition(asset.studioId, asset.postId);
    if (!(await tx[writes].assets.remove(asset))) throw new ConflictError();
  }
  const lastAssets = await releaseSharedFiles(tx, assets);
  const refundedBytes = lastAssets.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0);
  if (lastAssets[0] && refundedBytes > 0)
    await tx[writes].assets.charge(lastAssets[0].studioId, -refundedBytes, undefined);
  return markUnusedFiles(deps, tx, lastAssets);
}

/** `deleteAssets` for a pending asset that a caller deletes, or whose file is rejected. */
export async function deletePendingAsset(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  asset: Asset,
  activity: ChangeActivity,
): Promise<UnusedFiles> {
  const unusedFiles = await deleteAssets(deps, tx, [asset]);
  await recordChange(deps, tx, caller, asset.id, activity);
  return unusedFiles;
}

export interface DeletedBatch {
  /** The last id that was read; undefined if the table has no more rows of the studio. */
  lastId: string | undefined;
  /** The deleted assets whose files no other asset uses. */
  assets: Asset[];
}

/** Makes items in a studio's trash expire, those that were there at `now`; returns how many. */
export async function expireTrash(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  items: readonly TimePosition[],
  now: number,
): Promise<number> {
  const expiredCount = await tx[writes].trash.expire(items, now);
  const detail = { items: expiredCount };
  if (expiredCount > 0) await recordChange(deps, tx, caller, caller.studio.id, { action: "trash.emptied", detail });
  return expiredCount;
}

/**
 * Deletes a post that has expired in the trash, with its history and its assets, and returns their files. Deletes only
 * details and returns undefined if there are more than `maxDetails`. Throws `ConflictError` if the post was restored.
 */
export async function deleteExpiredPost(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  postId: string,
  maxDetails: number,
): Promise<UnusedFiles | undefined> {
  if (!(await tx[writes].posts.lockExpired(postId, deps.clock()))) throw new ConflictError();
  if (!(await tx[writes].studioContent.deletePostDetails([postId], maxDetails))) return undefined;
  const unusedFiles = await deleteAssets(deps, tx, await tx.assets.listByPosts([postId]));
  await tx[writes].posts.remove(postId);
  return unusedFiles;
}

/** Deletes the next rows of a deleted studio, with short transactions: at most `limit` rows and `maxDetails` of a post. */
export async function deleteStudioContent(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  studioId: string,
  { table, after, limit, maxDetails }: { table: ContentTable; after: string; limit: number; maxDetails: number },
): Promise<DeletedBatch> {
  const { studioContent } = tx[writes];
  const ids = await studioContent.listIds(table, studioId, after, limit);
  const lastId = ids.at(-1);
  if (lastId === undefined) return { lastId, assets: [] };
  if (table === "assets") {
    const lastAssets = await releaseSharedFiles(tx, await studioContent.deleteAssets(ids));
    // The sweeper removes the files that the caller does not.
    await markUnusedFiles(deps, tx, lastAssets);
    return { lastId, assets: lastAssets };
  }
  if (table === "posts" && !(await studioContent.deletePostDetails(ids, maxDetails)))
    // The next batch continues with the same posts.
    return { lastId: after, assets: [] };
  await studioContent.deleteRows(table, ids);
  return { lastId, assets: [] };
}

/** Whether a studio still has content. */
export async function hasStudioContent(tx: Tx, studioId: string): Promise<boolean> {
  for (const table of contentTables)
    if ((await tx[writes].studioContent.listIds(table, studioId, "", 1)).length > 0) return true;
  return false;
}

/**
 * Records that these assets no longer use their files, and returns the assets whose file no other asset uses. All calls
 * go through the files in the order of their keys, to avoid deadlocks.
 */
async function releaseSharedFiles(tx: Tx, assets: readonly Asset[]): Promise<Asset[]> {
  const readyAssets = assets.filter(isReady).toSorted((a, b) => (a.storageKey < b.storageKey ? -1 : 1));
  const lastAssets: Asset[] = assets.filter((asset) => !isReady(asset));
  for (const asset of readyAssets)
    if (await tx[writes].sharedFiles.decrementAssetCount(asset.storageKey)) lastAssets.push(asset);
  return lastAssets;
}

/** All files of these assets. No other asset may use them. */
export function listUnusedFiles(assets: readonly Asset[]): UnusedFiles {
  const pendingAssets = assets.filter((asset) => !isReady(asset));
  const fileKeys = [...new Set(assets.filter(isReady).map(({ storageKey }) => storageKey))];
  return {
    keysToDelete: [...pendingAssets.map(({ id }) => incomingKey(id)), ...fileKeys],
    keysToDeleteTwice: [...pendingAssets.flatMap(({ storageKey }) => storageKey ?? []), ...fileKeys.map(thumbnailKey)],
    multipartUploads: assets.filter(isUploading).map(getMultipartUpload),
  };
}

async function markUnusedFiles(deps: Pick<Deps, "clock">, tx: Tx, assets: readonly Asset[]): Promise<UnusedFiles> {
  const unusedFiles = listUnusedFiles(assets);
  const now = deps.clock();
  await tx.strayFiles.markForDeletion(unusedFiles.keysToDelete, now);
  await tx.strayFiles.markForDeletion(unusedFiles.keysToDeleteTwice, now + lateWriteGrace);
  return unusedFiles;
}
