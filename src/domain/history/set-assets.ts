import { AppError } from "#lib/errors.ts";
import { changeAsset } from "../assets/lifecycle/change-asset.ts";
import { assignPositions } from "../assets/lifecycle/restore-position.ts";
import { isReady } from "../assets/model/asset.ts";
import { ConflictError } from "../conflict.ts";
import type { Deps, Stores } from "../deps.ts";
import type { Editor } from "./record.ts";

/** Why an asset could not be put back on a post. */
export type MissingReason = "deleted" | "on_another_post";

export interface MissingAsset {
  id: string;
  reason: MissingReason;
}

/**
 * Gives a post exactly these ready assets, in this order, restoring them from the trash if needed. Uploads in progress
 * stay, last. The transaction has already updated the post's row. Returns the assets that are no longer available.
 */
export async function setAssets(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Stores,
  editor: Editor,
  postId: string,
  assetIds: readonly string[],
): Promise<MissingAsset[]> {
  const studioId = editor.studio.id;
  const currentAssets = await tx.assets.listByPosts([postId]);
  for (const asset of currentAssets.filter(isReady)) {
    if (assetIds.includes(asset.id)) continue;
    if (!(await tx.assets.detach(studioId, asset.id, postId))) throw new ConflictError();
    await tx.posts.releasePosition(studioId, postId);
  }
  const currentIds = new Set(currentAssets.map((asset) => asset.id));
  const missingAssets: MissingAsset[] = [];
  for (const assetId of assetIds.filter((id) => !currentIds.has(id))) {
    const reason = await attachAgain(deps, tx, editor, postId, assetId);
    if (reason) missingAssets.push({ id: assetId, reason });
  }
  const missingIds = new Set(missingAssets.map((asset) => asset.id));
  const uploadingIds = currentAssets.filter((asset) => !isReady(asset)).map((asset) => asset.id);
  await assignPositions(tx, studioId, postId, [...assetIds.filter((id) => !missingIds.has(id)), ...uploadingIds]);
  return missingAssets;
}

async function attachAgain(
  deps: Pick<Deps, "clock" | "limits">,
  tx: Stores,
  editor: Editor,
  postId: string,
  assetId: string,
): Promise<MissingReason | undefined> {
  const studioId = editor.studio.id;
  const asset = await tx.assets.findWithTrash(studioId, assetId);
  if (asset && asset.postId !== null) return "on_another_post";
  const isAvailable = asset && isReady(asset) && (asset.trashExpiresAt === null || asset.trashExpiresAt > deps.clock());
  if (!isAvailable) return "deleted";
  if (asset.trashExpiresAt !== null) await changeAsset(deps, tx, editor, asset, { trash: null });
  const position = await tx.posts.reservePosition(studioId, postId, deps.limits.assetsPerPost);
  if (position === undefined) throw new AppError("asset_limit_reached", { limit: deps.limits.assetsPerPost });
  if (!(await tx.assets.attach(studioId, assetId, { postId, position }))) throw new ConflictError();
  return undefined;
}
