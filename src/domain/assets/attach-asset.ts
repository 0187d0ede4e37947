import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { undefinedOnConflict } from "../conflict.ts";
import { authorize } from "../policy.ts";
import { parsePostId, type Post } from "../posts/post.ts";
import { id } from "../text.ts";
import { isUploading, parseAssetId, toAssetView, type Asset, type AssetView, type ReadyAsset } from "./model/asset.ts";
import { attachInTransaction } from "./lifecycle/attach-in-transaction.ts";
import { confirmPresignedUpload, notUploadedError, type AttachDeps } from "./lifecycle/confirm-presigned-upload.ts";
import { throwPostFull } from "./lifecycle/positions.ts";
import { createTransitionError } from "./lifecycle/transitions.ts";

export const attachAssetInput = z.strictObject({ postId: id, assetId: id });

/** For undoing a detach: `order` lists the post's assets before the detach. Without it, the asset goes last. */
export const attachInOrderInput = attachAssetInput.extend({ order: z.array(id).max(1000).optional() });

/** An attempt fails if a parallel call changed the asset or the post first. */
const maxAttempts = 20;

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
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [post, asset] = await Promise.all([deps.posts.find(studioId, postId), deps.assets.find(studioId, assetId)]);
    if (!post) throw notFoundError("post");
    if (!asset) throw new AppError("not_found:attachable_asset");
    if (asset.postId === postId && asset.status === "ready") return toAssetView(asset);
    if (asset.postId !== null && asset.postId !== postId) throw createTransitionError("attach");
    if (isUploading(asset)) throw notUploadedError();
    const attachedAsset = await (asset.status === "ready"
      ? attachReadyAsset(deps, caller, asset, post, input.order)
      : confirmPresignedUpload(deps, caller, asset, post));
    if (attachedAsset) return toAssetView(attachedAsset);
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

function attachReadyAsset(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  post: Post,
  order: readonly string[] | undefined,
): Promise<ReadyAsset | undefined> {
  // Fail early, without waiting for the post's lock; `reservePosition` is the authority.
  if (post.assetCount >= deps.limits.assetsPerPost) return throwPostFull(deps, asset).catch(undefinedOnConflict);
  return deps
    .transact(caller, (tx) => attachInTransaction(deps, tx, caller, asset, post.id, order))
    .catch(undefinedOnConflict);
}
