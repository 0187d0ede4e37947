import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../../activity/record.ts";
import type { Caller } from "../../caller.ts";
import { ConflictError, undefinedOnConflict } from "../../conflict.ts";
import type { Deps, Tx } from "../../deps.ts";
import { createStoredFileSource, type ByteSource } from "../content/byte-source.ts";
import type { ContentCheckResult } from "../content/check-content.ts";
import type { Asset, ReadyAsset } from "../model/asset.ts";
import type { StoredFile } from "../model/file-store.ts";
import { readMediaMetadata } from "../model/media-metadata.ts";
import type { ConfirmedFile, RecognizedFile } from "../ports.ts";
import { deleteAssetRecords, removeFiles } from "./delete-files.ts";
import { chargeStudio } from "./store-bytes.ts";

type ConfirmDeps = Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "media" | "newId" | "clock" | "limits">;

/** A pending asset whose bytes are at its file key, where clients can't change them. */
type StoredAsset = Asset & { storageKey: string };

/** The steps that differ between a presigned upload and an upload in parts. */
export interface ConfirmationSteps {
  /** Throws `too_large`, `type_mismatch` or `invalid_input` to reject the file. */
  checkFile(source: ByteSource): Promise<ContentCheckResult & RecognizedFile>;
  /** Marks the record ready. Returns undefined or throws `ConflictError` if a parallel call changed the asset first. */
  markReady(tx: Tx, file: ConfirmedFile & RecognizedFile): Promise<ReadyAsset | undefined>;
  /** Additional fields for the activity's detail. */
  activityDetail?: Record<string, unknown>;
}

/**
 * Checks the content of a stored file, then marks its asset ready, charges the studio and records the activity in one
 * transaction. Rejected files are deleted with their record. Returns undefined if a parallel call changed the asset
 * first; the caller must then read the asset again.
 */
export async function confirmStoredFile(
  deps: ConfirmDeps,
  caller: Caller,
  asset: StoredAsset,
  storedFile: StoredFile,
  steps: ConfirmationSteps,
): Promise<ReadyAsset | undefined> {
  const file = await checkStoredFile(deps, caller, asset, storedFile, steps);
  if (!file) return undefined;
  return deps
    .transact(caller, async (tx) => {
      const readyAsset = await steps.markReady(tx, file);
      if (!readyAsset) throw new ConflictError();
      const unchargedBytes = file.bytes - asset.chargedBytes;
      if (unchargedBytes !== 0) await chargeStudio(deps, tx, asset.studioId, unchargedBytes);
      const { postId } = readyAsset;
      await recordActivity(deps, tx, caller, postId === null ? "asset.uploaded" : "asset.attached", asset.id, {
        ...(postId === null ? {} : { postId }),
        filename: file.filename,
        bytes: file.bytes,
        ...steps.activityDetail,
      });
      return readyAsset;
    })
    .catch(undefinedOnConflict);
}

async function checkStoredFile(
  deps: ConfirmDeps,
  caller: Caller,
  asset: StoredAsset,
  storedFile: StoredFile,
  { checkFile }: ConfirmationSteps,
): Promise<(ConfirmedFile & RecognizedFile) | undefined> {
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
    if (currentAsset?.status === "pending") throw error;
    return undefined;
  }
}

/** Deletes the asset and its bytes, then throws the rejection. Returns undefined on conflict. */
export async function rejectUpload(
  deps: Pick<ConfirmDeps, "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
  asset: Asset,
  rejection: AppError,
): Promise<undefined> {
  const unusedFiles = await deps
    .transact(caller, async (tx) => {
      const files = await deleteAssetRecords(deps, tx, [asset]);
      await recordActivity(deps, tx, caller, "asset.refused", asset.id, {
        filename: asset.filename,
        code: rejection.code,
      });
      return files;
    })
    .catch(undefinedOnConflict);
  if (!unusedFiles) return undefined;
  await removeFiles(deps, unusedFiles);
  throw rejection;
}
