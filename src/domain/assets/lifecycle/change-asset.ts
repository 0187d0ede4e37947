import { ConflictError } from "../../conflict.ts";
import type { Deps, Tx } from "../../deps.ts";
import type { AssetFieldChange } from "../../history/ports.ts";
import { recordRevision, startAssetsRevision, toAuthor, type Editor } from "../../history/record.ts";
import type { Asset } from "../model/asset.ts";
import type { AssetChange } from "../ports.ts";

/** Changes an asset and records the change for undo. Throws `ConflictError` if the asset changed since it was read. */
export async function changeAsset(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  asset: Asset,
  change: AssetChange,
): Promise<Asset> {
  const now = deps.clock();
  const changedAsset = await tx.assets.update(asset, change, now);
  if (!changedAsset) throw new ConflictError();
  await tx.assetChanges.record(changedAsset, now, toAuthor(editor), listChanges(asset, changedAsset));
  return changedAsset;
}

/** Like `changeAsset`, but also records a new revision of the asset's post if the change is visible in the post. */
export async function changeAssetAndPost(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Editor,
  asset: Asset,
  change: AssetChange,
): Promise<Asset> {
  const { postId, studioId } = asset;
  if (postId === null || asset.status !== "ready" || !isShownInPosts(asset, change))
    return changeAsset(deps, tx, editor, asset, change);
  await startAssetsRevision(deps, tx, studioId, postId);
  const changedAsset = await changeAsset(deps, tx, editor, asset, change);
  await recordRevision(deps, tx, editor, postId, { haveAssetsChanged: true });
  return changedAsset;
}

/** Whether platforms show the change: the alt text, and the name of a document, which LinkedIn uses as its title. */
function isShownInPosts({ kind, altText, filename }: Asset, change: AssetChange): boolean {
  const isChanged = <T>(before: T, after: T | undefined): boolean => after !== undefined && after !== before;
  return isChanged(altText, change.altText) || (kind === "document" && isChanged(filename, change.filename));
}

/** Records for undo that the transaction attached an asset to a post or detached it. */
export function recordMove(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  editor: Editor,
  movedAsset: Asset,
  fromPostId: string | null,
): Promise<void> {
  const change = { field: "postId" as const, before: fromPostId, after: movedAsset.postId };
  return tx.assetChanges.record(movedAsset, deps.clock(), toAuthor(editor), [change]);
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
