import { z } from "zod";
import { minutes } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { describeAssets, needsUrls } from "../steps/describe-asset.ts";
import type { Caller } from "../caller.ts";
import { changePost } from "../changes/change-post.ts";
import { reorderAssets } from "../changes/post-assets.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { parseConnectionId } from "../model/connection.ts";
import { authorize } from "../policy.ts";
import { id, tags } from "../model/text.ts";
import {
  parsePostId,
  type Post,
  postFields,
  postStatuses,
  type PostView,
  revisionConflictError,
  toPostView,
} from "../model/post.ts";
import { type PostOption, type PostOptions, withAccountChoices } from "#portable/post-options.ts";
import { describeInvalidOption } from "../model/post-options.ts";
import { normalizeVariants, variantInput } from "../model/variant.ts";
import { addDetails, type ValidationDeps } from "../steps/describe-post.ts";

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

/** Autosaves of one user within this time become one revision. */
const autosaveWindow = minutes(5);

/** The fields that the web app saves while the user types. Variants can also contain a choice of files. */
const textFields = new Set(["title", "body", "variants"]);

export async function updatePost(
  deps: ValidationDeps &
    Pick<Deps, "transact" | "posts" | "newId" | "clock" | "limits" | "baseUrl" | "signer" | "publications">,
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
    const seriesStart = keepsPreviousRevision ? Number.MAX_SAFE_INTEGER : deps.clock() - autosaveWindow;
    const { post: updatedPost } = await changePost(deps, tx, caller, postId, {
      revision,
      fields: change,
      changeAssets: assetIds && ((edit) => reorderAssets(edit, assetIds)),
      keepsApproval: tx.mayPublish,
      collapseSince: isAutosave ? seriesStart : undefined,
      activity: ({ status }) => ({
        action: "post.updated",
        detail: { fields: changedFields, ...(input.status === undefined ? {} : { status }) },
      }),
      async createError() {
        const currentPost = await tx.posts.find(caller.studio.id, postId);
        return currentPost ? revisionConflictError(currentPost.revision) : notFoundError("post");
      },
    });
    if (input.variants) await validateVariants(deps, tx, caller, updatedPost, input.variants);
    return { post: updatedPost, assets: await tx.assets.listByPosts([postId]) };
  });
  const view = toPostView(deps.baseUrl, post, await describeAssets(deps, assets, needsUrls(caller)));
  return addDetails(deps, caller.studio.id, view);
}

async function validateVariants(
  deps: Pick<Deps, "platforms">,
  tx: Tx,
  caller: Caller,
  post: Post,
  variants: readonly z.infer<typeof variantInput>[],
): Promise<void> {
  const connectionIds = new Set(variants.map(({ connectionId }) => parseConnectionId(connectionId)));
  if (connectionIds.size !== variants.length) throw new AppError("invalid_input:variants");
  for (const { connectionId, options = {} } of variants) {
    const connection = await tx.platformStore.find(caller.studio.id, connectionId);
    if (!connection) throw notFoundError("platform_connection");
    const schema = deps.platforms.find(connection.platform)?.options ?? [];
    validateOptions(withAccountChoices(schema, connection.choices), options);
    // The edit kept what only a person may choose.
    const storedOptions = post.variants.find((variant) => variant.connectionId === connectionId)?.options ?? {};
    for (const [name, value] of Object.entries(options))
      if (JSON.stringify(value) !== JSON.stringify(storedOptions[name]))
        throw new AppError("forbidden:option", { name });
  }
  const lists = variants.flatMap(({ assetIds }) => (assetIds ? [assetIds] : []));
  if (lists.length === 0) return;
  const currentIds = new Set((await tx.assets.listByPosts([post.id])).map((asset) => asset.id));
  for (const assetIds of lists)
    if (new Set(assetIds).size !== assetIds.length || !assetIds.every((assetId) => currentIds.has(assetId)))
      throw new AppError("invalid_input:variant_assets");
}

function validateOptions(schema: readonly PostOption[], options: PostOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const message = describeInvalidOption(schema, name, value);
    if (message !== undefined) throw new AppError("invalid_input:option", { message });
  }
}
