import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { knownPostId } from "../posts/post.ts";
import { id } from "../text.ts";
import { knownAssetId } from "./asset.ts";
import { refuse } from "./transitions.ts";

export const detachAssetInput = z.strictObject({ postId: id, assetId: id });
export const detachAssetOutput = z.object({ detached: z.string().describe("The asset's id.") });

/** Takes an asset off a post. The file stays, and can be attached elsewhere. */
export async function detachAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof detachAssetInput>,
): Promise<z.infer<typeof detachAssetOutput>> {
  authorize(caller, "assets.write");
  const studioId = caller.studio.id;
  const postId = knownPostId(input.postId);
  const assetId = knownAssetId(input.assetId);
  await deps.transact(async (tx) => {
    const freed = await tx.posts.freePlace(studioId, postId, deps.clock());
    if (freed && (await tx.assets.takeOffPost(studioId, assetId, postId))) {
      await recordActivity(deps, tx, caller, "asset.detached", assetId, { postId });
      return;
    }
    if (!(await tx.posts.find(studioId, postId))) throw notFound("post");
    throw (await tx.assets.find(studioId, assetId)) ? refuse("detach") : notFound("asset");
  });
  return { detached: assetId };
}
