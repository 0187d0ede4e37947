import { AppError } from "#lib/errors.ts";
import { findInsertIndex } from "../model/asset-order.ts";
import { type Asset, isReady, type ReadyAsset } from "../model/asset.ts";
import type { AssetChange } from "../ports/assets.ts";
import { ConflictError } from "../model/conflict.ts";
import type { RunningEdit } from "./change-post.ts";
import { recordMove, reservePosition, updateAsset } from "./writes/asset-rows.ts";
import { writes } from "../ports/write-stores.ts";

/** Why an asset could not be attached to a post again. */
export const missingReasons = ["deleted", "on_another_post", "post_full"] as const;
export type MissingReason = (typeof missingReasons)[number];

export interface MissingAsset {
  id: string;
  reason: MissingReason;
}

/**
 * Like the other functions here, part of an edit: the post is locked, so no other call attaches or detaches meanwhile.
 * Sets the ready assets of a post to exactly these, in this order, restoring them from the trash if `withTrash`.
 * Uploading assets stay on the post, after the ready ones. Returns the assets that could not be attached.
 */
export async function setAssets(
  edit: RunningEdit,
  { assetIds, withTrash }: { assetIds: readonly string[]; withTrash: boolean },
): Promise<MissingAsset[]> {
  const { tx, post } = edit;
  const currentAssets = await tx.assets.listByPosts([post.id]);
  for (const asset of currentAssets.filter(isReady))
    if (!assetIds.includes(asset.id) && !(await detach(edit, asset.id))) throw new ConflictError();
  const currentIds = new Set(currentAssets.map((asset) => asset.id));
  const missingAssets: MissingAsset[] = [];
  for (const assetId of assetIds.filter((id) => !currentIds.has(id))) {
    const reason = await reattach(edit, assetId, { withTrash });
    if (reason) missingAssets.push({ id: assetId, reason });
  }
  const missingIds = new Set(missingAssets.map((asset) => asset.id));
  const uploadingIds = currentAssets.filter((asset) => !isReady(asset)).map((asset) => asset.id);
  await assignPositions(edit, [...assetIds.filter((id) => !missingIds.has(id)), ...uploadingIds]);
  return missingAssets;
}

/** Puts all assets of the post into this order. */
export async function reorderAssets(edit: RunningEdit, order: readonly string[]): Promise<void> {
  const currentIds = new Set((await edit.tx.assets.listByPosts([edit.post.id])).map((asset) => asset.id));
  if (
    currentIds.size !== order.length ||
    new Set(order).size !== order.length ||
    !order.every((assetId) => currentIds.has(assetId))
  ) {
    throw new AppError("invalid_input:asset_order");
  }
  await assignPositions(edit, order);
}

/** Changes an asset of the post. */
export const changeAssetOfPost = (edit: RunningEdit, asset: Asset, change: AssetChange): Promise<Asset> =>
  updateAsset(edit, asset, change);

/** Attaches a ready asset, as the last one or, with `previousOrder`, where it was in that order. */
export async function attach(edit: RunningEdit, asset: Asset, previousOrder?: readonly string[]): Promise<ReadyAsset> {
  const position = await reservePosition(edit, asset, edit.post.id);
  return attachAt(edit, asset.id, { position, previousOrder });
}

/** Like `attach`, for an asset that was on the post before; returns the reason if it can't be attached again. */
export async function reattach(
  edit: RunningEdit,
  assetId: string,
  { withTrash, previousOrder }: { withTrash: boolean; previousOrder?: readonly string[] },
): Promise<MissingReason | undefined> {
  const { deps, tx, post } = edit;
  const asset = await tx.assets.findWithTrash(post.studioId, assetId);
  if (asset && asset.postId !== null) return "on_another_post";
  const isAvailable =
    asset && isReady(asset) && (asset.trashExpiresAt === null || (withTrash && asset.trashExpiresAt > deps.clock()));
  if (!isAvailable) return "deleted";
  const position = await tx[writes].posts.reservePosition(post.studioId, post.id, deps.limits.assetsPerPost);
  if (position === undefined) return "post_full";
  if (asset.trashExpiresAt !== null) await updateAsset(edit, asset, { trash: null });
  await attachAt(edit, assetId, { position, previousOrder });
  return undefined;
}

async function attachAt(
  edit: RunningEdit,
  assetId: string,
  { position, previousOrder }: { position: number; previousOrder: readonly string[] | undefined },
): Promise<ReadyAsset> {
  const { tx, post } = edit;
  const attachedAsset = await tx[writes].assets.attach(post.studioId, assetId, { postId: post.id, position });
  if (!attachedAsset) throw new ConflictError();
  await recordMove(edit, attachedAsset, null);
  if (previousOrder) await moveToPreviousPosition(edit, assetId, previousOrder);
  return attachedAsset;
}

/** Undefined if the asset is not on the post, or not ready. */
export async function detach(edit: RunningEdit, assetId: string): Promise<ReadyAsset | undefined> {
  const { tx, post } = edit;
  const detachedAsset = await tx[writes].assets.detach(post.studioId, assetId, post.id);
  if (!detachedAsset) return undefined;
  await tx[writes].posts.releasePosition(post.studioId, post.id);
  await recordMove(edit, detachedAsset, post.id);
  return detachedAsset;
}

async function moveToPreviousPosition(
  edit: RunningEdit,
  assetId: string,
  previousOrder: readonly string[],
): Promise<void> {
  const { tx, post } = edit;
  const otherIds = (await tx.assets.listByPosts([post.id])).map(({ id }) => id).filter((id) => id !== assetId);
  const index = findInsertIndex(otherIds, assetId, previousOrder);
  if (index < otherIds.length) await assignPositions(edit, otherIds.toSpliced(index, 0, assetId));
}

async function assignPositions({ tx, post }: RunningEdit, order: readonly string[]): Promise<void> {
  if (order.length === 0) return;
  const firstPosition = await tx[writes].posts.allocatePositionNumbers(post.studioId, post.id, order.length);
  await tx[writes].assets.setPositions(
    post.id,
    order.map((assetId, i) => ({ assetId, position: firstPosition + i })),
  );
}
