import { quotaExceededError, throwPostFull } from "../quota.ts";
import type { Asset } from "../../model/asset.ts";
import type { AssetChange } from "../../ports/assets.ts";
import { ConflictError } from "../../model/conflict.ts";
import type { Deps, Tx } from "../../ports/deps.ts";
import type { AssetFieldChange } from "../../model/revision.ts";
import { type Change, toAuthor } from "../editor.ts";
import { writes } from "../../ports/write-stores.ts";

/** Changes an asset and records the change for undo. Throws `ConflictError` if the asset changed since it was read. */
export async function updateAsset({ deps, tx, editor }: Change, asset: Asset, change: AssetChange): Promise<Asset> {
  const now = deps.clock();
  const updatedAsset = await tx[writes].assets.update(asset, change, now);
  if (!updatedAsset) throw new ConflictError();
  await tx[writes].assetChanges.record(updatedAsset, now, toAuthor(editor), listChanges(asset, updatedAsset));
  return updatedAsset;
}

/** Records for undo that the transaction attached an asset to a post or detached it. */
export function recordMove({ deps, tx, editor }: Change, movedAsset: Asset, fromPostId: string | null): Promise<void> {
  const change = { field: "postId" as const, before: fromPostId, after: movedAsset.postId };
  return tx[writes].assetChanges.record(movedAsset, deps.clock(), toAuthor(editor), [change]);
}

/** Reserves a position in one conditional statement, so that parallel calls can't exceed the limit. */
export async function reservePosition(
  { deps, tx }: { deps: Pick<Deps, "limits">; tx: Tx },
  asset: Asset,
  postId: string,
): Promise<number> {
  const position = await tx[writes].posts.reservePosition(asset.studioId, postId, deps.limits.assetsPerPost);
  if (position !== undefined) return position;
  const isPostDeleted = !(await tx.posts.find(asset.studioId, postId));
  if (isPostDeleted) throw new ConflictError();
  return throwPostFull({ limits: deps.limits, assets: tx.assets }, asset);
}

/** Charges bytes to the studio's quota. Parallel calls wait for each other. Refunds (negative bytes) always succeed. */
export async function chargeStudio(
  { deps: { limits }, tx }: { deps: Pick<Deps, "limits">; tx: Tx },
  studioId: string,
  bytes: number,
): Promise<void> {
  if (bytes === 0) return;
  const limit = bytes > 0 ? limits.studioBytes : undefined;
  if (!(await tx[writes].assets.charge(studioId, bytes, limit))) throw quotaExceededError({ limits });
}

function listChanges(before: Asset, after: Asset): AssetFieldChange[] {
  const toFields = (asset: Asset) => ({
    altText: asset.altText,
    filename: asset.filename,
    tags: JSON.stringify(asset.tags),
    trashed: asset.trashExpiresAt === null ? "0" : "1",
  });
  const [oldFields, newFields] = [toFields(before), toFields(after)];
  return (["altText", "filename", "tags", "trashed"] as const)
    .filter((field) => oldFields[field] !== newFields[field])
    .map((field) => ({ field, before: oldFields[field], after: newFields[field] }));
}
