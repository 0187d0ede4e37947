/**
 * Returns where to insert an asset so that it is where it was in `previousOrder`. The post may have changed since then,
 * so this is after the asset's nearest predecessor that is still present, or else before its nearest successor.
 */
export function findInsertIndex(
  presentIds: readonly string[],
  id: string,
  previousOrder: readonly string[],
  presentIdSet: ReadonlySet<string> = new Set(presentIds),
): number {
  const isPresent = (other: string): boolean => presentIdSet.has(other);
  const oldIndex = previousOrder.indexOf(id);
  const predecessor = previousOrder.slice(0, Math.max(oldIndex, 0)).findLast(isPresent);
  if (predecessor !== undefined) return presentIds.indexOf(predecessor) + 1;
  const successor = previousOrder.slice(oldIndex + 1).find(isPresent);
  return oldIndex === -1 || successor === undefined ? presentIds.length : presentIds.indexOf(successor);
}
