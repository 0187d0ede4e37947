import { AppError } from "#lib/errors.ts";
import { changePost } from "../changes/change-post.ts";
import { createTrashMark, type Editor } from "../changes/editor.ts";
import { reattach, setAssets, type MissingAsset } from "../changes/post-assets.ts";
import { ConflictError, retryOnConflict, undefinedOnConflict } from "../model/conflict.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";
import { planPost, type PostPlan } from "./plan-post.ts";
import { addConflict, type UndoReport } from "./report.ts";

export type UndoDeps = Pick<
  Deps,
  | "posts"
  | "assets"
  | "comments"
  | "publications"
  | "revisions"
  | "assetChanges"
  | "transact"
  | "clock"
  | "limits"
  | "newId"
  | "longWork"
  | "platforms"
>;

/** An asset to attach to a post again, after it is detached from its current post. */
export interface WaitingAsset {
  postId: string;
  assetId: string;
  /** The post's assets as they should be. */
  order: readonly string[];
  /** The post that the client moved the asset to; null if the client removed it from its post. */
  clientValue: string | null;
}

/** Applies the plan of one post and adds to the report; returns the assets that are not available yet. */
export function undoPost(
  deps: UndoDeps,
  editor: Editor,
  postId: string,
  selection: ChangeSelection,
  report: UndoReport,
): Promise<WaitingAsset[]> {
  return retryOnConflict(async () => {
    const plan = await planPost(deps, editor.studio.id, postId, selection);
    if (!plan) return [];
    const missingIds = await deps.transact(editor, (tx) => applyPlan(deps, tx, editor, plan)).catch(conflictIfInUse);
    reportPlan(report, plan);
    return missingIds.map((assetId) => ({
      postId,
      assetId,
      order: plan.assets.assetIds ?? [],
      clientValue: plan.assets.moves.get(assetId)?.clientValue ?? null,
    }));
  });
}

/** A publication was scheduled since the plan was made: plan again. */
function conflictIfInUse(error: unknown): never {
  throw error instanceof AppError && error.code === "post_in_use" ? new ConflictError() : error;
}

async function applyPlan(deps: UndoDeps, tx: Tx, editor: Editor, plan: PostPlan): Promise<string[]> {
  const { post, change, assets } = plan;
  const { assetIds } = assets;
  const edit = { keepsApproval: tx.mayPublish, activity: null };
  const isRestored = plan.trash === false;
  let missingAssets: readonly MissingAsset[] = [];
  let { revision } = post;
  if (Object.keys(change).length > 0 || assetIds || isRestored) {
    const { post: updatedPost } = await changePost(deps, tx, editor, post.id, {
      ...edit,
      revision,
      fields: { ...change, ...(isRestored ? { trash: null } : {}) },
      // The phase `restore` has restored the assets that the client deleted. Those still in the trash stay there,
      // because someone else deleted them.
      changeAssets:
        assetIds &&
        (async (runningEdit) => {
          missingAssets = await setAssets(runningEdit, { assetIds, withTrash: false });
        }),
    });
    revision = updatedPost.revision;
  }
  if (plan.trash === true)
    await changePost(deps, tx, editor, post.id, {
      ...edit,
      revision,
      fields: { trash: createTrashMark(deps, editor) },
    });
  return missingAssets.map((asset) => asset.id);
}

/** Attaches an asset to its former post; returns false if that is still impossible. */
export async function attachWaitingAsset(
  deps: UndoDeps,
  editor: Editor,
  { postId, assetId, order }: WaitingAsset,
): Promise<boolean> {
  const attachment = await deps
    .transact(editor, (tx) =>
      changePost(deps, tx, editor, postId, {
        changeAssets: async (edit) => {
          if (await reattach(edit, assetId, { withTrash: false, previousOrder: order })) throw new ConflictError();
        },
        keepsApproval: tx.mayPublish,
        activity: null,
      }),
    )
    .catch(undefinedOnConflict);
  return attachment !== undefined;
}

/** Adds what the plan undoes, and its conflicts, to the report. */
export function reportPlan(report: UndoReport, plan: PostPlan): void {
  const { id } = plan.post;
  if (plan.isEditedCreation)
    addConflict(report, { type: "post", id, field: "created", clientValue: true, currentValue: true });
  for (const field of Object.keys(plan.change)) report.undone.push({ type: "post", id, field });
  if (plan.trash !== undefined)
    report.undone.push({ type: "post", id, field: plan.isCreation ? "created" : "trashed" });
  for (const conflict of plan.conflicts) addConflict(report, { type: "post", id, ...conflict });
  const { assets } = plan;
  for (const assetId of [...assets.attachIds, ...assets.detachIds])
    report.undone.push({ type: "asset", id: assetId, field: "postId" });
  for (const { assetId, move } of assets.conflicts) {
    const { clientValue, currentValue } = move;
    addConflict(report, { type: "asset", id: assetId, field: "postId", clientValue, currentValue });
  }
  if (assets.isOrderReverted) report.undone.push({ type: "post", id, field: "assets" });
  if (assets.orderConflict)
    addConflict(report, {
      type: "post",
      id,
      field: "assets",
      clientValue: assets.orderConflict,
      currentValue: assets.currentIds,
    });
}
