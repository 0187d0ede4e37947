import { findInsertIndex } from "../model/asset-order.ts";
import type { RevisionStep } from "../model/revision.ts";
import { type MovePlan, planField } from "./plan-field.ts";

/** What undo does with the assets of one post. */
export interface AssetsPlan {
  currentIds: readonly string[];
  /** What undo does with each asset that the client moved. */
  moves: ReadonlyMap<string, MovePlan>;
  /** The assets that the post gets, in order; undefined if nothing changes. */
  assetIds: string[] | undefined;
  attachIds: string[];
  detachIds: string[];
  isOrderReverted: boolean;
  /** Assets that someone else moved afterwards. */
  conflicts: { assetId: string; move: MovePlan }[];
  /** The client's order, if someone else changed the order afterwards; otherwise undefined. */
  orderConflict: string[] | undefined;
}

/** The assets that were on the post in some, but not all, of the steps. */
export function listMovedIds(steps: readonly RevisionStep[]): string[] {
  const assetIds = new Set(steps.flatMap((step) => step.assetIds));
  return [...assetIds].filter((assetId) => !steps.every((step) => step.assetIds.includes(assetId)));
}

/** Plans the move of each asset separately, and the order of all assets as one field. */
export function planAssets(
  postId: string,
  steps: readonly RevisionStep[],
  moves: ReadonlyMap<string, MovePlan>,
): AssetsPlan {
  const currentIds = steps.at(-1)?.assetIds ?? [];
  const plan: AssetsPlan = {
    currentIds,
    moves,
    assetIds: undefined,
    attachIds: [],
    detachIds: [],
    isOrderReverted: false,
    conflicts: [],
    orderConflict: undefined,
  };
  for (const [assetId, move] of moves) {
    if (move.kind === "conflict") {
      if (move.target !== move.currentValue) plan.conflicts.push({ assetId, move });
    } else if (move.target !== postId && currentIds.includes(assetId)) plan.detachIds.push(assetId);
    else if (move.target === postId && !currentIds.includes(assetId)) plan.attachIds.push(assetId);
  }
  const stayingIds = currentIds.filter((assetId) => !plan.detachIds.includes(assetId));
  const originalIds = findOriginalIds(steps);
  let assetIds: string[];
  if (originalIds) {
    const isOnPostAfterUndo = (assetId: string): boolean =>
      stayingIds.includes(assetId) || plan.attachIds.includes(assetId);
    const addedIds = stayingIds.filter((assetId) => !originalIds.includes(assetId));
    assetIds = [...originalIds.filter(isOnPostAfterUndo), ...addedIds];
    // Compare the original list with the current one: if an asset was detached and attached again, the order may have
    // changed, and comparing consecutive lists would not detect this.
    plan.isOrderReverted = !isSameOrder(originalIds, currentIds);
  } else {
    assetIds = insertInOrder(steps, stayingIds, plan.attachIds);
    const order = planOrder(steps);
    if (order && !isSameOrder(order.target, assetIds)) {
      plan.isOrderReverted = order.kind === "revert";
      if (plan.isOrderReverted) assetIds = sortByOrder(assetIds, order.target);
      else plan.orderConflict = order.clientOrder;
    }
  }
  if (plan.attachIds.length > 0 || plan.detachIds.length > 0 || plan.isOrderReverted) plan.assetIds = assetIds;
  return plan;
}

/** Keeps only the conflicts, for a post that undo can't change. */
export const withoutChanges = (plan: AssetsPlan): AssetsPlan => ({
  ...plan,
  assetIds: undefined,
  attachIds: [],
  detachIds: [],
  isOrderReverted: false,
});

/** The assets before the first selected change of the list, if no one else has changed the list since then. */
function findOriginalIds(steps: readonly RevisionStep[]): readonly string[] | undefined {
  const hasListChanged = (i: number): boolean => i > 0 && steps[i]?.assetIds.join() !== steps[i - 1]?.assetIds.join();
  const first = steps.findIndex((step, i) => step.isSelected && hasListChanged(i));
  if (first < 0) return undefined;
  const isUntouched = steps.every((step, i) => i < first || step.isSelected || !hasListChanged(i));
  return isUntouched ? steps[first - 1]?.assetIds : undefined;
}

interface OrderPlan {
  kind: "revert" | "conflict";
  target: readonly string[];
  clientOrder: string[];
}

function planOrder(steps: readonly RevisionStep[]): OrderPlan | undefined {
  const changes = steps.map((step, i) => i > 0 && !isSameOrder(steps[i - 1]?.assetIds ?? [], step.assetIds));
  const fieldPlan = planField(steps, (i) => changes[i] === true);
  if (!fieldPlan) return undefined;
  const [stepBefore, lastStep] = [steps[fieldPlan.first - 1], steps[fieldPlan.last]];
  return { kind: fieldPlan.kind, target: stepBefore?.assetIds ?? [], clientOrder: lastStep?.assetIds ?? [] };
}

/**
 * Inserts assets at the positions that they had before they left the post. The asset that left last is inserted first,
 * because the positions of assets that left earlier are relative to it.
 */
function insertInOrder(
  steps: readonly RevisionStep[],
  stayingIds: readonly string[],
  attachIds: readonly string[],
): string[] {
  const departures = attachIds.map((assetId) => {
    const isPresent = steps.map((step) => step.assetIds.includes(assetId));
    const fieldPlan = planField(steps, (i) => i > 0 && isPresent[i] !== isPresent[i - 1]);
    const first = fieldPlan?.first ?? 0;
    const listBefore = steps[first - 1]?.assetIds ?? [];
    return { assetId, first, listBefore, index: listBefore.indexOf(assetId) };
  });
  let assetIds = [...stayingIds];
  for (const { assetId, listBefore } of departures.toSorted((a, b) => b.first - a.first || a.index - b.index))
    assetIds = assetIds.toSpliced(findInsertIndex(assetIds, assetId, listBefore), 0, assetId);
  return assetIds;
}

/** Sorts the ids that `order` contains, within the positions that they have now. Other ids keep their positions. */
function sortByOrder(assetIds: readonly string[], order: readonly string[]): string[] {
  const sortedIds = order.filter((assetId) => assetIds.includes(assetId));
  return assetIds.map((assetId) => (order.includes(assetId) ? (sortedIds.shift() ?? assetId) : assetId));
}

/** Whether the ids that both lists contain have the same order in both. */
function isSameOrder(a: readonly string[], b: readonly string[]): boolean {
  const sharedInA = a.filter((id) => b.includes(id));
  const sharedInB = b.filter((id) => a.includes(id));
  return sharedInA.every((id, i) => id === sharedInB[i]);
}
