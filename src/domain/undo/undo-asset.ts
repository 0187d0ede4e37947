import { changeAssetAndPost } from "../assets/lifecycle/change-asset.ts";
import type { Asset } from "../assets/model/asset.ts";
import { retryOnConflict } from "../conflict.ts";
import type { AssetField, ChangeSelection } from "../history/ports.ts";
import type { Editor } from "../history/record.ts";
import { createTrashMark } from "../trash/trash-mark.ts";
import { planField } from "./plan-field.ts";
import { addConflict, addUndone, type UndoConflict, type UndoReport } from "./report.ts";
import type { UndoDeps } from "./undo-post.ts";

interface AssetPlan {
  asset: Asset;
  change: { altText?: string | null; filename?: string };
  /** Whether the asset moves to the trash (true) or is restored (false). */
  trash: boolean | undefined;
  conflicts: UndoConflict[];
}

export async function planAsset(
  deps: UndoDeps,
  studioId: string,
  assetId: string,
  selection: ChangeSelection,
): Promise<AssetPlan | undefined> {
  const asset = await deps.assets.findWithTrash(studioId, assetId);
  // An asset in the trash together with its post comes back with it.
  if (!asset || (asset.trashExpiresAt !== null && asset.postId !== null)) return undefined;
  const steps = await deps.assetChanges.listSteps(assetId, selection);
  const current: Record<AssetField, string | null> = {
    altText: asset.altText,
    filename: asset.filename,
    trashed: asset.trashExpiresAt === null ? "0" : "1",
  };
  const plan: AssetPlan = { asset, change: {}, trash: undefined, conflicts: [] };
  for (const field of ["altText", "filename", "trashed"] as const) {
    const changes = steps.filter((step) => step.field === field);
    const fieldPlan = planField(changes.map(({ isSelected }) => ({ isSelected, isChange: true })));
    if (!fieldPlan) continue;
    const target = changes[fieldPlan.first]?.before ?? null;
    const clientValue = changes[fieldPlan.last]?.after ?? null;
    if (target === current[field]) continue;
    const isBlocked = field === "trashed" && target === "1" && asset.postId !== null;
    if (fieldPlan.kind === "conflict" || isBlocked)
      plan.conflicts.push({ type: "asset", id: assetId, field, ...toValues(field, clientValue, current[field]) });
    else if (field === "trashed") plan.trash = target === "1";
    else if (field === "altText") plan.change.altText = target;
    else plan.change.filename = target ?? asset.filename;
  }
  // While in the trash, an asset can't be changed.
  if (asset.trashExpiresAt !== null && plan.trash !== false) plan.change = {};
  return plan;
}

const toValues = (field: AssetField, clientValue: string | null, currentValue: string | null) =>
  field === "trashed"
    ? { clientValue: clientValue === "1", currentValue: currentValue === "1" }
    : { clientValue, currentValue };

export function reportAssetPlan(report: UndoReport, { asset, change, trash, conflicts }: AssetPlan): void {
  for (const field of Object.keys(change)) addUndone(report, { type: "asset", id: asset.id, field });
  if (trash !== undefined) addUndone(report, { type: "asset", id: asset.id, field: "trashed" });
  for (const conflict of conflicts) addConflict(report, conflict);
}

/** Assets are restored before posts get them back, and moved to the trash after posts let go of them. */
export type AssetPhase = "restore" | "change" | "trash";

export function undoAsset(
  deps: UndoDeps,
  editor: Editor,
  assetId: string,
  selection: ChangeSelection,
  phase: AssetPhase,
  report: UndoReport,
): Promise<void> {
  return retryOnConflict(async () => {
    const plan = await planAsset(deps, editor.studio.id, assetId, selection);
    if (!plan) return;
    const phasePlan = selectPhase(plan, phase);
    const change = {
      ...phasePlan.change,
      ...(phasePlan.trash === undefined ? {} : { trash: phasePlan.trash ? createTrashMark(deps, editor) : null }),
    };
    if (Object.keys(change).length > 0)
      await deps.transact((tx) => changeAssetAndPost(deps, tx, editor, plan.asset, change));
    reportAssetPlan(report, phasePlan);
  });
}

function selectPhase(plan: AssetPlan, phase: AssetPhase): AssetPlan {
  if (phase === "change") return { ...plan, trash: undefined };
  return { ...plan, change: {}, conflicts: [], trash: plan.trash === (phase === "trash") ? plan.trash : undefined };
}
