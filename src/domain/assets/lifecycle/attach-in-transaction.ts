import { recordActivity } from "../../activity/record.ts";
import type { Caller } from "../../caller.ts";
import { ConflictError } from "../../conflict.ts";
import type { Deps, Tx } from "../../deps.ts";
import { recordRevision, startAssetsRevision } from "../../history/record.ts";
import type { Asset, ReadyAsset } from "../model/asset.ts";
import { recordMove } from "./change-asset.ts";
import { reservePosition, restorePosition } from "./positions.ts";

/**
 * Attaches a ready asset in the transaction `tx`, as the last one or, with `previousOrder`, where it was in that order.
 * Throws `ConflictError` if the post or the asset has changed.
 */
export async function attachInTransaction(
  deps: Pick<Deps, "limits" | "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  asset: Asset,
  postId: string,
  previousOrder?: readonly string[],
): Promise<ReadyAsset> {
  // Comes first because it locks the post, and throws if the post is full, before anything is written.
  const position = await reservePosition(deps, tx, asset, postId);
  await startAssetsRevision(deps, tx, asset.studioId, postId);
  const attachedAsset = await tx.assets.attach(asset.studioId, asset.id, { postId, position });
  if (!attachedAsset) throw new ConflictError();
  await recordMove(deps, tx, caller, attachedAsset, null);
  if (previousOrder) await restorePosition(tx, attachedAsset, postId, previousOrder);
  await recordRevision(deps, tx, caller, postId, { haveAssetsChanged: true });
  await recordActivity(deps, tx, caller, "asset.attached", asset.id, { postId, filename: asset.filename });
  return attachedAsset;
}
