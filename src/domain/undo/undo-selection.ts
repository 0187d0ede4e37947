import type { ChangeSelection } from "../history/ports.ts";
import type { Editor } from "../history/record.ts";
import { createReport, reportUnattachable, type UndoReport } from "./report.ts";
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
  const listAll = async (list: (after: string) => Promise<string[]>): Promise<string[]> => {
    const ids: string[] = [];
    for (;;) {
      const batch = await list(ids.at(-1) ?? "");
      ids.push(...batch);
      if (batch.length < batchSize) return ids;
    }
  };
  return {
    postIds: await listAll((after) => deps.revisions.listPostIds(studioId, selection, after, batchSize)),
    assetIds: await listAll((after) => deps.assetChanges.listAssetIds(studioId, selection, after, batchSize)),
    commentIds: await listAll((after) => deps.comments.listChangedIds(studioId, selection, after, batchSize)),
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
  return report;
}
