import { changeAsset, recordMove } from "../assets/lifecycle/change-asset.ts";
import { assignPositions } from "../assets/lifecycle/positions.ts";
import { isReady } from "../assets/model/asset.ts";
import { ConflictError } from "../conflict.ts";
import type { Deps, Tx } from "../deps.ts";
import type { Editor } from "./record.ts";

/** Why an asset could not be attached to a post again. */
export const missingReasons = ["deleted", "on_another_post", "post_full"] as const;
export type MissingReason = (typeof missingReasons)[number];

export interface MissingAsset {
  id: string;
  reason: MissingReason;
}

/**
 * Sets the ready assets of a post to exactly these, in this order, restoring them from the trash if `withTrash`.
 * Uploading assets stay on the post, after the ready ones. The transaction must already have updated the post's row,
 * to lock it. Returns the assets that could not be attached.
 */
export async function setAssets(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Tx,
  editor: Editor,
  postId: string,
  assetIds: readonly string[],
  { withTrash }: { withTrash: boolean },
): Promise<MissingAsset[]> {
  const studioId = editor.studio.id;
  const currentAssets = await tx.assets.listByPosts([postId]);
  for (const asset of currentAssets.filter(isReady))
    if (!assetIds.includes(asset.id)) await detachFromPost(deps, tx, editor, postId, asset.id);
  const currentIds = new Set(currentAssets.map((asset) => asset.id));
  const missingAssets: MissingAsset[] = [];
  for (const assetId of assetIds.filter((id) => !currentIds.has(id))) {
    const reason = await reattachAsset(deps, tx, editor, postId, assetId, withTrash);
    if (reason) missingAssets.push({ id: assetId, reason });
  }
  const missingIds = new Set(missingAssets.map((asset) => asset.id));
  const uploadingIds = currentAssets.filter((asset) => !isReady(asset)).map((asset) => asset.id);
  await assignPositions(tx, studioId, postId, [...assetIds.filter((id) => !missingIds.has(id)), ...uploadingIds]);
  return missingAssets;
}

/** Detaches an asset without recording a revision of the post. */
async function detachFromPost(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  postId: string,
  assetId: string,
): Promise<void> {
  const detachedAsset = await tx.assets.detach(editor.studio.id, assetId, postId);
  if (!detachedAsset) throw new ConflictError();
  await tx.posts.releasePosition(editor.studio.id, postId);
  await recordMove(deps, tx, editor, detachedAsset, postId);
}

/** Attaches an asset as the last one of a post, without recording a revision; returns the reason if it can't. */
export async function reattachAsset(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Tx,
  editor: Editor,
  postId: string,
  assetId: string,
  withTrash: boolean,
): Promise<MissingReason | undefined> {
  const studioId = editor.studio.id;
  const asset = await tx.assets.findWithTrash(studioId, assetId);
  if (asset && asset.postId !== null) return "on_another_post";
  const isAvailable =
    asset && isReady(asset) && (asset.trashExpiresAt === null || (withTrash && asset.trashExpiresAt > deps.clock()));
  if (!isAvailable) return "deleted";
  const position = await tx.posts.reservePosition(studioId, postId, deps.limits.assetsPerPost);
  if (position === undefined) return "post_full";
  if (asset.trashExpiresAt !== null) await changeAsset(deps, tx, editor, asset, { trash: null });
  const attachedAsset = await tx.assets.attach(studioId, assetId, { postId, position });
  if (!attachedAsset) throw new ConflictError();
  await recordMove(deps, tx, editor, attachedAsset, null);
  return undefined;
}
