import { AppError } from "#lib/errors.ts";
import type { Deps, Stores } from "../../deps.ts";
import { ConflictError } from "../../conflict.ts";
import type { Asset } from "../model/asset.ts";

/** What putting an asset on a post takes. */
export type AttachDeps = Pick<
  Deps,
  "assets" | "posts" | "strayFiles" | "transact" | "files" | "media" | "newId" | "newSecret" | "clock" | "limits"
>;

/** A place on the post for an asset that has none; the count holds because this is one conditional statement. */
export async function reservePosition(
  deps: Pick<Deps, "limits" | "clock">,
  tx: Stores,
  asset: Asset,
  postId: string,
): Promise<number> {
  const position = await tx.posts.reservePosition(asset.studioId, postId, deps.limits.assetsPerPost, deps.clock());
  return position ?? rejectFullPost(deps, tx, asset);
}

/** The post is full, which says something only of an asset that is still on none: a parallel call may have moved it. */
export async function rejectFullPost(
  deps: Pick<Deps, "limits">,
  stores: Pick<Stores, "assets">,
  asset: Asset,
): Promise<never> {
  const current = await stores.assets.find(asset.studioId, asset.id);
  if (current?.postId !== null) throw new ConflictError();
  throw new AppError("asset_limit_reached", { limit: deps.limits.assetsPerPost });
}
