import { findInsertIndex } from "../assets/lifecycle/restore-position.ts";
import type { RevisionStep } from "../history/ports.ts";
import { planField } from "./plan-field.ts";

/** What undo does with the assets of one post. */
export interface AssetsPlan {
  /** The assets that the post gets, in order; undefined if nothing changes. */
  assetIds: string[] | undefined;
  attach: string[];
  detach: string[];
  isOrderReverted: boolean;
  /** Assets that someone else attached or detached afterwards, with whether the client had attached them. */
  conflicts: { assetId: string; wasAttached: boolean }[];
  /** Someone else changed the order afterwards: the client's order. */
  orderConflict: string[] | undefined;
}

/** Assets are compared one by one; their order is one field. */
export function planAssets(steps: readonly RevisionStep[]): AssetsPlan {
  const current = steps.at(-1)?.assetIds ?? [];
  const plan: AssetsPlan = {
    assetIds: undefined,
    attach: [],
    detach: [],
    isOrderReverted: false,
    conflicts: [],
    orderConflict: undefined,
  };
  /** For each asset to attach: the assets of the post before the client detached it. */
  const orderBefore = new Map<string, readonly string[]>();
  for (const assetId of new Set(steps.flatMap((step) => step.assetIds))) {
    const isOnPost = (i: number): boolean => steps[i]?.assetIds.includes(assetId) ?? false;
    const fieldPlan = planField(
      steps.map((step, i) => ({ isSelected: step.isSelected, isChange: i > 0 && isOnPost(i) !== isOnPost(i - 1) })),
    );
    if (!fieldPlan) continue;
    const [target, isAttached] = [isOnPost(fieldPlan.first - 1), current.includes(assetId)];
    if (target === isAttached) continue;
    if (fieldPlan.kind === "conflict") plan.conflicts.push({ assetId, wasAttached: isOnPost(fieldPlan.last) });
    else if (target) {
      plan.attach.push(assetId);
      orderBefore.set(assetId, steps[fieldPlan.first - 1]?.assetIds ?? []);
    } else plan.detach.push(assetId);
  }
  const orderPlan = planField(
    steps.map((step, i) => ({
      isSelected: step.isSelected,
      isChange: i > 0 && !isSameOrder(steps[i - 1]?.assetIds ?? [], step.assetIds),
    })),
  );
  const orderTarget = orderPlan && steps[orderPlan.first - 1]?.assetIds;
  if (orderPlan && orderTarget && !isSameOrder(orderTarget, current)) {
    if (orderPlan.kind === "revert") plan.isOrderReverted = true;
    else plan.orderConflict = steps[orderPlan.last]?.assetIds ?? [];
  }
  if (plan.attach.length > 0 || plan.detach.length > 0 || plan.isOrderReverted)
    plan.assetIds = arrange(steps, current, plan, orderBefore, plan.isOrderReverted ? orderTarget : undefined);
  return plan;
}

function arrange(
  steps: readonly RevisionStep[],
  current: readonly string[],
  plan: AssetsPlan,
  orderBefore: ReadonlyMap<string, readonly string[]>,
  orderTarget: readonly string[] | undefined,
): string[] {
  const firstSelected = steps.findIndex((step, i) => i > 0 && step.isSelected && step.changed.includes("assets"));
  const isUntouched = steps.slice(firstSelected).every((step) => step.isSelected || !step.changed.includes("assets"));
  // No one else changed the assets since, so they become exactly what they were.
  if (isUntouched) return [...(steps[firstSelected - 1]?.assetIds ?? [])];
  let assetIds = current.filter((assetId) => !plan.detach.includes(assetId));
  for (const assetId of plan.attach)
    assetIds = assetIds.toSpliced(findInsertIndex(assetIds, assetId, orderBefore.get(assetId) ?? []), 0, assetId);
  return orderTarget ? reorder(assetIds, orderTarget) : assetIds;
}

/** Sorts the ids that `order` contains by it, in the places that they have together; other ids keep theirs. */
function reorder(assetIds: readonly string[], order: readonly string[]): string[] {
  const sortedIds = order.filter((assetId) => assetIds.includes(assetId));
  return assetIds.map((assetId) => (order.includes(assetId) ? (sortedIds.shift() ?? assetId) : assetId));
}

/** Whether the ids that both lists contain have the same order in both. */
function isSameOrder(a: readonly string[], b: readonly string[]): boolean {
  const inBoth = a.filter((id) => b.includes(id));
  const other = b.filter((id) => a.includes(id));
  return inBoth.every((id, i) => id === other[i]);
}
