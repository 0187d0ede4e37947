import { z } from "zod";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { type DeclaredType, findAssetKind, normalizeMimeType } from "../model/declared-type.ts";
import { cleanFilename, guessTypeFromFilename, resolveFilename, truncateFilename } from "../steps/content/filename.ts";
import { headBytes } from "../ports/byte-source.ts";
import { recognizeTypeFromHead } from "../steps/content/detect-type.ts";
import { createFileKey } from "../model/storage-keys.ts";
import { buildPendingAsset } from "../steps/new-asset.ts";
import { choosePartBytes } from "../ports/file-store.ts";
import { checkQuota, postFullError } from "../changes/quota.ts";
import { removeAssets } from "../steps/delete-files.ts";
import { insertAsset } from "../changes/insert-asset.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import { authorize } from "../policy.ts";
import { text } from "../model/text.ts";
import { type FileView, toFileView, toUploadInProgress, type UploadDeps } from "./files.ts";
import { getLinkFileLimit, maxUploadDuration, type UploadCaller } from "./upload-link.ts";
import type { UploadFile } from "../model/upload.ts";
import { computeInitialReservation } from "./reserve-parts.ts";

export const startFileInput = z.strictObject({
  name: text(1000),
  size: z.number().int().min(0),
  lastModified: z
    .number()
    .int()
    .describe(
      "The file's modification time in milliseconds; with name and size it identifies the same file on resume.",
    ),
  type: text(200).default(""),
  head: z
    .base64()
    .max(Math.ceil(headBytes / 3) * 4)
    .optional()
    .describe("The first 64 KiB, so that an unsupported file is rejected before the rest is uploaded."),
});

type Input = z.infer<typeof startFileInput>;

export interface StartedFile {
  file: FileView;
  partBytes: number;
  /** Numbers of the parts that have arrived; empty for a new file. */
  parts: number[];
}

/**
 * Starts or resumes an upload. Name, size and modification time identify a file, so its upload can resume after a
 * reload, in another browser, or after the link's 30 minutes. A new file reserves its position on the post and its
 * share of the quota in the transaction that creates its record, so a full post is reported before any bytes are sent.
 */
export async function startFile(
  deps: UploadDeps,
  caller: UploadCaller,
  input: Input,
  getPartBytes = choosePartBytes,
): Promise<StartedFile> {
  authorize(caller, "assets.write");
  const fileHash = sha256(JSON.stringify([input.name, input.size, input.lastModified]));
  return retryOnConflict(async () => {
    const existingUpload = await deps.uploads.findFileByHash(caller.link.id, fileHash);
    return existingUpload
      ? resumeUpload(deps, caller, existingUpload)
      : startUpload(deps, caller, input, fileHash, getPartBytes(input.size));
  });
}

async function resumeUpload(deps: UploadDeps, caller: UploadCaller, existingUpload: UploadFile): Promise<StartedFile> {
  const { partBytes } = existingUpload;
  const upload = toUploadInProgress(deps, existingUpload);
  if (!upload) return { file: await toFileView(deps, caller, existingUpload), partBytes, parts: [] };
  const parts = await deps.files.parts.list(upload.multipartFile);
  if (parts) return { file: await toFileView(deps, caller, existingUpload), partBytes, parts };
  // The store no longer has the upload, so start again.
  await removeAssets(deps, [upload.asset]);
  throw new ConflictError();
}

async function startUpload(
  deps: UploadDeps,
  caller: UploadCaller,
  input: Input,
  fileHash: string,
  partBytes: number,
): Promise<StartedFile> {
  if (caller.state !== "open") throw new AppError("upload_expired:link");
  const { link, studio } = caller;
  const { size } = input;
  if (size === 0) throw new AppError("invalid_input:empty_file");
  const name = truncateFilename(cleanFilename(input.name));
  const declaredType = await recognizeTypeFromHead(input.head, size, guessType(name, input.type));
  await checkQuota(deps, studio.id, size);
  const post = link.postId === null ? undefined : await deps.posts.find(studio.id, link.postId);
  if (post && post.assetCount >= deps.limits.assetsPerPost) throw postFullError(deps);

  const newAsset = buildPendingAsset(
    deps,
    caller.uploader,
    { ...declaredType, filename: resolveFilename(name, declaredType) },
    maxUploadDuration,
  );
  const storageKey = createFileKey(deps, newAsset.id);
  const uploadId = await deps.files.parts.start(storageKey, {
    bytes: size,
    partBytes,
    mimeType: declaredType.mimeType,
  });
  const asset = await deps
    .transact(caller, async (tx) => {
      const { postId } = link;
      // A transaction of an upload link locks the link, so parallel calls can't exceed the limit.
      if ((await tx.uploads.countFiles(link.id)) >= getLinkFileLimit(deps))
        throw new AppError("quota_exceeded:link_files", { limit: getLinkFileLimit(deps) });
      const chargedBytes = await computeInitialReservation(deps, tx, link.id, size);
      const uploadFields = {
        postId,
        isLibraryUpload: postId === null,
        storageKey,
        sourceVersion: uploadId,
        chargedBytes,
      };
      const detail = { filename: newAsset.filename, postId, linkId: link.id };
      const activity = { action: "asset.requested", detail } as const;
      const insertedAsset = await insertAsset(deps, tx, caller, { ...newAsset, ...uploadFields }, activity);
      const file = { assetId: insertedAsset.id, bytes: size, partBytes };
      if (!(await tx.uploads.insertFile(link.id, fileHash, file, deps.clock()))) throw new ConflictError();
      return insertedAsset;
    })
    .catch(async (error: unknown) => {
      // If this fails, the sweeper aborts the upload.
      await deps.files.parts.abort({ key: storageKey, id: uploadId }).catch(() => {});
      throw error;
    });
  return { file: await toFileView(deps, caller, { asset, bytes: size }), partBytes, parts: [] };
}

/** Guesses from the extension, or from the browser's type if the extension is unknown. */
function guessType(name: string, browserType: string): DeclaredType | undefined {
  const mimeType = guessTypeFromFilename(name) ?? normalizeMimeType(browserType);
  const kind = findAssetKind(mimeType);
  return kind && { kind, mimeType };
}
