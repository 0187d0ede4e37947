import type { Asset } from "../model/asset.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { AssetField, AssetFieldChange } from "../model/revision.ts";
import type { ChangeSelection } from "../ports/history.ts";
import { createTrashMark, type Editor } from "../changes/editor.ts";
import { planField } from "./plan-field.ts";
import { addConflict, type UndoConflict, type UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

/** All fields except `postId`: undoing the changes of a post restores which assets it has. */
type OwnField = Exclude<AssetField, "postId">;
type ChangeStep = AssetFieldChange & { isSelected: boolean };

export interface AssetPlan {
  asset: Asset;
  change: { altText?: string | null; filename?: string; tags?: string[] };
  /** True if undo moves the asset to the trash, false if it restores the asset, undefined if it does neither. */
  trash: boolean | undefined;
  conflicts: UndoConflict[];
}

/** Undefined if the asset no longer exists or has expired in the trash. */
export async function readAssetHistory(
  deps: UndoDeps,
  studioId: string,
  assetId: string,
  selection: ChangeSelection,
): Promise<{ asset: Asset; steps: ChangeStep[] } | undefined> {
  const asset = await deps.assets.findWithTrash(studioId, assetId);
  if (!asset || (asset.trashExpiresAt !== null && asset.trashExpiresAt <= deps.clock())) return undefined;
  return { asset, steps: await deps.assetChanges.listSteps(assetId, selection) };
}

export function planAsset(asset: Asset, steps: readonly ChangeStep[]): AssetPlan {
  const plan: AssetPlan = { asset, change: {}, trash: undefined, conflicts: [] };
  const isTrashed = asset.trashExpiresAt !== null;
  const currentFields: Record<OwnField, string | null> = {
    altText: asset.altText,
    filename: asset.filename,
    tags: JSON.stringify(asset.tags),
    // An asset that is in the trash with its post is restored with the post.
    trashed: isTrashed && asset.postId === null ? "1" : "0",
  };
  for (const field of ["altText", "filename", "tags", "trashed"] as const) {
    const changes = steps.filter((step) => step.field === field);
    const fieldPlan = planField(changes);
    if (!fieldPlan) continue;
    const target = changes[fieldPlan.first]?.before ?? null;
    const clientValue = changes[fieldPlan.last]?.after ?? null;
    if (target === currentFields[field]) continue;
    const isBlocked = field === "trashed" && target === "1" && asset.postId !== null;
    if (fieldPlan.kind === "conflict" || isBlocked)
      plan.conflicts.push({
        type: "asset",
        id: asset.id,
        field,
        ...toValues(field, clientValue, currentFields[field]),
      });
    else if (field === "trashed") plan.trash = target === "1";
    else if (field === "altText") plan.change.altText = target;
    else if (field === "tags") plan.change.tags = parseTags(target);
    else plan.change.filename = target ?? asset.filename;
  }
  // While in the trash, an asset can't be changed.
  if (isTrashed && plan.trash !== false) plan.change = {};
  return plan;
}

const parseTags = (value: string | null): string[] => JSON.parse(value ?? "[]") as string[];

function toValues(field: OwnField, clientValue: string | null, currentValue: string | null) {
  if (field === "trashed") return { clientValue: clientValue === "1", currentValue: currentValue === "1" };
  if (field === "tags") return { clientValue: parseTags(clientValue), currentValue: parseTags(currentValue) };
  return { clientValue, currentValue };
}

export function reportAssetPlan(report: UndoReport, { asset, change, trash, conflicts }: AssetPlan): void {
  for (const field of Object.keys(change)) report.undone.push({ type: "asset", id: asset.id, field });
  if (trash !== undefined) report.undone.push({ type: "asset", id: asset.id, field: "trashed" });
  for (const conflict of conflicts) addConflict(report, conflict);
}

/**
 * When undo changes an asset:
 * - `restore`: restores it from the trash, so that a post can get it back.
 * - `beforePosts`: changes its fields before undo moves its post, and the asset with it, to the trash.
 * - `afterPosts`: changes its fields if they could not be changed before its post was restored, and moves it to the trash
 *   after it was detached.
 */
export type AssetPhase = "restore" | "beforePosts" | "afterPosts";

export function undoAsset(
  deps: UndoDeps,
  editor: Editor,
  assetId: string,
  selection: ChangeSelection,
  phase: AssetPhase,
  report: UndoReport,
): Promise<void> {
  return retryOnConflict(async () => {
    const history = await readAssetHistory(deps, editor.studio.id, assetId, selection);
    if (!history) return;
    const plan = selectPhase(planAsset(history.asset, history.steps), phase);
    const change = {
      ...plan.change,
      ...(plan.trash === undefined ? {} : { trash: plan.trash ? createTrashMark(deps, editor) : null }),
    };
    if (Object.keys(change).length > 0)
      await deps.transact(editor, (tx) =>
        changeAsset(deps, tx, editor, plan.asset, { change, keepsApproval: tx.mayPublish, activity: null }),
      );
    reportAssetPlan(report, plan);
  });
}

export function selectPhase(plan: AssetPlan, phase: AssetPhase): AssetPlan {
  if (phase === "beforePosts") return { ...plan, conflicts: [], trash: undefined };
  if (phase === "afterPosts") return { ...plan, trash: plan.trash === true ? true : undefined };
  return { ...plan, change: {}, conflicts: [], trash: plan.trash === false ? false : undefined };
}
