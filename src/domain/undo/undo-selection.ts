import type { Editor } from "../changes/editor.ts";
import type { Asset } from "../model/asset.ts";
import type { ChangeCursor, ChangeSelection, ListChangedIds } from "../ports/history.ts";
import { planPost } from "./plan-post.ts";
import { createReport, removeDuplicates, reportUnattachable, type UndoReport } from "./report.ts";
import { planAsset, readAssetHistory, reportAssetPlan, selectPhase, undoAsset } from "./undo-asset.ts";
import { planComment, reportCommentPlan, undoComment } from "./undo-comment.ts";
import { attachWaitingAsset, reportPlan, type UndoDeps, undoPost, type WaitingAsset } from "./undo-post.ts";
import { undoPublications } from "./undo-publications.ts";

const batchSize = 200;

export interface SelectedIds {
  postIds: string[];
  assetIds: string[];
  commentIds: string[];
}

/** The posts, assets and comments with selected changes. */
export async function listSelectedIds(
  deps: Pick<UndoDeps, "revisions" | "assetChanges" | "comments">,
  studioId: string,
  selection: ChangeSelection,
): Promise<SelectedIds> {
  const listAll = async (list: ListChangedIds): Promise<string[]> => {
    const ids = new Set<string>();
    let after: ChangeCursor | undefined;
    do {
      const page = await list(studioId, selection, after, batchSize);
      for (const id of page.ids) ids.add(id);
      after = page.next;
    } while (after);
    return [...ids].toSorted();
  };
  return {
    postIds: await listAll(deps.revisions.listPostIds),
    assetIds: await listAll(deps.assetChanges.listAssetIds),
    commentIds: await listAll(deps.comments.listChangedIds),
  };
}

/**
 * Undoes the selected changes, each post, asset and comment in its own transaction. The order lets assets move between
 * posts: restore assets, change their fields, change posts, attach assets that were still on another post, and change
 * assets that came back with a post.
 */
export async function undoSelection(
  deps: UndoDeps,
  editor: Editor,
  selection: ChangeSelection,
  { postIds, assetIds, commentIds }: SelectedIds,
): Promise<UndoReport> {
  const report = createReport();
  report.publications = await undoPublications(deps, editor.studio.id, selection, editor);
  for (const phase of ["restore", "beforePosts"] as const)
    for (const assetId of assetIds) await undoAsset(deps, editor, assetId, selection, phase, report);
  const waitingAssets: WaitingAsset[] = [];
  for (const postId of postIds) waitingAssets.push(...(await undoPost(deps, editor, postId, selection, report)));
  for (const waitingAsset of waitingAssets) {
    if (await attachWaitingAsset(deps, editor, waitingAsset)) continue;
    const { assetId, clientValue } = waitingAsset;
    const asset = await deps.assets.findWithTrash(editor.studio.id, assetId);
    reportUnattachable(report, assetId, { clientValue, currentValue: asset?.postId ?? null });
  }
  for (const assetId of assetIds) await undoAsset(deps, editor, assetId, selection, "afterPosts", report);
  for (const commentId of commentIds) await undoComment(deps, editor, commentId, selection, report);
  return removeDuplicates(report);
}

/** Any time: the plans only read whether an asset is in the trash. */
const someTime = Number.MAX_SAFE_INTEGER;

/** Reports what undo would do now, without doing it. */
export async function simulateUndo(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
  { postIds, assetIds, commentIds }: SelectedIds,
): Promise<UndoReport> {
  const report = createReport();
  report.publications = await undoPublications(deps, studioId, selection);
  const restoredIds = new Set<string>();
  for (const assetId of assetIds) {
    const history = await readAssetHistory(deps, studioId, assetId, selection);
    if (!history) continue;
    const plan = planAsset(history.asset, history.steps);
    for (const phase of ["restore", "beforePosts"] as const) reportAssetPlan(report, selectPhase(plan, phase));
    if (plan.trash === false) restoredIds.add(assetId);
  }
  // Keeps only this of each plan, because the texts of all posts would need too much memory.
  const trashByPost = new Map<string, boolean>();
  const detachedFrom = new Map<string, string>();
  const attachments: { assetId: string; postId: string; clientValue: string | null }[] = [];
  for (const postId of postIds) {
    const plan = await planPost(deps, studioId, postId, selection);
    if (!plan) continue;
    reportPlan(report, plan);
    const { attachIds, detachIds, moves } = plan.assets;
    if (plan.trash !== undefined) trashByPost.set(postId, plan.trash);
    for (const assetId of detachIds) detachedFrom.set(assetId, postId);
    for (const assetId of attachIds)
      attachments.push({ assetId, postId, clientValue: moves.get(assetId)?.clientValue ?? null });
  }
  const isDetached = ({ id, postId }: Asset): boolean => postId !== null && detachedFrom.get(id) === postId;
  for (const { assetId, clientValue } of attachments) {
    const asset = await deps.assets.findWithTrash(studioId, assetId);
    const isInTrash = asset?.trashExpiresAt !== null && !restoredIds.has(assetId);
    if (!asset || (asset.postId === null ? isInTrash : !isDetached(asset)))
      reportUnattachable(report, assetId, { clientValue, currentValue: asset?.postId ?? null });
  }
  const attachedIds = new Set(report.undone.filter(({ field }) => field === "postId").map(({ id }) => id));
  // The first post wins if several plans attach the asset.
  const newPostIds = new Map(attachments.toReversed().map(({ assetId, postId }) => [assetId, postId]));
  /** Returns the asset as it will be after assets are restored and attached to their posts again. */
  const predictAsset = (asset: Asset): Asset => {
    const newPostId = attachedIds.has(asset.id) ? newPostIds.get(asset.id) : undefined;
    const postId = newPostId ?? (isDetached(asset) ? null : asset.postId);
    const postTrash = postId === null ? undefined : trashByPost.get(postId);
    // An asset that is detached leaves the trash of its post.
    const isRestored = restoredIds.has(asset.id) || isDetached(asset) || postTrash === false;
    const trashExpiresAt = isRestored ? null : asset.trashExpiresAt;
    return { ...asset, postId, trashExpiresAt: postTrash === true ? someTime : trashExpiresAt };
  };
  for (const assetId of assetIds) {
    const history = await readAssetHistory(deps, studioId, assetId, selection);
    if (history)
      reportAssetPlan(report, selectPhase(planAsset(predictAsset(history.asset), history.steps), "afterPosts"));
  }
  for (const commentId of commentIds)
    reportCommentPlan(report, await planComment(deps, studioId, commentId, selection));
  return removeDuplicates(report);
}
