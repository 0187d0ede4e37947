import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import { assignPositions } from "../assets/lifecycle/positions.ts";
import { describeAssets, needsUrls } from "../assets/model/describe-asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { autosaveWindow, recordRevision } from "../history/record.ts";
import { parseConnectionId } from "../platforms/connection.ts";
import { authorize } from "../policy.ts";
import { tags } from "../tags.ts";
import { id } from "../text.ts";
import { parsePostId, postFields, postStatuses, revisionConflictError, toPostView, type PostView } from "./post.ts";
import { normalizeVariants, variantInput } from "./variant.ts";
import { addDetails, type ValidationDeps } from "./get-post.ts";

export const updatePostInput = z.strictObject({
  postId: id,
  title: postFields.title.optional(),
  body: postFields.body.optional(),
  status: z.enum(postStatuses).optional(),
  variants: z
    .array(variantInput)
    .max(50)
    .optional()
    .describe(
      "What single accounts receive instead of the body or of all assets. Overwrites all existing variants: pass a body and assetIds again to keep them.",
    ),
  tags: tags.optional(),
  assetIds: z.array(id).max(1000).optional().describe("The new order: all of the post's assets, each once."),
  revision: z
    .int32()
    .min(1)
    .optional()
    .describe(
      "The revision you read; required to change title, body or variants. Fails with revision_conflict if the post has changed.",
    ),
});

/** The fields that the web app saves while the user types. Variants can also contain a choice of files. */
const textFields = new Set(["title", "body", "variants"]);

export async function updatePost(
  deps: ValidationDeps & Pick<Deps, "transact" | "posts" | "newId" | "clock" | "baseUrl" | "signer" | "publications">,
  caller: Caller,
  input: z.infer<typeof updatePostInput>,
  /** `keepsPreviousRevision`: this autosave starts a revision of its own, so that the previous text can be restored. */
  { keepsPreviousRevision = false }: { keepsPreviousRevision?: boolean | undefined } = {},
): Promise<PostView> {
  authorize(caller, "posts.write");
  const { postId: inputPostId, revision, assetIds, ...fields } = input;
  const postId = parsePostId(inputPostId);
  const variants = fields.variants && normalizeVariants(fields.variants);
  const change = Object.fromEntries(Object.entries({ ...fields, variants }).filter(([, value]) => value !== undefined));
  const changedFields = [...Object.keys(change), ...(assetIds ? ["assetIds"] : [])];
  if (changedFields.length === 0) {
    throw new AppError("invalid_input:no_changes", {
      fields: "at least one of title, body, status, variants, tags or assetIds",
    });
  }
  const changesText = input.title !== undefined || input.body !== undefined || input.variants !== undefined;
  // A model that has not read the current text must not replace it.
  if (caller.client && changesText && revision === undefined) {
    const exists = (await deps.posts.find(caller.studio.id, postId)) !== undefined;
    throw exists ? new AppError("invalid_input:revision_required") : notFoundError("post");
  }
  const isAutosave = !caller.client && changesText && changedFields.every((field) => textFields.has(field));
  const { post, assets } = await deps.transact(caller, async (tx) => {
    const now = deps.clock();
    const seriesStart = keepsPreviousRevision ? Number.MAX_SAFE_INTEGER : now - autosaveWindow;
    const updatedPost = await tx.posts.update(
      caller.studio.id,
      postId,
      { ...change, haveAssetsChanged: assetIds !== undefined },
      { revision, now },
    );
    if (!updatedPost) {
      const currentPost = await tx.posts.find(caller.studio.id, postId);
      throw currentPost ? revisionConflictError(currentPost.revision) : notFoundError("post");
    }
    if (input.variants) await validateVariants(tx, caller, postId, input.variants);
    if (assetIds) await reorderAssets(tx, updatedPost.studioId, postId, assetIds);
    await recordRevision(deps, tx, caller, postId, {
      collapseSince: isAutosave ? seriesStart : undefined,
      haveAssetsChanged: assetIds !== undefined,
    });
    await recordActivity(deps, tx, caller, "post.updated", postId, {
      fields: changedFields,
      revision: updatedPost.revision,
      ...(input.status !== undefined && { status: input.status }),
    });
    return { post: updatedPost, assets: await tx.assets.listByPosts([postId]) };
  });
  const view = toPostView(deps.baseUrl, post, await describeAssets(deps, assets, needsUrls(caller)));
  return addDetails(deps, caller.studio.id, view);
}

async function validateVariants(
  tx: Stores,
  caller: Caller,
  postId: string,
  variants: readonly z.infer<typeof variantInput>[],
): Promise<void> {
  const connectionIds = new Set(variants.map(({ connectionId }) => parseConnectionId(connectionId)));
  if (connectionIds.size !== variants.length) throw new AppError("invalid_input:variants");
  for (const connectionId of connectionIds)
    if (!(await tx.platformStore.find(caller.studio.id, connectionId))) throw notFoundError("platform_connection");
  const lists = variants.flatMap(({ assetIds }) => (assetIds ? [assetIds] : []));
  if (lists.length === 0) return;
  const currentIds = new Set((await tx.assets.listByPosts([postId])).map((asset) => asset.id));
  for (const assetIds of lists)
    if (new Set(assetIds).size !== assetIds.length || !assetIds.every((assetId) => currentIds.has(assetId)))
      throw new AppError("invalid_input:variant_assets");
}

/** The caller's update has locked the post's row, so no other call can attach or detach assets meanwhile. */
async function reorderAssets(tx: Stores, studioId: string, postId: string, order: readonly string[]): Promise<void> {
  const currentIds = new Set((await tx.assets.listByPosts([postId])).map((asset) => asset.id));
  if (
    currentIds.size !== order.length ||
    new Set(order).size !== order.length ||
    !order.every((assetId) => currentIds.has(assetId))
  ) {
    throw new AppError("invalid_input:asset_order");
  }
  await assignPositions(tx, studioId, postId, order);
}
