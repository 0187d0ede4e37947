import { type ChangeActivity, recordChange } from "./record-activity.ts";
import { type Asset, isUploading, type ReadyAsset, type UploadingAsset } from "../model/asset.ts";
import type { Claim, ConfirmedFile, RecognizedFile } from "../ports/assets.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Tx } from "../ports/deps.ts";
import { changePost } from "./change-post.ts";
import type { Change, ChangeDeps, Editor } from "./editor.ts";
import { chargeStudio, recordMove, reservePosition } from "./writes/asset-rows.ts";
import { writes } from "../ports/write-stores.ts";

/** A pending asset with the claim of its presigned upload. */
export type ClaimedAsset = Asset & Claim;

export interface Confirmation {
  file: ConfirmedFile & RecognizedFile;
  /** The post that the asset is attached to. An upload in parts has its position there already. */
  postId: string | null;
  keepsApproval: boolean;
  activity: ChangeActivity;
}

/** Marks a pending asset ready and charges its bytes. Throws `ConflictError` if it has changed since it was read. */
export async function confirmAsset(
  deps: ChangeDeps,
  tx: Tx,
  editor: Editor,
  asset: ClaimedAsset | UploadingAsset,
  { file, postId, keepsApproval, activity }: Confirmation,
): Promise<ReadyAsset> {
  const confirm = async (): Promise<ReadyAsset> => {
    const readyAsset = await markReady({ deps, tx, editor }, asset, file, postId);
    if (!readyAsset) throw new ConflictError();
    if (postId !== null) await recordMove({ deps, tx, editor }, readyAsset, null);
    return readyAsset;
  };
  const readyAsset =
    postId === null
      ? await confirm()
      : (await changePost(deps, tx, editor, postId, { changeAssets: confirm, keepsApproval, activity: null })).outcome;
  await chargeStudio({ deps, tx }, asset.studioId, file.bytes - asset.chargedBytes);
  await recordChange(deps, tx, editor, asset.id, activity);
  return readyAsset;
}

async function markReady(
  change: Change,
  asset: ClaimedAsset | UploadingAsset,
  file: ConfirmedFile & RecognizedFile,
  postId: string | null,
): Promise<ReadyAsset | undefined> {
  if (isUploading(asset)) return change.tx[writes].assets.confirmUploaded(asset, file);
  if (postId === null) throw new Error("a presigned upload is confirmed when it is attached to a post");
  const position = await reservePosition(change, asset, postId);
  return change.tx[writes].assets.confirmAndAttach(asset.id, asset, file, { postId, position });
}
