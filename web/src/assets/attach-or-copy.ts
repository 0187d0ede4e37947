import { ApiError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { attachAsset, copyAsset, deleteAsset, detachAsset } from "../api/mutations.ts";
import type { Asset } from "../api/queries.ts";

interface AddedAsset {
  id: string;
  isCopy: boolean;
}

/** Adds a file to a post. A file that is on another post is copied, because an asset is on at most one post. */
export const attachOrCopy = (studioId: string, postId: string, asset: Asset): Promise<AddedAsset> =>
  inBatch(async () => {
    if (asset.postId === postId) throw new ApiError(409, "already_attached", "It is already on this post.", "");
    if (asset.postId === null) {
      await attachAsset({ studioId, postId, assetId: asset.id });
      return { id: asset.id, isCopy: false };
    }
    const { assetId } = await copyAsset({ studioId, assetId: asset.id });
    try {
      await attachAsset({ studioId, postId, assetId });
    } catch (error) {
      await deleteAsset({ studioId, assetId }).catch(() => {}); // keep unused copies out of the library
      throw error;
    }
    return { id: assetId, isCopy: true };
  });

export const undoAttachOrCopy = (studioId: string, postId: string, { id, isCopy }: AddedAsset): Promise<void> =>
  inBatch(async () => {
    await detachAsset({ studioId, postId, assetId: id });
    if (isCopy) await deleteAsset({ studioId, assetId: id });
  });
