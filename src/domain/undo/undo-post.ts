import { findInsertIndex, assignPositions } from "../assets/lifecycle/restore-position.ts";
import { setAssets } from "../history/set-assets.ts";
import { ConflictError, retryOnConflict } from "../conflict.ts";
import type { Deps, Stores } from "../deps.ts";
import type { ChangeSelection } from "../history/ports.ts";
import { recordRevision, startAssetsRevision, type Editor } from "../history/record.ts";
import { trashPost, untrashPost } from "../posts/delete-post.ts";
import { planPost, type PostPlan } from "./plan-post.ts";
import { addConflict, addUndone, type UndoReport } from "./report.ts";

export type UndoDeps = Pick<
  Deps,
  "posts" | "assets" | "revisions" | "assetChanges" | "transact" | "clock" | "limits" | "newId"
>;

/** An asset to put back on a post once the post that it is on now lets go of it. */
export interface WaitingAsset {
  postId: string;
  assetId: string;
  /** The post's assets as they should be. */
  order: readonly string[];
}

/** Applies the plan of one post and adds to the report; returns the assets that are still on another post. */
export function undoPost(
  deps: UndoDeps,
  editor: Editor,
  postId: string,
  selection: ChangeSelection,
  report: UndoReport,
): Promise<WaitingAsset[]> {
  return retryOnConflict(async () => {
    const plan = await planPost(deps, editor.studio.id, postId, selection);
    if (!plan || plan.isCreation) return [];
    const missingIds = await deps.transact((tx) => applyPlan(deps, tx, editor, plan));
    reportPlan(report, plan);
    return missingIds.map((assetId) => ({ postId, assetId, order: plan.assets?.assetIds ?? [] }));
  });
}

async function applyPlan(deps: UndoDeps, tx: Stores, editor: Editor, plan: PostPlan): Promise<string[]> {
  const { post, change, assets } = plan;
  const assetIds = assets?.assetIds;
  const hasNewAssets = assetIds !== undefined;
  const isRestored = plan.trash === false;
  let missingIds: string[] = [];
  let { revision } = post;
  if (Object.keys(change).length > 0 || hasNewAssets || isRestored) {
    const fields = { ...change, hasNewAssets };
    const updatedPost = isRestored
      ? await untrashPost(deps, tx, editor, post.id, fields, { revision })
      : await tx.posts.update(post.studioId, post.id, fields, { revision, now: deps.clock() });
    if (!updatedPost) throw new ConflictError();
    if (assetIds) {
      const missing = await setAssets(deps, tx, editor, post.id, assetIds);
      missingIds = missing.map((asset) => asset.id);
    }
    await recordRevision(tx, editor, post.id, { hasNewAssets });
    revision = updatedPost.revision;
  }
  if (plan.trash === true) {
    if (!(await trashPost(deps, tx, editor, post.id, { revision }))) throw new ConflictError();
    await recordRevision(tx, editor, post.id);
  }
  return missingIds;
}

/** Moves a post that the client created to the trash. Assets that another post waits for are detached first. */
export function undoCreation(
  deps: UndoDeps,
  editor: Editor,
  postId: string,
  selection: ChangeSelection,
  waitingIds: ReadonlySet<string>,
  report: UndoReport,
): Promise<void> {
  return retryOnConflict(async () => {
    const plan = await planPost(deps, editor.studio.id, postId, selection);
    if (!plan?.isCreation) return;
    const { studioId } = plan.post;
    await deps.transact(async (tx) => {
      let { revision } = plan.post;
      const leavingAssets = (await tx.assets.listByPosts([postId])).filter((asset) => waitingIds.has(asset.id));
      if (leavingAssets.length > 0) {
        if ((await startAssetsRevision(deps, tx, studioId, postId)) !== revision + 1) throw new ConflictError();
        revision++;
        for (const asset of leavingAssets) {
          if (!(await tx.assets.detach(studioId, asset.id, postId))) throw new ConflictError();
          await tx.posts.releasePosition(studioId, postId);
        }
        await recordRevision(tx, editor, postId, { hasNewAssets: true });
      }
      if (!(await trashPost(deps, tx, editor, postId, { revision }))) throw new ConflictError();
      await recordRevision(tx, editor, postId);
    });
    reportPlan(report, plan);
  });
}

/** Puts an asset back on its post; false if it is gone or still on another post. */
export async function attachWaiting(deps: UndoDeps, editor: Editor, waiting: WaitingAsset): Promise<boolean> {
  const { postId, assetId, order } = waiting;
  const studioId = editor.studio.id;
  return deps
    .transact(async (tx) => {
      await startAssetsRevision(deps, tx, studioId, postId);
      const currentIds = (await tx.assets.listByPosts([postId])).map((asset) => asset.id);
      const assetIds = currentIds.toSpliced(findInsertIndex(currentIds, assetId, order), 0, assetId);
      const position = await tx.posts.reservePosition(studioId, postId, deps.limits.assetsPerPost);
      if (position === undefined || !(await tx.assets.attach(studioId, assetId, { postId, position })))
        throw new ConflictError();
      await assignPositions(tx, studioId, postId, assetIds);
      await recordRevision(tx, editor, postId, { hasNewAssets: true });
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof ConflictError) return false;
      throw error;
    });
}

/** Adds what the plan undoes, and its conflicts, to the report. */
export function reportPlan(report: UndoReport, plan: PostPlan): void {
  const { id } = plan.post;
  if (plan.isCreation) return addUndone(report, { type: "post", id, field: "created" });
  if (plan.isEditedCreation)
    addConflict(report, { type: "post", id, field: "created", clientValue: true, currentValue: true });
  for (const field of Object.keys(plan.change)) addUndone(report, { type: "post", id, field });
  if (plan.trash !== undefined) addUndone(report, { type: "post", id, field: "trashed" });
  for (const conflict of plan.conflicts) addConflict(report, { type: "post", id, ...conflict });
  const { assets } = plan;
  if (!assets) return;
  for (const assetId of [...assets.attach, ...assets.detach])
    addUndone(report, { type: "asset", id: assetId, field: "postId" });
  for (const { assetId, wasAttached } of assets.conflicts)
    addConflict(report, {
      type: "asset",
      id: assetId,
      field: "postId",
      clientValue: wasAttached ? id : null,
      currentValue: wasAttached ? null : id,
    });
  if (assets.isOrderReverted) addUndone(report, { type: "post", id, field: "assets" });
  if (assets.orderConflict)
    addConflict(report, {
      type: "post",
      id,
      field: "assets",
      clientValue: assets.orderConflict,
      currentValue: "another order",
    });
}
