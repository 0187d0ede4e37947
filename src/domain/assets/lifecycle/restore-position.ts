import type { Stores } from "../../deps.ts";
import type { ReadyAsset } from "../model/asset.ts";

/** Moves an asset, attached in this transaction and therefore last, to where it belongs by the order it once had. */
export async function restorePosition(
  tx: Stores,
  { id, studioId }: ReadyAsset,
  postId: string,
  order: readonly string[],
): Promise<void> {
  const others = (await tx.assets.listByPosts([postId])).map((asset) => asset.id).filter((other) => other !== id);
  const index = findIndexByOrder(others, id, order);
  if (index < others.length) await arrangeAssets(tx, studioId, postId, others.toSpliced(index, 0, id));
}

/** Others may have changed the post meanwhile: right after the nearest asset before it that is still there, or before the nearest after it. */
function findIndexByOrder(present: readonly string[], id: string, order: readonly string[]): number {
  const isPresent = (other: string): boolean => present.includes(other);
  const was = order.indexOf(id);
  const before = order.slice(0, Math.max(was, 0)).findLast(isPresent);
  if (before !== undefined) return present.indexOf(before) + 1;
  const after = order.slice(was + 1).find(isPresent);
  return was === -1 || after === undefined ? present.length : present.indexOf(after);
}

/** Gives the post's assets new positions. The transaction has changed the post's row, so nobody attaches meanwhile. */
export async function arrangeAssets(
  tx: Stores,
  studioId: string,
  postId: string,
  order: readonly string[],
): Promise<void> {
  if (order.length === 0) return;
  const first = await tx.posts.allocatePositions(studioId, postId, order.length);
  await tx.assets.setPositions(
    postId,
    order.map((assetId, i) => ({ assetId, position: first + i })),
  );
}
