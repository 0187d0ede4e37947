import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Asset, RevisionAsset } from "../model/asset.ts";
import { describeAssets, needsUrls } from "../steps/describe-asset.ts";
import type { Caller } from "../caller.ts";
import { changePost, type RunningEdit } from "../changes/change-post.ts";
import { changeAssetOfPost, missingReasons, setAssets, type MissingAsset } from "../changes/post-assets.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { addDetails, type ValidationDeps } from "../steps/describe-post.ts";
import { parsePostId, type Post, postView, toPostView } from "../model/post.ts";
import { approveAgain, listVoidedApprovals, selectApprovable } from "../steps/approve-again.ts";
import { type Publication, toWebPublicationView, type WebPublicationView } from "../model/publication.ts";
import { id } from "../model/text.ts";
import type { Revision } from "../model/revision.ts";

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

type RestoreInput = z.infer<typeof restorePostInput>;
type RestoreDeps = Pick<Deps, "transact" | "newId" | "clock" | "limits" | "platforms">;

/**
 * Creates a new revision with the content of an old one. `approve`, for the web app only, names publications to approve
 * again: those that `previewRestore` lists.
 */
export async function restorePost(
  deps: ValidationDeps & RestoreDeps & Pick<Deps, "posts" | "publications" | "baseUrl" | "signer">,
  caller: Caller,
  { approve = [], ...input }: RestoreInput & { approve?: readonly string[] | undefined },
): Promise<z.infer<typeof restorePostOutput>> {
  authorize(caller, "posts.write");
  const { post, assets, missingAssets } = await retryOnConflict(() =>
    deps.transact(caller, async (tx) => {
      const restored = await restoreRevision(deps, tx, caller, input);
      const publications = restored.returnedPublications.filter(({ id: publicationId }) =>
        approve.includes(publicationId),
      );
      if (publications.length > 0 && (await tx.reviews.isHeld(restored.post.id))) throw new AppError("review_pending");
      await approveAgain(deps, tx, caller, publications, restored.post);
      return restored;
    }),
  );
  const view = toPostView(deps.baseUrl, post, await describeAssets(deps, assets, needsUrls(caller)));
  return { ...(await addDetails(deps, caller.studio.id, view)), missingAssets };
}

/** The publications that the reverted changes had returned for approval. */
interface RestorePreview {
  /** Those that the restore can approve again, if the request names them. */
  approvable: WebPublicationView[];
  /** Those that would still wait for approval. */
  waiting: WebPublicationView[];
}

/** Rolls back the transaction of a preview. */
class PreviewError extends Error {
  override readonly name = "PreviewError";
  readonly preview: RestorePreview;
  constructor(preview: RestorePreview) {
    super("the restore is only previewed");
    this.preview = preview;
  }
}

/** Restores the revision and rolls that back, so that the preview is what a restore would do now. */
export async function previewRestore(deps: RestoreDeps, caller: Caller, input: RestoreInput): Promise<RestorePreview> {
  authorize(caller, "posts.write");
  return retryOnConflict(() =>
    deps.transact(caller, async (tx): Promise<never> => {
      const { returnedPublications, ...content } = await restoreRevision(deps, tx, caller, input);
      const publications = await selectApprovable({ ...deps, ...tx }, caller, returnedPublications, content);
      const approvableIds = publications.map((publication) => publication.id);
      const returnedIds = returnedPublications.map((publication) => publication.id);
      const views = (await tx.publications.listByIds(caller.studio.id, returnedIds)).map(toWebPublicationView);
      throw new PreviewError({
        approvable: views.filter((view) => approvableIds.includes(view.id)),
        waiting: views.filter((view) => !approvableIds.includes(view.id)),
      });
    }),
  ).catch((error: unknown) => {
    if (error instanceof PreviewError) return error.preview;
    throw error;
  });
}

interface RestoredRevision {
  post: Post;
  assets: Asset[];
  missingAssets: z.infer<typeof restorePostOutput>["missingAssets"];
  /** The publications that the reverted changes had returned for approval. */
  returnedPublications: Publication[];
}

async function restoreRevision(
  deps: RestoreDeps,
  tx: Tx,
  caller: Caller,
  input: RestoreInput,
): Promise<RestoredRevision> {
  const postId = parsePostId(input.postId);
  const currentPost = await tx.posts.find(caller.studio.id, postId);
  if (!currentPost) throw notFoundError("post");
  const target = await tx.revisions.find(postId, input.revision);
  if (!target) throw notFoundError("revision");
  const currentRevision = await tx.revisions.find(postId, currentPost.revision);
  const haveAssetsChanged = !currentRevision || !haveSameAssets(currentRevision, target);
  const { title, body, status, variants, crops, tags } = target;
  // Setting the status `ready` again would count as marking the new revision ready.
  const statusChange = status === currentPost.status ? {} : { status };
  const assetIds = target.assets.map((asset) => asset.id);
  let unavailableAssets: readonly MissingAsset[] = [];
  const restoreAssets = async (edit: RunningEdit): Promise<void> => {
    unavailableAssets = await setAssets(edit, { assetIds, withTrash: true });
    await restoreAssetTexts(edit, target);
  };
  const { post: restoredPost } = await changePost(deps, tx, caller, postId, {
    revision: currentPost.revision,
    fields: { title, body, variants, tags, ...statusChange, ...(haveAssetsChanged ? { crops } : {}) },
    changeAssets: haveAssetsChanged ? restoreAssets : undefined,
    keepsApproval: tx.mayPublish,
    restoredRevision: input.revision,
    activity: () => ({ action: "post.reverted", detail: { restored: input.revision } }),
  });
  const filenames = new Map(target.assets.map((asset) => [asset.id, asset.filename]));
  const publications = await listVoidedApprovals(tx, postId);
  return {
    post: restoredPost,
    assets: await tx.assets.listByPosts([postId]),
    missingAssets: unavailableAssets.map((asset) => ({ ...asset, filename: filenames.get(asset.id) ?? "" })),
    returnedPublications: publications.filter(({ approvedRevision }) => (approvedRevision ?? 0) >= input.revision),
  };
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
async function restoreAssetTexts(edit: RunningEdit, target: Revision): Promise<void> {
  const targetAssets = new Map(target.assets.map((asset) => [asset.id, asset]));
  for (const asset of await edit.tx.assets.listByPosts([edit.post.id])) {
    const { altText = asset.altText, filename = asset.filename } = targetAssets.get(asset.id) ?? {};
    const change = {
      ...(altText === asset.altText ? {} : { altText }),
      ...(asset.kind !== "document" || filename === asset.filename ? {} : { filename }),
    };
    if (Object.keys(change).length > 0) await changeAssetOfPost(edit, asset, change);
  }
}
