import { hours } from "#lib/clock.ts";
import type { Deps, Stores } from "../../deps.ts";
import { undefinedOnConflict, ConflictError } from "../../conflict.ts";
import { isUploading, type Asset } from "../model/asset.ts";
import { incomingKey, thumbnailKey } from "../model/storage-keys.ts";

/** Longer than any write that is still in progress when its key is marked for deletion. */
export const lateWriteGrace = hours(1);

/**
 * Deletes an asset's record, marks its files for deletion and releases its position on a post, all in `tx`. Throws
 * `ConflictError` if the asset has changed since it was read.
 */
export async function deleteRecord(deps: Pick<Deps, "clock">, tx: Stores, asset: Asset): Promise<void> {
  if (asset.postId !== null) await tx.posts.releasePosition(asset.studioId, asset.postId);
  if (!(await tx.assets.remove(asset))) throw new ConflictError();
  if (asset.chargedBytes > 0) await tx.assets.charge(asset.studioId, -asset.chargedBytes, undefined);
  await markFilesForDeletion(deps, tx, [asset]);
}

export async function markFilesForDeletion(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "strayFiles">,
  assets: readonly Asset[],
): Promise<void> {
  const fileKeys = assets.map(listFileKeys);
  const now = deps.clock();
  await tx.strayFiles.markForDeletion(
    fileKeys.flatMap((keys) => keys.deletableNow),
    now,
  );
  await tx.strayFiles.markForDeletion(
    fileKeys.flatMap((keys) => keys.deletableLater),
    now + lateWriteGrace,
  );
}

/** The keys of an asset that can be deleted now, and those that a write in progress may still create. */
function listFileKeys({ id, status, storageKey }: Asset): { deletableNow: string[]; deletableLater: string[] } {
  if (status === "pending")
    return { deletableNow: [incomingKey(id)], deletableLater: storageKey === null ? [] : [storageKey] };
  return storageKey === null
    ? { deletableNow: [], deletableLater: [] }
    : { deletableNow: [storageKey], deletableLater: [thumbnailKey(storageKey)] };
}

/** Deletes assets with their files, each in its own transaction. Skips assets that changed since they were read. */
export async function removeAssets(
  deps: Pick<Deps, "files" | "strayFiles" | "transact" | "clock">,
  assets: readonly Asset[],
): Promise<void> {
  for (const asset of assets) {
    const wasRemoved = await deps
      .transact(async (tx) => {
        await deleteRecord(deps, tx, asset);
        return true;
      })
      .catch(undefinedOnConflict);
    if (wasRemoved) await removeFiles(deps, asset);
  }
}

/**
 * Removes the files of a deleted asset. The sweeper retries failures, and removes the `deletableLater` keys once more
 * in case a write was still in progress.
 */
export async function removeFiles(deps: Pick<Deps, "files" | "strayFiles">, asset: Asset): Promise<void> {
  const { deletableNow, deletableLater } = listFileKeys(asset);
  try {
    if (isUploading(asset)) await deps.files.parts.abort({ key: asset.storageKey, id: asset.sourceVersion });
    await Promise.all([...deletableNow, ...deletableLater].map((key) => deps.files.remove(key)));
    await deps.strayFiles.deleteRecords(deletableNow);
  } catch {
    // The asset is deleted and its keys are recorded: the sweeper removes the bytes.
  }
}
