import type { ChangeCursor, ChangeSelection, ListChangedIds } from "../ports/history.ts";
import type { Editor } from "../changes/editor.ts";
import { createReport, removeDuplicates, reportUnattachable, type UndoReport } from "./report.ts";
import { undoAsset } from "./undo-asset.ts";
import { undoComment } from "./undo-comment.ts";
import { undoPublications } from "./undo-publications.ts";
import { attachWaitingAsset, undoPost, type UndoDeps, type WaitingAsset } from "./undo-post.ts";

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
  report.publications = await undoPublications(deps, editor, selection);
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
