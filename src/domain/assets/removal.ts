import { hours } from "#lib/clock.ts";
import type { Deps, Stores } from "../deps.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { isOnItsWay, type Asset } from "./asset.ts";
import { incomingKey, thumbnailKey } from "./keys.ts";

/** Until whoever is still writing to a key that was given up has surely ended. */
export const lateWrites = hours(1);

/**
 * Takes an asset's record away and dooms its files, all in the transaction it is given. Overtaken where the asset is
 * not what it was when it was read. Its place on a post, if it has one, is freed.
 */
export async function removeRecord(deps: Pick<Deps, "clock">, tx: Stores, asset: Asset): Promise<void> {
  const now = deps.clock();
  if (asset.postId !== null) await tx.posts.freePlace(asset.studioId, asset.postId, now);
  if (!(await tx.assets.remove(asset))) throw new Overtaken();
  if (asset.chargedBytes > 0) await tx.assets.charge(asset.studioId, -asset.chargedBytes, undefined);
  await doomFiles(deps, tx, [asset]);
}

/** Notes that these files belong to nobody from now on. */
export async function doomFiles(
  deps: Pick<Deps, "clock">,
  tx: Pick<Stores, "strayFiles">,
  assets: readonly Asset[],
): Promise<void> {
  const files = assets.map(filesOf);
  const now = deps.clock();
  await tx.strayFiles.doom(
    files.flatMap((one) => one.now),
    now,
  );
  await tx.strayFiles.doom(
    files.flatMap((one) => one.later),
    now + lateWrites,
  );
}

/** Which keys of an asset can be emptied at once, and which someone may still be writing to. */
function filesOf({ id, status, storageKey }: Asset): { now: string[]; later: string[] } {
  if (status === "pending") return { now: [incomingKey(id)], later: storageKey === null ? [] : [storageKey] };
  return storageKey === null ? { now: [], later: [] } : { now: [storageKey], later: [thumbnailKey(storageKey)] };
}

/** Takes assets away with all that is theirs, each in a transaction of its own; one that has changed since it was read stays. */
export async function removeEach(
  deps: Pick<Deps, "files" | "strayFiles" | "transact" | "clock">,
  assets: readonly Asset[],
): Promise<void> {
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

/**
 * Removes the files of an asset whose record is gone. What fails here is tried again by the sweeper, which has the
 * keys; so does what may come back, because someone was still writing.
 */
export async function removeFiles(deps: Pick<Deps, "files" | "strayFiles">, asset: Asset): Promise<void> {
  const { now, later } = filesOf(asset);
  try {
    if (isOnItsWay(asset)) await deps.files.parts.abort({ key: asset.storageKey, id: asset.sourceVersion });
    await Promise.all([...now, ...later].map((key) => deps.files.remove(key)));
    await deps.strayFiles.forget(now);
  } catch {
    // Not the caller's to know: the asset is gone, and its bytes will be.
  }
}
