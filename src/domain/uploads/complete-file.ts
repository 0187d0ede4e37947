import { AppError } from "#lib/errors.ts";
import type { ReadyAsset, UploadingAsset } from "../assets/model/asset.ts";
import { fitExtension } from "../assets/model/filename.ts";
import type { StoredFile } from "../assets/model/file-store.ts";
import { checkContent } from "../assets/content/check-content.ts";
import { recognizeType } from "../assets/content/detect-type.ts";
import { recordMove } from "../assets/lifecycle/change-asset.ts";
import { confirmStoredFile } from "../assets/lifecycle/confirm-stored-file.ts";
import type { Deps } from "../deps.ts";
import { recordRevision, startAssetsRevision } from "../history/record.ts";
import { authorize } from "../policy.ts";
import { getFile, toUploadInProgress, toFileView, type FileView } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";

type CompleteDeps = Pick<
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
  | "baseUrl"
  | "limits"
>;

const maxAttempts = 10;

/**
 * Completes an upload: the store assembles the parts, the content is checked, and the asset becomes ready in the
 * library, or on the post at the position reserved when the upload started. Parallel calls and calls after a crash
 * converge on one outcome: the store completes once, and one conditional statement marks the record ready.
 */
export async function completeFile(
  deps: CompleteDeps,
  caller: UploadCaller,
  input: { fileId: string },
): Promise<FileView> {
  authorize(caller, "assets.write");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) return toFileView(deps, caller, file);
    const storedFile = await deps.files.parts.complete(upload.multipartFile);
    if (!storedFile) throw missingPartsError();
    const readyAsset = await confirmCompletedFile(deps, caller, upload.asset, storedFile);
    if (readyAsset) return toFileView(deps, caller, { ...file, asset: readyAsset });
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

function confirmCompletedFile(
  deps: CompleteDeps,
  caller: UploadCaller,
  asset: UploadingAsset,
  storedFile: StoredFile,
): Promise<ReadyAsset | undefined> {
  return confirmStoredFile(deps, caller, asset, storedFile, {
    async checkFile(source) {
      const { kind, mimeType } = await recognizeType(source, asset);
      const checkResult = await checkContent(source, { kind, mimeType });
      return { ...checkResult, kind, mimeType, filename: fitExtension(asset.filename, mimeType) };
    },
    async markReady(tx, file) {
      const { postId } = asset;
      if (postId === null) return tx.assets.confirmUploaded(asset, file);
      await startAssetsRevision(deps, tx, asset.studioId, postId);
      const readyAsset = await tx.assets.confirmUploaded(asset, file);
      if (!readyAsset) return undefined;
      await recordMove(deps, tx, caller.uploader, readyAsset, null);
      await recordRevision(deps, tx, caller.uploader, postId, { haveAssetsChanged: true });
      return readyAsset;
    },
    activityDetail: { linkId: caller.link.id },
  });
}

const missingPartsError = (): AppError => new AppError("not_uploaded:parts");
