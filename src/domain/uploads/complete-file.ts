import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Asset, UploadingAsset, ReadyAsset } from "../assets/model/asset.ts";
import { createStoredFileSource } from "../assets/content/byte-source.ts";
import { readMediaMetadata } from "../assets/model/media-metadata.ts";
import { fitExtension } from "../assets/model/filename.ts";
import type { StoredFile } from "../assets/model/file-store.ts";
import { checkContent, type ContentCheckResult } from "../assets/content/check-content.ts";
import { recognizeType } from "../assets/content/detect-type.ts";
import { removeFiles, deleteRecord } from "../assets/lifecycle/delete-files.ts";
import { chargeStudio } from "../assets/lifecycle/store-bytes.ts";
import type { Deps } from "../deps.ts";
import { undefinedOnConflict, ConflictError } from "../conflict.ts";
import { authorize } from "../policy.ts";
import { getFile, toUploadInProgress, toFileView, type FileView } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";

type Needs = Pick<
  Deps,
  | "uploads"
  | "assets"
  | "strayFiles"
  | "transact"
  | "files"
  | "media"
  | "signer"
  | "newId"
  | "clock"
  | "base"
  | "limits"
>;

/** The result of the content check, with the recognized type. */
type CheckedContent = ContentCheckResult & Pick<Asset, "kind" | "mimeType" | "filename">;

const maxAttempts = 10;

/**
 * Completes an upload: the store assembles the parts, the content is checked, and the asset becomes ready at the
 * position reserved when the upload started. Parallel calls and calls after a crash converge on one outcome: the store
 * completes once, and one conditional statement marks the record ready.
 */
export async function completeFile(deps: Needs, caller: UploadCaller, input: { fileId: string }): Promise<FileView> {
  authorize(caller, "assets.write");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) return toFileView(deps, caller, file);
    const storedFile = await deps.files.parts.complete(upload.multipartFile);
    if (!storedFile) throw missingPartsError();
    const content = await checkUploadedContent(deps, caller, upload.asset, storedFile);
    const readyAsset = content && (await markReady(deps, caller, upload.asset, storedFile, content));
    if (readyAsset) return toFileView(deps, caller, { ...file, asset: readyAsset });
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

/** Rejected files are deleted with their record and position. Returns undefined if a parallel call was first. */
async function checkUploadedContent(
  deps: Needs,
  caller: UploadCaller,
  asset: UploadingAsset,
  { bytes }: StoredFile,
): Promise<CheckedContent | undefined> {
  try {
    const source = createStoredFileSource(deps.files, asset.storageKey, bytes);
    const { kind, mimeType } = await recognizeType(source, asset);
    const checkResult = await checkContent(source, { kind, mimeType });
    return { ...checkResult, kind, mimeType, filename: fitExtension(asset.filename, mimeType) };
  } catch (error) {
    if (!(error instanceof AppError) || !["too_large", "type_mismatch", "invalid_input"].includes(error.code)) {
      // A parallel call may have checked and deleted the file first.
      const currentAsset = await deps.assets.find(asset.studioId, asset.id);
      if (currentAsset?.status === "pending") throw error;
      return undefined;
    }
    const wasRemoved = await deps
      .transact(async (tx) => {
        await deleteRecord(deps, tx, asset);
        await recordActivity(deps, tx, caller, "asset.refused", asset.id, {
          filename: asset.filename,
          code: error.code,
        });
        return true;
      })
      .catch(undefinedOnConflict);
    if (!wasRemoved) return undefined;
    await removeFiles(deps, asset);
    throw error;
  }
}

async function markReady(
  deps: Needs,
  caller: UploadCaller,
  asset: UploadingAsset,
  storedFile: StoredFile,
  content: CheckedContent,
): Promise<ReadyAsset | undefined> {
  const { id, studioId, postId, storageKey } = asset;
  const { kind, mimeType, filename } = content;
  const metadata = await readMediaMetadata(
    deps,
    createStoredFileSource(deps.files, storageKey, storedFile.bytes),
    content,
    content,
  );
  return deps
    .transact(async (tx) => {
      if (!(await tx.posts.bumpRevision(studioId, postId, deps.clock()))) throw new ConflictError();
      const readyAsset = await tx.assets.confirmReserved(asset, {
        ...storedFile,
        ...metadata,
        kind,
        mimeType,
        filename,
      });
      if (!readyAsset) throw new ConflictError();
      const unchargedBytes = storedFile.bytes - asset.chargedBytes;
      if (unchargedBytes !== 0) await chargeStudio(deps, tx, studioId, unchargedBytes);
      const detail = { postId, filename, bytes: storedFile.bytes, linkId: caller.link.id };
      await recordActivity(deps, tx, caller, "asset.attached", id, detail);
      return readyAsset;
    })
    .catch(undefinedOnConflict);
}

const missingPartsError = (): AppError => new AppError("not_uploaded:parts");
