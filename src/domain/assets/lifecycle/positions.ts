import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../../deps.ts";
import { ConflictError } from "../../conflict.ts";
import type { Asset, ReadyAsset } from "../model/asset.ts";

/** Reserves a position in one conditional statement, so that parallel calls can't exceed the limit. */
export async function reservePosition(
  deps: Pick<Deps, "limits">,
  tx: Stores,
  asset: Asset,
  postId: string,
): Promise<number> {
  const position = await tx.posts.reservePosition(asset.studioId, postId, deps.limits.assetsPerPost);
  if (position !== undefined) return position;
  const isPostDeleted = !(await tx.posts.find(asset.studioId, postId));
  if (isPostDeleted) throw new ConflictError();
  return throwPostFull({ limits: deps.limits, assets: tx.assets }, asset);
}

/** Throws `ConflictError` instead if a parallel call has attached or deleted the asset. */
export async function throwPostFull(deps: Pick<Deps, "limits" | "assets">, asset: Asset): Promise<never> {
  const currentAsset = await deps.assets.find(asset.studioId, asset.id);
  if (currentAsset?.postId !== null) throw new ConflictError();
  throw postFullError(deps);
}

export const postFullError = ({ limits }: Pick<Deps, "limits">): AppError =>
  new AppError("asset_limit_reached", { limit: limits.assetsPerPost });

/** Moves an asset, which this transaction attached at the end, to its position in an earlier order of the post. */
export async function restorePosition(
  tx: Stores,
  { id, studioId }: ReadyAsset,
  postId: string,
  previousOrder: readonly string[],
): Promise<void> {
  const otherIds = (await tx.assets.listByPosts([postId])).map((asset) => asset.id).filter((other) => other !== id);
  const index = findInsertIndex(otherIds, id, previousOrder);
  if (index < otherIds.length) await assignPositions(tx, studioId, postId, otherIds.toSpliced(index, 0, id));
}

/**
 * Returns where to insert an asset so that it is where it was in `previousOrder`. The post may have changed since then,
 * so this is after the asset's nearest predecessor that is still present, or else before its nearest successor.
 */
export function findInsertIndex(presentIds: readonly string[], id: string, previousOrder: readonly string[]): number {
  const isPresent = (other: string): boolean => presentIds.includes(other);
  const oldIndex = previousOrder.indexOf(id);
  const predecessor = previousOrder.slice(0, Math.max(oldIndex, 0)).findLast(isPresent);
  if (predecessor !== undefined) return presentIds.indexOf(predecessor) + 1;
  const successor = previousOrder.slice(oldIndex + 1).find(isPresent);
  return oldIndex === -1 || successor === undefined ? presentIds.length : presentIds.indexOf(successor);
}

/**
 * Gives the assets new positions in this order. The transaction must already have updated the post's row, which locks
 * the row and makes parallel attaches wait.
 */
export async function assignPositions(
  tx: Stores,
  studioId: string,
  postId: string,
  order: readonly string[],
): Promise<void> {
  if (order.length === 0) return;
  const firstPosition = await tx.posts.allocatePositionNumbers(studioId, postId, order.length);
  await tx.assets.setPositions(
    postId,
    order.map((assetId, i) => ({ assetId, position: firstPosition + i })),
  );
}
