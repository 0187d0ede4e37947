import type { Asset } from "../model/asset.ts";
import type { AssetFieldChange } from "../model/revision.ts";
import type { Deps } from "../ports/deps.ts";
import type { ChangeSelection } from "../ports/history.ts";

/**
 * - `revert`: no one else changed the field after the last selected change. Restore the value from before the step
 *   `first`, the start of the last uninterrupted run of selected changes.
 * - `conflict`: someone else changed the field after the selected change `last`, so their value stays.
 */
export type FieldPlan = { kind: "revert" | "conflict"; first: number; last: number } | undefined;

/**
 * Decides what to do with one field, given its history from the first selected change on, oldest first. `isChange` returns
 * whether the field changed in a step; by default, it changed in all of them.
 */
export function planField(
  steps: readonly { isSelected: boolean }[],
  isChange: (index: number) => boolean = () => true,
): FieldPlan {
  const last = steps.findLastIndex((step, i) => step.isSelected && isChange(i));
  if (last < 0) return undefined;
  const lastByOthers = steps.findLastIndex((step, i) => i < last && !step.isSelected && isChange(i));
  const first = steps.findIndex((step, i) => i > lastByOthers && step.isSelected && isChange(i));
  const isOverwritten = steps.some((_, i) => i > last && isChange(i));
  return { kind: isOverwritten ? "conflict" : "revert", first, last };
}

/** Which post undo moves an asset to. The posts that the asset was on in between do not matter. */
export interface MovePlan {
  kind: "revert" | "conflict";
  /** The post that the asset was on before; null if it was on none. */
  target: string | null;
  /** The post that the client moved the asset to; null if the client removed it from its post. */
  clientValue: string | null;
  currentValue: string | null;
}

/** Undefined if the selection does not contain a move of this asset. */
function planMove(
  steps: readonly (AssetFieldChange & { isSelected: boolean })[],
  currentValue: string | null,
): MovePlan | undefined {
  const moves = steps.filter((step) => step.field === "postId");
  const fieldPlan = planField(moves);
  if (!fieldPlan) return undefined;
  return {
    kind: fieldPlan.kind,
    target: moves[fieldPlan.first]?.before ?? null,
    clientValue: moves[fieldPlan.last]?.after ?? null,
    currentValue,
  };
}

export async function readMovePlans(
  deps: Pick<Deps, "assets" | "assetChanges">,
  studioId: string,
  assetIds: readonly string[],
  selection: ChangeSelection,
): Promise<Map<string, MovePlan>> {
  const plans = new Map<string, MovePlan>();
  for (const assetId of assetIds) {
    const asset: Asset | undefined = await deps.assets.findWithTrash(studioId, assetId);
    const plan = asset && planMove(await deps.assetChanges.listSteps(assetId, selection), asset.postId);
    if (plan) plans.set(assetId, plan);
  }
  return plans;
}
