import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { type ClaimedAsset, confirmAsset, type Confirmation } from "../changes/confirm-asset.ts";
import { deletePendingAsset } from "../changes/delete-content.ts";
import type { Editor } from "../changes/editor.ts";
import type { Asset, ReadyAsset, UploadingAsset } from "../model/asset.ts";
import { ConflictError } from "../model/conflict.ts";
import type { ConfirmedFile, RecognizedFile } from "../ports/assets.ts";
import { type ByteSource, createStoredFileSource } from "../ports/byte-source.ts";
import type { Deps } from "../ports/deps.ts";
import type { StoredFile } from "../ports/file-store.ts";
import { type ContentCheckResult, readMediaMetadata } from "./content/check-content.ts";
import { removeFiles } from "./delete-files.ts";

type ConfirmDeps = Pick<
  Deps,
  "assets" | "strayFiles" | "transact" | "files" | "media" | "newId" | "clock" | "limits" | "platforms"
>;

/** The steps that differ between a presigned upload and an upload in parts. */
export interface ConfirmationSteps extends Pick<Confirmation, "postId"> {
  /** Throws `too_large`, `type_mismatch` or `invalid_input` to reject the file. */
  checkFile(source: ByteSource): Promise<ContentCheckResult & RecognizedFile>;
  /** The author of the post's edit. */
  editor: Editor;
  /** Additional fields for the activity's detail. */
  activityDetail?: Record<string, unknown>;
}

/**
 * Checks the content of a stored file, then marks its asset ready. Rejected files are deleted with their record. Throws
 * `ConflictError` if a parallel call changed the asset first.
 */
export async function confirmStoredFile(
  deps: ConfirmDeps,
  caller: Caller,
  asset: ClaimedAsset | UploadingAsset,
  storedFile: StoredFile,
  { checkFile, editor, postId, activityDetail }: ConfirmationSteps,
): Promise<ReadyAsset> {
  const file = await checkStoredFile(deps, caller, asset, storedFile, checkFile);
  const detail = {
    ...(postId === null ? {} : { postId }),
    filename: file.filename,
    bytes: file.bytes,
    ...activityDetail,
  };
  const action = postId === null ? "asset.uploaded" : "asset.attached";
  return deps.transact(caller, (tx) =>
    confirmAsset(deps, tx, editor, asset, {
      file,
      postId,
      keepsApproval: tx.mayPublish,
      activity: { action, detail, actor: caller },
    }),
  );
}

async function checkStoredFile(
  deps: ConfirmDeps,
  caller: Caller,
  asset: ClaimedAsset | UploadingAsset,
  storedFile: StoredFile,
  checkFile: ConfirmationSteps["checkFile"],
): Promise<ConfirmedFile & RecognizedFile> {
  const source = createStoredFileSource(deps.files, asset.storageKey, storedFile.bytes);
  try {
    const { kind, mimeType, filename, imageHeader } = await checkFile(source);
    const metadata = await readMediaMetadata(deps, source, { kind, mimeType }, { imageHeader });
    return { ...storedFile, ...metadata, kind, mimeType, filename };
  } catch (error) {
    if (error instanceof AppError && ["too_large", "type_mismatch", "invalid_input"].includes(error.code))
      return rejectUpload(deps, caller, asset, error);
    // A parallel call may have rejected and deleted the file while this one read it.
    const currentAsset = await deps.assets.find(asset.studioId, asset.id);
    throw currentAsset?.status === "pending" ? error : new ConflictError();
  }
}

/** Deletes the asset and its bytes, then throws the rejection. */
export async function rejectUpload(
  deps: Pick<ConfirmDeps, "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
  asset: Asset,
  rejection: AppError,
): Promise<never> {
  const detail = { filename: asset.filename, code: rejection.code };
  const unusedFiles = await deps.transact(caller, (tx) =>
    deletePendingAsset(deps, tx, caller, asset, { action: "asset.refused", detail }),
  );
  await removeFiles(deps, unusedFiles);
  throw rejection;
}
