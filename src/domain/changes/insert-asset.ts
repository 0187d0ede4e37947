import { AppError } from "#lib/errors.ts";
import { type ChangeActivity, recordChange } from "./record-activity.ts";
import { type Asset, isReady, type ReadyAsset } from "../model/asset.ts";
import type { Caller } from "../caller.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { ChangeDeps } from "./editor.ts";
import { chargeStudio, reservePosition } from "./writes/asset-rows.ts";
import { writes } from "../ports/write-stores.ts";

/**
 * Stores a new asset and charges its bytes to the studio. A pending upload to a post reserves its position there. The
 * bytes of a ready asset are already at a reserved key.
 */
export async function insertAsset(
  deps: ChangeDeps,
  tx: Tx,
  caller: Caller,
  asset: Asset,
  activity: ChangeActivity,
): Promise<Asset> {
  if (isReady(asset) && !(await tx.strayFiles.claimForAsset(asset.storageKey)))
    throw new AppError("storage_unavailable:slow");
  const position = asset.postId === null ? null : await reservePosition({ deps, tx }, asset, asset.postId);
  const newAsset = { ...asset, position };
  await tx[writes].assets.insert(newAsset);
  await chargeStudio({ deps, tx }, asset.studioId, asset.chargedBytes);
  await recordChange(deps, tx, caller, asset.id, activity);
  return newAsset;
}

/** Stores a copy, which shares the file of the original. Undefined if the original is not ready, or is in the trash. */
export async function insertCopy(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  originalId: string,
  buildCopy: (original: ReadyAsset) => Asset,
): Promise<Asset | undefined> {
  const original = await tx[writes].sharedFiles.lockAsset(caller.studio.id, originalId);
  if (!original) return undefined;
  const copy = buildCopy(original);
  await tx[writes].sharedFiles.incrementAssetCount(original);
  await tx[writes].assets.insert(copy);
  await tx.imageInspections.copy(originalId, copy.id);
  const detail = { filename: copy.filename, originalId };
  await recordChange(deps, tx, caller, copy.id, { action: "asset.copied", detail });
  return copy;
}

/** Changes how many bytes are charged for an upload. Throws `ConflictError` if the upload changed since it was read. */
export async function changeCharge(
  deps: Pick<Deps, "limits">,
  tx: Tx,
  { id, studioId, chargedBytes }: Asset,
  newChargedBytes: number,
): Promise<void> {
  if (!(await tx[writes].assets.changeCharge(id, chargedBytes, newChargedBytes))) throw new ConflictError();
  await chargeStudio({ deps, tx }, studioId, newChargedBytes - chargedBytes);
}
