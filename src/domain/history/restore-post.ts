import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import { changeAsset } from "../assets/lifecycle/change-asset.ts";
import { describeAssets, needsUrls } from "../assets/model/describe-asset.ts";
import type { Caller } from "../caller.ts";
import { ConflictError, retryOnConflict } from "../conflict.ts";
import type { Deps, Tx } from "../deps.ts";
import { authorize } from "../policy.ts";
import { addDetails, type ValidationDeps } from "../posts/get-post.ts";
import { parsePostId, postView, toPostView } from "../posts/post.ts";
import { id } from "../text.ts";
import type { Revision, RevisionAsset } from "./ports.ts";
import { recordRevision } from "./record.ts";
import { missingReasons, setAssets } from "./set-assets.ts";

export const restorePostInput = z.strictObject({
  postId: id,
  revision: z.int32().min(1).describe("A revision from get_post_history."),
});

export const restorePostOutput = postView.extend({
  missingAssets: z
    .array(z.object({ id: z.string(), filename: z.string(), reason: z.enum(missingReasons) }))
    .describe(
      "Assets of that revision that could not be restored: deleted for good, on another post now, or over the limit per post.",
    ),
});

/** Creates a new revision with the content of an old one. */
export async function restorePost(
  deps: ValidationDeps &
    Pick<
      Deps,
      "posts" | "revisions" | "transact" | "newId" | "clock" | "baseUrl" | "signer" | "limits" | "publications"
    >,
  caller: Caller,
  input: z.infer<typeof restorePostInput>,
): Promise<z.infer<typeof restorePostOutput>> {
  authorize(caller, "posts.write");
  const postId = parsePostId(input.postId);
  const { post, assets, missingAssets } = await retryOnConflict(async () => {
    const currentPost = await deps.posts.find(caller.studio.id, postId);
    if (!currentPost) throw notFoundError("post");
    const target = await deps.revisions.find(postId, input.revision);
    if (!target) throw notFoundError("revision");
    const currentRevision = await deps.revisions.find(postId, currentPost.revision);
    const haveAssetsChanged = !currentRevision || !haveSameAssets(currentRevision, target);
    return deps.transact(caller, async (tx) => {
      const { title, body, status, variants, crops, tags } = target;
      // Setting the status `ready` again would count as marking the new revision ready.
      const statusChange = status === currentPost.status ? {} : { status };
      const change = { title, body, variants, crops, tags, ...statusChange, haveAssetsChanged };
      const restoredPost = await tx.posts.update(caller.studio.id, postId, change, {
        revision: currentPost.revision,
        now: deps.clock(),
      });
      if (!restoredPost) throw new ConflictError();
      const assetIds = target.assets.map((asset) => asset.id);
      const unavailableAssets = haveAssetsChanged
        ? await setAssets(deps, tx, caller, postId, assetIds, { withTrash: true })
        : [];
      if (haveAssetsChanged) await restoreAssetTexts(deps, tx, caller, postId, target);
      await recordRevision(deps, tx, caller, postId, { haveAssetsChanged, restoredRevision: input.revision });
      await recordActivity(deps, tx, caller, "post.reverted", postId, {
        restored: input.revision,
        revision: restoredPost.revision,
      });
      const filenames = new Map(target.assets.map((asset) => [asset.id, asset.filename]));
      return {
        post: restoredPost,
        assets: await tx.assets.listByPosts([postId]),
        missingAssets: unavailableAssets.map((asset) => ({ ...asset, filename: filenames.get(asset.id) ?? "" })),
      };
    });
  });
  const view = toPostView(deps.baseUrl, post, await describeAssets(deps, assets, needsUrls(caller)));
  return { ...(await addDetails(deps, caller.studio.id, view)), missingAssets };
}

/** Also compares crops, because the history shows a changed crop as a change of the assets. */
function haveSameAssets(current: Revision, target: Revision): boolean {
  const isSame = (asset: RevisionAsset, i: number): boolean =>
    asset.id === target.assets[i]?.id &&
    asset.altText === target.assets[i].altText &&
    (asset.kind !== "document" || asset.filename === target.assets[i].filename);
  const haveSameCrops = JSON.stringify(current.crops) === JSON.stringify(target.crops);
  return current.assets.length === target.assets.length && current.assets.every(isSame) && haveSameCrops;
}

/** Restores the alt texts, and the filenames of documents, which platforms show. */
async function restoreAssetTexts(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  caller: Caller,
  postId: string,
  target: Revision,
): Promise<void> {
  const targetAssets = new Map(target.assets.map((asset) => [asset.id, asset]));
  for (const asset of await tx.assets.listByPosts([postId])) {
    const { altText = asset.altText, filename = asset.filename } = targetAssets.get(asset.id) ?? {};
    const change = {
      ...(altText === asset.altText ? {} : { altText }),
      ...(asset.kind !== "document" || filename === asset.filename ? {} : { filename }),
    };
    if (Object.keys(change).length > 0) await changeAsset(deps, tx, caller, asset, change);
  }
}
