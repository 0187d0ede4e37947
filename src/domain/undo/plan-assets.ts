import { findInsertIndex } from "../model/asset-order.ts";
import type { RevisionStep } from "../model/revision.ts";
import { createPause } from "../steps/pause.ts";
import { type MovePlan, planField } from "./plan-field.ts";

/** A step that changed the assets. */
interface AssetStep {
  index: number;
  isSelected: boolean;
}

/** How the assets of a post changed from step to step. */
export interface AssetHistory {
  listChanges: AssetStep[];
  orderChanges: AssetStep[];
  /** When each asset joined or left the post; without assets that did neither. */
  moves: Map<string, AssetStep[]>;
}

/** How many ids are compared in one iteration of the event loop: a few milliseconds. */
const idsPerIteration = 20_000;

/** Compares each step with the one before it, once, because a post can have thousands of steps and of moved assets. */
export async function compareSteps(steps: readonly RevisionStep[]): Promise<AssetHistory> {
  const pause = createPause(idsPerIteration);
  const history: AssetHistory = { listChanges: [], orderChanges: [], moves: new Map() };
  let previousIds = steps[0]?.assetIds ?? [];
  for (const [index, { isSelected, assetIds }] of steps.entries()) {
    await pause(1 + previousIds.length + assetIds.length);
    const step: AssetStep = { index, isSelected };
    if (previousIds.join() !== assetIds.join()) history.listChanges.push(step);
    if (!isSameOrder(previousIds, assetIds)) history.orderChanges.push(step);
    const [before, after] = [new Set(previousIds), new Set(assetIds)];
    const leftIds = previousIds.filter((assetId) => !after.has(assetId));
    for (const assetId of [...leftIds, ...assetIds.filter((id) => !before.has(id))]) {
      const moves = history.moves.get(assetId);
      if (moves) moves.push(step);
      else history.moves.set(assetId, [step]);
    }
    previousIds = assetIds;
  }
  return history;
}

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
export function listMovedIds(steps: readonly RevisionStep[], { moves }: AssetHistory): string[] {
  const firstIds = steps[0]?.assetIds ?? [];
  return [...new Set([...firstIds.filter((assetId) => moves.has(assetId)), ...moves.keys()])];
}

/** Plans the move of each asset separately, and the order of all assets as one field. */
export async function planAssets(
  postId: string,
  steps: readonly RevisionStep[],
  history: AssetHistory,
  moves: ReadonlyMap<string, MovePlan>,
): Promise<AssetsPlan> {
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
  const presentIds = new Set(currentIds);
  for (const [assetId, move] of moves) {
    if (move.kind === "conflict") {
      if (move.target !== move.currentValue) plan.conflicts.push({ assetId, move });
    } else if (move.target !== postId && presentIds.has(assetId)) plan.detachIds.push(assetId);
    else if (move.target === postId && !presentIds.has(assetId)) plan.attachIds.push(assetId);
  }
  const stayingIds = currentIds.filter((assetId) => !plan.detachIds.includes(assetId));
  const originalIds = findOriginalIds(steps, history);
  let assetIds: string[];
  if (originalIds) {
    const idsAfterUndo = new Set([...stayingIds, ...plan.attachIds]);
    const addedIds = stayingIds.filter((assetId) => !originalIds.includes(assetId));
    assetIds = [...originalIds.filter((assetId) => idsAfterUndo.has(assetId)), ...addedIds];
    // Compare the original list with the current one: if an asset was detached and attached again, the order may have
    // changed, and comparing consecutive lists would not detect this.
    plan.isOrderReverted = !isSameOrder(originalIds, currentIds);
  } else {
    assetIds = await insertInOrder(steps, history, stayingIds, plan.attachIds);
    const order = planOrder(steps, history);
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
function findOriginalIds(steps: readonly RevisionStep[], { listChanges }: AssetHistory): readonly string[] | undefined {
  const first = listChanges.findIndex((step) => step.isSelected);
  const isUntouched = first >= 0 && listChanges.slice(first).every((step) => step.isSelected);
  return isUntouched ? getIdsBefore(steps, listChanges[first]) : undefined;
}

const getIdsBefore = (steps: readonly RevisionStep[], step: AssetStep | undefined): readonly string[] | undefined =>
  step && steps[step.index - 1]?.assetIds;

interface OrderPlan {
  kind: "revert" | "conflict";
  target: readonly string[];
  clientOrder: string[];
}

function planOrder(steps: readonly RevisionStep[], { orderChanges }: AssetHistory): OrderPlan | undefined {
  const fieldPlan = planField(orderChanges);
  if (!fieldPlan) return undefined;
  const [firstStep, lastStep] = [orderChanges[fieldPlan.first], orderChanges[fieldPlan.last]];
  const clientOrder = lastStep && steps[lastStep.index]?.assetIds;
  return { kind: fieldPlan.kind, target: getIdsBefore(steps, firstStep) ?? [], clientOrder: clientOrder ?? [] };
}

/**
 * Inserts assets at the positions that they had before they left the post. The asset that left last is inserted first,
 * because the positions of assets that left earlier are relative to it.
 */
async function insertInOrder(
  steps: readonly RevisionStep[],
  { moves }: AssetHistory,
  stayingIds: readonly string[],
  attachIds: readonly string[],
): Promise<string[]> {
  const departures = attachIds.map((assetId) => {
    const assetSteps = moves.get(assetId) ?? [];
    const step = assetSteps[planField(assetSteps)?.first ?? -1];
    const listBefore = getIdsBefore(steps, step) ?? [];
    return { assetId, first: step?.index ?? 0, listBefore, index: listBefore.indexOf(assetId) };
  });
  const pause = createPause(idsPerIteration);
  const assetIds = [...stayingIds];
  const presentIds = new Set(assetIds);
  for (const { assetId, listBefore } of departures.toSorted((a, b) => b.first - a.first || a.index - b.index)) {
    await pause(listBefore.length + assetIds.length);
    assetIds.splice(findInsertIndex(assetIds, assetId, listBefore, presentIds), 0, assetId);
    presentIds.add(assetId);
  }
  return assetIds;
}

/** Sorts the ids that `order` contains, within the positions that they have now. Other ids keep their positions. */
function sortByOrder(assetIds: readonly string[], order: readonly string[]): string[] {
  const [presentIds, orderedIds] = [new Set(assetIds), new Set(order)];
  const sortedIds = order.filter((assetId) => presentIds.has(assetId));
  return assetIds.map((assetId) => (orderedIds.has(assetId) ? (sortedIds.shift() ?? assetId) : assetId));
}

/** Whether the ids that both lists contain have the same order in both. */
function isSameOrder(a: readonly string[], b: readonly string[]): boolean {
  const [idsInA, idsInB] = [new Set(a), new Set(b)];
  const sharedInA = a.filter((id) => idsInB.has(id));
  const sharedInB = b.filter((id) => idsInA.has(id));
  return sharedInA.every((id, i) => id === sharedInB[i]);
}
