import type { ChangeSelection } from "../history/ports.ts";
import type { Editor } from "../history/record.ts";
import { planPost } from "./plan-post.ts";
import { addConflict, createReport, type UndoReport } from "./report.ts";
import { planAsset, reportAssetPlan, undoAsset } from "./undo-asset.ts";
import { attachWaiting, reportPlan, undoCreation, undoPost, type UndoDeps, type WaitingAsset } from "./undo-post.ts";

const batchSize = 200;

interface SelectedIds {
  postIds: string[];
  assetIds: string[];
}

/** The posts and assets with selected changes. */
export async function listSelected(
  deps: Pick<UndoDeps, "revisions" | "assetChanges">,
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
  };
}

/** Reports what undo would do now, without doing it. */
export async function previewUndo(
  deps: UndoDeps,
  studioId: string,
  selection: ChangeSelection,
  { postIds, assetIds }: SelectedIds,
): Promise<UndoReport> {
  const report = createReport();
  for (const assetId of assetIds) {
    const plan = await planAsset(deps, studioId, assetId, selection);
    if (plan) reportAssetPlan(report, plan);
  }
  for (const postId of postIds) {
    const plan = await planPost(deps, studioId, postId, selection);
    if (plan) reportPlan(report, plan);
  }
  return report;
}

/**
 * Undoes the selected changes, each post and asset in its own transaction. The order lets assets move between posts:
 * restore assets, change posts, move created posts to the trash, attach assets that were still on another post.
 */
export async function undoSelection(
  deps: UndoDeps,
  editor: Editor,
  selection: ChangeSelection,
  { postIds, assetIds }: SelectedIds,
): Promise<UndoReport> {
  const report = createReport();
  for (const assetId of assetIds) await undoAsset(deps, editor, assetId, selection, "restore", report);
  const waitingAssets: WaitingAsset[] = [];
  for (const postId of postIds) waitingAssets.push(...(await undoPost(deps, editor, postId, selection, report)));
  const waitingIds = new Set(waitingAssets.map(({ assetId }) => assetId));
  for (const postId of postIds) await undoCreation(deps, editor, postId, selection, waitingIds, report);
  for (const waiting of waitingAssets)
    if (!(await attachWaiting(deps, editor, waiting))) await reportUnattachable(deps, editor, waiting, report);
  for (const phase of ["change", "trash"] as const)
    for (const assetId of assetIds) await undoAsset(deps, editor, assetId, selection, phase, report);
  return report;
}

async function reportUnattachable(
  deps: UndoDeps,
  editor: Editor,
  { assetId }: WaitingAsset,
  report: UndoReport,
): Promise<void> {
  report.undone = report.undone.filter(({ id, field }) => id !== assetId || field !== "postId");
  const asset = await deps.assets.find(editor.studio.id, assetId);
  addConflict(report, {
    type: "asset",
    id: assetId,
    field: "postId",
    clientValue: null,
    currentValue: asset?.postId ?? null,
  });
}
