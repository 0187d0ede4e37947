import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../../deps.ts";
import { ConflictError } from "../../conflict.ts";
import type { Asset } from "../model/asset.ts";

export type AttachDeps = Pick<
  Deps,
  "assets" | "posts" | "strayFiles" | "transact" | "files" | "media" | "newId" | "newSecret" | "clock" | "limits"
>;

/** Reserves a position in one conditional statement, so that parallel calls can't exceed the limit. */
export async function reservePosition(
  deps: Pick<Deps, "limits">,
  tx: Stores,
  asset: Asset,
  postId: string,
): Promise<number> {
  const position = await tx.posts.reservePosition(asset.studioId, postId, deps.limits.assetsPerPost);
  if (position !== undefined) return position;
  // The post is not full: it was deleted meanwhile.
  if (!(await tx.posts.find(asset.studioId, postId))) throw new ConflictError();
  return rejectFullPost(deps, tx, asset);
}

/** Reports the full post only if the asset is still unattached; a parallel call may have attached it meanwhile. */
export async function rejectFullPost(
  deps: Pick<Deps, "limits">,
  stores: Pick<Stores, "assets">,
  asset: Asset,
): Promise<never> {
  const currentAsset = await stores.assets.find(asset.studioId, asset.id);
  if (currentAsset?.postId !== null) throw new ConflictError();
  throw new AppError("asset_limit_reached", { limit: deps.limits.assetsPerPost });
}
