import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { recordRevision } from "../history/record.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../posts/post.ts";
import { id } from "../text.ts";
import { parseAssetId } from "./model/asset.ts";
import { recordMove } from "./lifecycle/change-asset.ts";
import { createTransitionError } from "./lifecycle/transitions.ts";

export const detachAssetInput = z.strictObject({ postId: id, assetId: id });
export const detachAssetOutput = z.object({ detached: z.string().describe("The asset's id.") });

/** Removes an asset from a post. The asset is kept and can be attached again. */
export async function detachAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof detachAssetInput>,
): Promise<z.infer<typeof detachAssetOutput>> {
  authorize(caller, "assets.write");
  const studioId = caller.studio.id;
  const postId = parsePostId(input.postId);
  const assetId = parseAssetId(input.assetId);
  await deps.transact(caller, async (tx) => {
    const revision = await tx.posts.incrementRevisionForAssets(studioId, postId, deps.clock());
    if (revision === undefined) throw notFoundError("post");
    const detachedAsset = await tx.assets.detach(studioId, assetId, postId);
    if (!detachedAsset)
      throw (await tx.assets.find(studioId, assetId)) ? createTransitionError("detach") : notFoundError("asset");
    await tx.posts.releasePosition(studioId, postId);
    await recordMove(deps, tx, caller, detachedAsset, postId);
    await recordRevision(deps, tx, caller, postId, { haveAssetsChanged: true });
    await recordActivity(deps, tx, caller, "asset.detached", assetId, { postId, filename: detachedAsset.filename });
  });
  return { detached: assetId };
}
