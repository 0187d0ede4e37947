import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { attachToPost, detachFromPost } from "../changes/change-asset.ts";
import { throwPostFull } from "../changes/quota.ts";
import { createTransitionError } from "../model/asset-transitions.ts";
import { type AssetView, isUploading, parseAssetId, toAssetView } from "../model/asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { type AttachDeps, confirmPresignedUpload } from "./confirm-presigned-upload.ts";

export const attachAssetInput = z.strictObject({ postId: id, assetId: id });

/** For undoing a detach: `order` lists the post's assets before the detach. Without it, the asset goes last. */
export const attachInOrderInput = attachAssetInput.extend({ order: z.array(id).max(1000).optional() });

/**
 * Attaches an asset to a post, confirming its upload first if it is pending. Parallel calls for one asset converge on
 * one outcome: each reads the asset, tries one conditional change, and retries on conflict.
 */
export async function attachAsset(
  deps: AttachDeps,
  caller: Caller,
  input: z.infer<typeof attachInOrderInput>,
): Promise<AssetView> {
  authorize(caller, "assets.write");
  const studioId = caller.studio.id;
  const postId = parsePostId(input.postId);
  const assetId = parseAssetId(input.assetId);
  return retryOnConflict(async () => {
    const [post, asset] = await Promise.all([deps.posts.find(studioId, postId), deps.assets.find(studioId, assetId)]);
    if (!post) throw notFoundError("post");
    if (!asset) throw notFoundError("attachable_asset");
    if (asset.postId === postId && asset.status === "ready") return toAssetView(asset);
    if (asset.postId !== null && asset.postId !== postId) throw createTransitionError("attach");
    if (isUploading(asset)) throw new AppError("not_uploaded");
    // Fail early, without waiting for the post's lock; `attachToPost` is the authority.
    if (asset.status === "ready" && post.assetCount >= deps.limits.assetsPerPost) return throwPostFull(deps, asset);
    const attachedAsset = await (asset.status === "ready"
      ? deps.transact(caller, (tx) => {
          const target = { postId, previousOrder: input.order, keepsApproval: tx.mayPublish };
          return attachToPost(deps, tx, caller, asset, target);
        })
      : confirmPresignedUpload(deps, caller, asset, post));
    return toAssetView(attachedAsset);
  });
}

export const detachAssetInput = z.strictObject({ postId: id, assetId: id });
export const detachAssetOutput = z.object({ detached: z.string().describe("The asset's id.") });

/** Removes an asset from a post. The asset is kept and can be attached again. */
export async function detachAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  input: z.infer<typeof detachAssetInput>,
): Promise<z.infer<typeof detachAssetOutput>> {
  authorize(caller, "assets.write");
  const postId = parsePostId(input.postId);
  const assetId = parseAssetId(input.assetId);
  await deps.transact(caller, (tx) =>
    detachFromPost(deps, tx, caller, assetId, { postId, keepsApproval: tx.mayPublish }),
  );
  return { detached: assetId };
}
