import type { Stores } from "../../deps.ts";
import type { ReadyAsset } from "../model/asset.ts";

/** Moves an asset, which this transaction attached at the end, to its position in an earlier order of the post. */
export async function restorePosition(
  tx: Stores,
  { id, studioId }: ReadyAsset,
  postId: string,
  order: readonly string[],
): Promise<void> {
  const otherIds = (await tx.assets.listByPosts([postId])).map((asset) => asset.id).filter((other) => other !== id);
  const index = findInsertIndex(otherIds, id, order);
  if (index < otherIds.length) await assignPositions(tx, studioId, postId, otherIds.toSpliced(index, 0, id));
}

/**
 * The post may have changed since it had this order. The asset goes after its nearest predecessor that is still
 * present, or else before its nearest successor.
 */
export function findInsertIndex(presentIds: readonly string[], id: string, order: readonly string[]): number {
  const isPresent = (other: string): boolean => presentIds.includes(other);
  const oldIndex = order.indexOf(id);
  const predecessor = order.slice(0, Math.max(oldIndex, 0)).findLast(isPresent);
  if (predecessor !== undefined) return presentIds.indexOf(predecessor) + 1;
  const successor = order.slice(oldIndex + 1).find(isPresent);
  return oldIndex === -1 || successor === undefined ? presentIds.length : presentIds.indexOf(successor);
}

/** The transaction must already have updated the post's row: that locks it, so that parallel attaches wait. */
export async function assignPositions(
  tx: Stores,
  studioId: string,
  postId: string,
  order: readonly string[],
): Promise<void> {
  if (order.length === 0) return;
  const first = await tx.posts.allocatePositionNumbers(studioId, postId, order.length);
  await tx.assets.setPositions(
    postId,
    order.map((assetId, i) => ({ assetId, position: first + i })),
  );
}
