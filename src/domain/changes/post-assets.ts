import { AppError } from "#lib/errors.ts";
import { findInsertIndex } from "../assets/lifecycle/positions.ts";
import { isReady, type Asset, type ReadyAsset } from "../assets/model/asset.ts";
import type { AssetChange } from "../assets/ports.ts";
import { ConflictError } from "../conflict.ts";
import type { Deps, Tx } from "../deps.ts";
import type { EditedPost } from "./change-post.ts";
import type { Editor } from "./editor.ts";
import { recordMove, reservePosition, updateAsset } from "./writes/asset-rows.ts";
import { writes } from "./writes/write-stores.ts";

/**
 * Changes of a post's assets, as part of an edit: each takes the edited post. `changePost` has locked it, so no other call
 * can attach or detach assets meanwhile.
 */

/** Why an asset could not be attached to a post again. */
export const missingReasons = ["deleted", "on_another_post", "post_full"] as const;
export type MissingReason = (typeof missingReasons)[number];

export interface MissingAsset {
  id: string;
  reason: MissingReason;
}

/**
 * Sets the ready assets of a post to exactly these, in this order, restoring them from the trash if `withTrash`.
 * Uploading assets stay on the post, after the ready ones. Returns the assets that could not be attached.
 */
export async function setAssets(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Tx,
  editor: Editor,
  post: EditedPost,
  { assetIds, withTrash }: { assetIds: readonly string[]; withTrash: boolean },
): Promise<MissingAsset[]> {
  const currentAssets = await tx.assets.listByPosts([post.id]);
  for (const asset of currentAssets.filter(isReady))
    if (!assetIds.includes(asset.id) && !(await detach(deps, tx, editor, post, asset.id))) throw new ConflictError();
  const currentIds = new Set(currentAssets.map((asset) => asset.id));
  const missingAssets: MissingAsset[] = [];
  for (const assetId of assetIds.filter((id) => !currentIds.has(id))) {
    const reason = await reattach(deps, tx, editor, post, assetId, { withTrash });
    if (reason) missingAssets.push({ id: assetId, reason });
  }
  const missingIds = new Set(missingAssets.map((asset) => asset.id));
  const uploadingIds = currentAssets.filter((asset) => !isReady(asset)).map((asset) => asset.id);
  await assignPositions(tx, post, [...assetIds.filter((id) => !missingIds.has(id)), ...uploadingIds]);
  return missingAssets;
}

/** Puts all assets of the post into this order. */
export async function reorderAssets(tx: Tx, post: EditedPost, order: readonly string[]): Promise<void> {
  const currentIds = new Set((await tx.assets.listByPosts([post.id])).map((asset) => asset.id));
  if (
    currentIds.size !== order.length ||
    new Set(order).size !== order.length ||
    !order.every((assetId) => currentIds.has(assetId))
  ) {
    throw new AppError("invalid_input:asset_order");
  }
  await assignPositions(tx, post, order);
}

/** Changes an asset of the post. */
export function changeAssetOfPost(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  _post: EditedPost,
  asset: Asset,
  change: AssetChange,
): Promise<Asset> {
  return updateAsset(deps, tx, editor, asset, change);
}

/** Attaches a ready asset, as the last one or, with `previousOrder`, where it was in that order. */
export async function attach(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Tx,
  editor: Editor,
  post: EditedPost,
  asset: Asset,
  previousOrder?: readonly string[],
): Promise<ReadyAsset> {
  const position = await reservePosition(deps, tx, asset, post.id);
  return attachAt(deps, tx, editor, post, asset.id, { position, previousOrder });
}

/** Like `attach`, for an asset that was on the post before; returns the reason if it can't be attached again. */
export async function reattach(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Tx,
  editor: Editor,
  post: EditedPost,
  assetId: string,
  { withTrash, previousOrder }: { withTrash: boolean; previousOrder?: readonly string[] },
): Promise<MissingReason | undefined> {
  const asset = await tx.assets.findWithTrash(post.studioId, assetId);
  if (asset && asset.postId !== null) return "on_another_post";
  const isAvailable =
    asset && isReady(asset) && (asset.trashExpiresAt === null || (withTrash && asset.trashExpiresAt > deps.clock()));
  if (!isAvailable) return "deleted";
  const position = await tx[writes].posts.reservePosition(post.studioId, post.id, deps.limits.assetsPerPost);
  if (position === undefined) return "post_full";
  if (asset.trashExpiresAt !== null) await updateAsset(deps, tx, editor, asset, { trash: null });
  await attachAt(deps, tx, editor, post, assetId, { position, previousOrder });
  return undefined;
}

async function attachAt(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  post: EditedPost,
  assetId: string,
  { position, previousOrder }: { position: number; previousOrder: readonly string[] | undefined },
): Promise<ReadyAsset> {
  const attachedAsset = await tx[writes].assets.attach(post.studioId, assetId, { postId: post.id, position });
  if (!attachedAsset) throw new ConflictError();
  await recordMove(deps, tx, editor, attachedAsset, null);
  if (previousOrder) await moveToPreviousPosition(tx, post, assetId, previousOrder);
  return attachedAsset;
}

/** Undefined if the asset is not on the post, or not ready. */
export async function detach(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  post: EditedPost,
  assetId: string,
): Promise<ReadyAsset | undefined> {
  const detachedAsset = await tx[writes].assets.detach(post.studioId, assetId, post.id);
  if (!detachedAsset) return undefined;
  await tx[writes].posts.releasePosition(post.studioId, post.id);
  await recordMove(deps, tx, editor, detachedAsset, post.id);
  return detachedAsset;
}

async function moveToPreviousPosition(
  tx: Tx,
  post: EditedPost,
  assetId: string,
  previousOrder: readonly string[],
): Promise<void> {
  const otherIds = (await tx.assets.listByPosts([post.id])).map(({ id }) => id).filter((id) => id !== assetId);
  const index = findInsertIndex(otherIds, assetId, previousOrder);
  if (index < otherIds.length) await assignPositions(tx, post, otherIds.toSpliced(index, 0, assetId));
}

async function assignPositions(tx: Tx, post: EditedPost, order: readonly string[]): Promise<void> {
  if (order.length === 0) return;
  const firstPosition = await tx[writes].posts.allocatePositionNumbers(post.studioId, post.id, order.length);
  await tx[writes].assets.setPositions(
    post.id,
    order.map((assetId, i) => ({ assetId, position: firstPosition + i })),
  );
}
