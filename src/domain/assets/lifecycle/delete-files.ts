import { hours } from "#lib/clock.ts";
import type { Deps, Stores } from "../../deps.ts";
import { undefinedOnConflict, ConflictError } from "../../conflict.ts";
import { isUploading, type Asset } from "../model/asset.ts";
import { incomingKey, thumbnailKey } from "../model/storage-keys.ts";

/** Until whoever is still writing to a key that was given up has surely ended. */
export const lateWriteGrace = hours(1);

/**
 * Takes an asset's record away and dooms its files, all in the transaction it is given. Overtaken where the asset is
 * not what it was when it was read. Its place on a post, if it has one, is freed.
 */
export async function deleteRecord(deps: Pick<Deps, "clock">, tx: Stores, asset: Asset): Promise<void> {
  const now = deps.clock();
  if (asset.postId !== null) await tx.posts.releasePosition(asset.studioId, asset.postId, now);
  if (!(await tx.assets.remove(asset))) throw new ConflictError();
  if (asset.chargedBytes > 0) await tx.assets.charge(asset.studioId, -asset.chargedBytes, undefined);
  await markFilesForDeletion(deps, tx, [asset]);
}

/** Notes that these files belong to nobody from now on. */
export async function markFilesForDeletion(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "strayFiles">,
  assets: readonly Asset[],
): Promise<void> {
  const fileKeys = assets.map(listFileKeys);
  const now = deps.clock();
  await tx.strayFiles.markForDeletion(
    fileKeys.flatMap((keys) => keys.now),
    now,
  );
  await tx.strayFiles.markForDeletion(
    fileKeys.flatMap((keys) => keys.later),
    now + lateWriteGrace,
  );
}

/** Which keys of an asset can be emptied at once, and which someone may still be writing to. */
function listFileKeys({ id, status, storageKey }: Asset): { now: string[]; later: string[] } {
  if (status === "pending") return { now: [incomingKey(id)], later: storageKey === null ? [] : [storageKey] };
  return storageKey === null ? { now: [], later: [] } : { now: [storageKey], later: [thumbnailKey(storageKey)] };
}

/** Takes assets away with all that is theirs, each in a transaction of its own; one that has changed since it was read stays. */
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
 * Removes the files of an asset whose record is gone. What fails here is tried again by the sweeper, which has the
 * keys; so does what may come back, because someone was still writing.
 */
export async function removeFiles(deps: Pick<Deps, "files" | "strayFiles">, asset: Asset): Promise<void> {
  const { now, later } = listFileKeys(asset);
  try {
    if (isUploading(asset)) await deps.files.parts.abort({ key: asset.storageKey, id: asset.sourceVersion });
    await Promise.all([...now, ...later].map((key) => deps.files.remove(key)));
    await deps.strayFiles.deleteRecords(now);
  } catch {
    // Not the caller's to know: the asset is gone, and its bytes will be.
  }
}
