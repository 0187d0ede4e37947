import { AppError } from "#lib/errors.ts";
import type { ReadyAsset, UploadingAsset } from "../model/asset.ts";
import { fitExtension } from "../steps/content/filename.ts";
import type { StoredFile } from "../ports/file-store.ts";
import { checkContent } from "../steps/content/check-content.ts";
import { recognizeType } from "../steps/content/detect-type.ts";
import { confirmStoredFile } from "../steps/confirm-stored-file.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
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
  return retryOnConflict(async () => {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) return toFileView(deps, caller, file);
    const storedFile = await deps.files.parts.complete(upload.multipartFile);
    if (!storedFile) throw missingPartsError();
    const readyAsset = await confirmCompletedFile(deps, caller, upload.asset, storedFile);
    return toFileView(deps, caller, { ...file, asset: readyAsset });
  });
}

function confirmCompletedFile(
  deps: CompleteDeps,
  caller: UploadCaller,
  asset: UploadingAsset,
  storedFile: StoredFile,
): Promise<ReadyAsset> {
  return confirmStoredFile(deps, caller, asset, storedFile, {
    async checkFile(source) {
      const { kind, mimeType } = await recognizeType(source, asset);
      const checkResult = await checkContent(source, { kind, mimeType });
      return { ...checkResult, kind, mimeType, filename: fitExtension(asset.filename, mimeType) };
    },
    editor: caller.uploader,
    postId: asset.postId,
    activityDetail: { linkId: caller.link.id },
  });
}

const missingPartsError = (): AppError => new AppError("not_uploaded:parts");
