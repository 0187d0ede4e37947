import { notFoundError } from "#lib/errors.ts";
import { type ChangeActivity, recordChange } from "./record-activity.ts";
import { createTransitionError } from "../model/asset-transitions.ts";
import type { Asset, ReadyAsset } from "../model/asset.ts";
import type { AssetChange } from "../ports/assets.ts";
import type { Tx } from "../ports/deps.ts";
import { changePost } from "./change-post.ts";
import type { ChangeDeps, Editor } from "./editor.ts";
import { attach, detach } from "./post-assets.ts";
import { updateAsset } from "./writes/asset-rows.ts";

export interface AssetEdit {
  change: AssetChange;
  /** As in `PostEdit`, if the asset is on a post. */
  keepsApproval: boolean;
  activity: ((asset: Asset) => ChangeActivity) | null;
}

/**
 * Edits an asset: the only way to do so. The edit is also one of the asset's post if platforms show the difference.
 * Throws `ConflictError` if the asset has changed since it was read.
 */
export async function changeAsset(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  asset: Asset,
  { change, keepsApproval, activity }: AssetEdit,
): Promise<Asset> {
  const update = (): Promise<Asset> => updateAsset({ deps, tx, editor }, asset, change);
  const { postId } = asset;
  const isPostEdit = postId !== null && asset.status === "ready" && isShownInPosts(asset, change);
  const changedAsset = isPostEdit
    ? (await changePost(deps, tx, editor, postId, { changeAssets: update, keepsApproval, activity: null })).outcome
    : await update();
  if (activity) await recordChange(deps, tx, editor, asset.id, activity(changedAsset));
  return changedAsset;
}

/** Whether platforms show the change: the alt text, and the name of a document, which LinkedIn uses as its title. */
function isShownInPosts({ kind, altText, filename }: Asset, change: AssetChange): boolean {
  const isChanged = <T>(before: T, after: T | undefined): boolean => after !== undefined && after !== before;
  return isChanged(altText, change.altText) || (kind === "document" && isChanged(filename, change.filename));
}

/**
 * Attaches a ready asset as the last one or, with `previousOrder`, where it was in that order. Throws `ConflictError` if
 * the post or the asset has changed.
 */
export async function attachToPost(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  asset: Asset,
  {
    postId,
    previousOrder,
    keepsApproval,
  }: { postId: string; previousOrder?: readonly string[] | undefined; keepsApproval: boolean },
): Promise<ReadyAsset> {
  const { outcome } = await changePost(deps, tx, editor, postId, {
    changeAssets: (edit) => attach(edit, asset, previousOrder),
    keepsApproval,
    activity: null,
  });
  const detail = { postId, filename: asset.filename };
  await recordChange(deps, tx, editor, asset.id, { action: "asset.attached", detail });
  return outcome;
}

/** Detaches an asset from a post. */
export async function detachFromPost(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  assetId: string,
  { postId, keepsApproval }: { postId: string; keepsApproval: boolean },
): Promise<void> {
  const { outcome } = await changePost(deps, tx, editor, postId, {
    changeAssets: async (edit) => {
      const detachedAsset = await detach(edit, assetId);
      if (detachedAsset) return detachedAsset;
      throw (await tx.assets.find(editor.studio.id, assetId))
        ? createTransitionError("detach")
        : notFoundError("asset");
    },
    keepsApproval,
    activity: null,
    createError: () => notFoundError("post"),
  });
  const detail = { postId, filename: outcome.filename };
  await recordChange(deps, tx, editor, assetId, { action: "asset.detached", detail });
}
