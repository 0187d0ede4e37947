import { z } from "zod";
import { AppError, notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { authorize } from "../policy.ts";
import { knownPostId } from "../posts/post.ts";
import { id } from "../text.ts";
import { knownAssetId, viewAsset, type Asset, type AssetView, type ReadyAsset } from "./asset.ts";
import { confirmUpload, notUploaded } from "./confirm-upload.ts";
import { takePlace, type AttachDeps } from "./place.ts";
import { restorePosition } from "./restore-position.ts";
import { refuse } from "./transitions.ts";

export const attachAssetInput = z.strictObject({ postId: id, assetId: id });

/** For undoing a detach: ids of the post's assets in the order that this one had among them. Without it, it goes last. */
export const attachAgainInput = attachAssetInput.extend({ order: z.array(id).max(1000).optional() });

/** How often others may get in between before we give up. Each round somebody got ahead. */
const maxRounds = 20;

/**
 * Puts an asset on a post; one whose bytes were not confirmed yet is confirmed on the way. Any number of parallel
 * calls for one asset come to one outcome: each looks, tries one conditional change, and looks again if overtaken.
 */
export async function attachAsset(
  deps: AttachDeps,
  caller: Caller,
  input: z.infer<typeof attachAgainInput>,
): Promise<AssetView> {
  authorize(caller, "assets.write");
  const studioId = caller.studio.id;
  const postId = knownPostId(input.postId);
  const assetId = knownAssetId(input.assetId);
  for (let round = 0; round < maxRounds; round++) {
    const [post, asset] = await Promise.all([deps.posts.find(studioId, postId), deps.assets.find(studioId, assetId)]);
    if (!post) throw notFound("post");
    if (!asset) throw new AppError("not_found:attachable_asset");
    if (asset.postId === postId && asset.status === "ready") return viewAsset(asset);
    if (asset.postId === postId) throw notUploaded();
    if (asset.postId !== null) throw refuse("attach");
    const attached = await (asset.status === "ready"
      ? attachReady(deps, caller, asset, postId, input.order)
      : confirmUpload(deps, caller, asset, post));
    if (attached) return viewAsset(attached);
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

function attachReady(
  deps: AttachDeps,
  caller: Caller,
  asset: Asset,
  postId: string,
  order: readonly string[] | undefined,
): Promise<ReadyAsset | undefined> {
  return deps
    .transact(async (tx) => {
      const position = await takePlace(deps, tx, asset, postId);
      const attached = await tx.assets.putOnPost(asset.studioId, asset.id, { postId, position });
      if (!attached) throw new Overtaken();
      if (order) await restorePosition(tx, attached, postId, order);
      await recordActivity(deps, tx, caller, "asset.attached", asset.id, { postId, filename: asset.filename });
      return attached;
    })
    .catch(ifOvertaken);
}
