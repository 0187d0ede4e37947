import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { parseAssetId } from "../model/asset.ts";
import { describeAssets } from "../steps/describe-asset.ts";
import type { Caller } from "../caller.ts";
import { changePost } from "../changes/change-post.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { addDetails, type ValidationDeps } from "../steps/describe-post.ts";
import { parsePostId, type PostView, toPostView } from "../model/post.ts";
import { id } from "../model/text.ts";
import { crop } from "../model/renditions/crop.ts";

export const setCropInput = z.strictObject({
  postId: id,
  assetId: id,
  platform: z.string().max(50),
  mode: z.enum(["pad", "crop"]).describe("What to do if the platform doesn't accept the image's aspect ratio."),
  x: crop.shape.x.default(0.5),
  y: crop.shape.y.default(0.5),
});

/** Sets how an image of a post fits a platform. A changed crop needs an approval, like every change of the content. */
export async function setCrop(
  deps: ValidationDeps &
    Pick<Deps, "transact" | "posts" | "publications" | "newId" | "clock" | "limits" | "baseUrl" | "signer">,
  caller: Caller,
  input: z.infer<typeof setCropInput>,
): Promise<PostView> {
  authorize(caller, "posts.write");
  const [postId, assetId] = [parsePostId(input.postId), parseAssetId(input.assetId)];
  const { platform, mode, x, y } = input;
  const { post, assets } = await deps.transact(caller, async (tx) => {
    const currentPost = await tx.posts.lock(caller.studio.id, postId);
    if (!currentPost) throw notFoundError("post");
    const currentAssets = await tx.assets.listByPosts([postId]);
    const assetIds = currentAssets.map((asset) => asset.id);
    if (!assetIds.includes(assetId)) throw notFoundError("asset");
    if (!deps.platforms.find(platform))
      throw new AppError("platform_unsupported", { platforms: deps.platforms.list().map((each) => each.id) });
    const currentCrops = currentPost.crops.filter((each) => assetIds.includes(each.assetId));
    const index = currentCrops.findIndex((each) => each.assetId === assetId && each.platform === platform);
    const newCrops = mode === "crop" ? [{ assetId, platform, x, y }] : [];
    // The order stays the same, so that setting the same crop again changes nothing.
    const crops = currentCrops.toSpliced(index === -1 ? currentCrops.length : index, 1, ...newCrops);
    if (JSON.stringify(crops) === JSON.stringify(currentPost.crops))
      return { post: currentPost, assets: currentAssets };
    const { post: updatedPost } = await changePost(deps, tx, caller, postId, {
      fields: { crops },
      keepsApproval: tx.mayPublish,
      activity: () => ({ action: "post.updated", detail: { fields: ["crops"] } }),
    });
    return { post: updatedPost, assets: currentAssets };
  });
  const view = toPostView(deps.baseUrl, post, await describeAssets(deps, assets));
  return addDetails(deps, caller.studio.id, view);
}
