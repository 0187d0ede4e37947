import type { Asset } from "../model/asset.ts";
import type { AssetFieldChange } from "../model/revision.ts";
import type { ChangeSelection } from "../ports/history.ts";
import type { Deps } from "../ports/deps.ts";
import { planField } from "./plan-field.ts";

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
  const fieldPlan = planField(moves.map(({ isSelected }) => ({ isSelected, isChange: true })));
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
