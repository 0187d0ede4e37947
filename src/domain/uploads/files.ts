import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { deletePendingAsset } from "../changes/delete-content.ts";
import { assetKinds } from "../model/asset-kinds.ts";
import { getMultipartUpload, isUploading, type ReadyAsset, type UploadingAsset } from "../model/asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { text } from "../model/text.ts";
import type { UploadFile } from "../model/upload.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import type { MultipartFile, StoredFile } from "../ports/file-store.ts";
import { confirmStoredFile } from "../steps/confirm-stored-file.ts";
import { checkContent } from "../steps/content/check-content.ts";
import { recognizeType } from "../steps/content/detect-type.ts";
import { fitExtension, listExtensions, resolveFilename } from "../steps/content/filename.ts";
import { removeFiles } from "../steps/delete-files.ts";
import { describeAsset } from "../steps/describe-asset.ts";
import type { UploadCaller } from "./upload-link.ts";

/** What starting and completing an upload use. */
export type UploadDeps = Pick<
  Deps,
  | "uploads"
  | "platforms"
  | "posts"
  | "assets"
  | "strayFiles"
  | "transact"
  | "files"
  | "media"
  | "signer"
  | "newId"
  | "newSecret"
  | "clock"
  | "baseUrl"
  | "limits"
>;

/** A file as the upload page shows it. */
export interface FileView {
  id: string;
  filename: string;
  kind: string;
  mimeType: string;
  bytes: number;
  /** `pending`: uploading. `ready`: stored. */
  status: "pending" | "ready";
  altText: string;
  thumbnailUrl?: string;
}

/** Hides the name, alt text and thumbnail once the studio has moved the file to another post or to the library. */
export async function toFileView(
  deps: Pick<Deps, "files" | "signer" | "clock" | "baseUrl">,
  { link }: UploadCaller,
  { asset, bytes }: Pick<UploadFile, "asset" | "bytes">,
): Promise<FileView> {
  const hasMoved = asset.postId !== link.postId;
  const thumbnailUrl = hasMoved ? undefined : (await describeAsset(deps, asset)).thumbnailUrl;
  return {
    id: asset.id,
    filename: hasMoved ? resolveFilename(undefined, asset) : asset.filename,
    kind: asset.kind,
    mimeType: asset.mimeType,
    bytes,
    status: asset.status,
    altText: (hasMoved ? null : asset.altText) ?? "",
    ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
  };
}

/** Throws `not_found` for files of other links. */
export async function getFile(
  deps: Pick<Deps, "uploads">,
  { link }: UploadCaller,
  fileId: string,
): Promise<UploadFile> {
  const file = isId("asset", fileId) ? await deps.uploads.findFile(link.id, fileId) : undefined;
  if (!file) throw notFoundError("upload");
  return file;
}

export interface UploadInProgress {
  asset: UploadingAsset;
  multipartFile: MultipartFile;
}

/** The multipart upload of a file; undefined if the file is complete. Throws `upload_expired`. */
export function toUploadInProgress(
  deps: Pick<Deps, "clock">,
  { asset, bytes, partBytes }: UploadFile,
): UploadInProgress | undefined {
  if (!isUploading(asset)) return undefined;
  if (deps.clock() >= asset.uploadExpiresAt) throw new AppError("upload_expired:file");
  return { asset, multipartFile: { ...getMultipartUpload(asset), bytes, partBytes } };
}

export interface UploadPageView {
  studio: { name: string };
  /** Null if the files are uploaded to the library. */
  post: { title: string } | null;
  /** New uploads can be started until this time. */
  expiresAt: string;
  /** MIME types and extensions, for the `accept` attribute of a file input. */
  accepts: string[];
  /** Null for the library, which has no limit. */
  fileLimit: { perPost: number; remaining: number } | null;
  files: FileView[];
}

/** Everything that an upload link reveals: the studio, the post, and the files that were uploaded through the link. */
export async function describeUploadPage(
  deps: Pick<Deps, "uploads" | "files" | "signer" | "clock" | "baseUrl" | "limits">,
  caller: UploadCaller,
): Promise<UploadPageView> {
  authorize(caller, "assets.write");
  if (caller.state === "expired" || caller.state === "finished") throw new AppError("upload_expired:link");
  const { link, studio } = caller;
  const perPost = deps.limits.assetsPerPost;
  const files = await deps.uploads.listFiles(link.id);
  return {
    studio: { name: studio.name },
    post: link.postTitle === null ? null : { title: link.postTitle },
    expiresAt: toIsoTime(link.expiresAt),
    accepts: Object.values(assetKinds).flatMap((types) => types.flatMap((type) => [type, ...listExtensions(type)])),
    fileLimit: link.postId === null ? null : { perPost, remaining: Math.max(0, perPost - link.postAssetCount) },
    files: await Promise.all(files.map((file) => toFileView(deps, caller, file))),
  };
}

/**
 * Completes an upload: the store assembles the parts, the content is checked, and the asset becomes ready in the
 * library, or on the post at the position reserved when the upload started. Parallel calls and calls after a crash
 * converge on one outcome: the store completes once, and one conditional statement marks the record ready.
 */
export async function completeFile(
  deps: UploadDeps,
  caller: UploadCaller,
  input: { fileId: string },
): Promise<FileView> {
  authorize(caller, "assets.write");
  return retryOnConflict(async () => {
    const file = await getFile(deps, caller, input.fileId);
    const upload = toUploadInProgress(deps, file);
    if (!upload) return toFileView(deps, caller, file);
    const storedFile = await deps.files.parts.complete(upload.multipartFile);
    if (!storedFile) throw new AppError("not_uploaded:parts");
    const readyAsset = await confirmCompletedFile(deps, caller, upload.asset, storedFile);
    return toFileView(deps, caller, { ...file, asset: readyAsset });
  });
}

function confirmCompletedFile(
  deps: UploadDeps,
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

/** Cancels an upload: deletes its parts and releases its position on the post. */
export async function cancelFile(
  deps: Pick<Deps, "uploads" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: UploadCaller,
  input: { fileId: string },
): Promise<void> {
  authorize(caller, "assets.write");
  // A parallel call may reserve a part or complete the file.
  const unusedFiles = await retryOnConflict(async () => {
    const { asset } = await getFile(deps, caller, input.fileId);
    if (!isUploading(asset)) throw new AppError("already_attached:file");
    const activity = { action: "asset.deleted", detail: { filename: asset.filename } } as const;
    return deps.transact(caller, (tx) => deletePendingAsset(deps, tx, caller, asset, activity));
  });
  await removeFiles(deps, unusedFiles);
}

export const setAltTextInput = z.strictObject({ altText: text(2000).trim() });

/**
 * How often a file may have changed when its alt text is set through a link. Every change creates a revision, which
 * contains the whole text of the post and outdates what members are editing.
 */
export const maxFileChanges = 100;

/**
 * Sets the alt text of a file during or after its upload. Once the studio has moved the file, the link can no
 * longer change it.
 */
export async function setAltText(
  deps: Pick<
    Deps,
    "uploads" | "transact" | "files" | "signer" | "newId" | "clock" | "limits" | "platforms" | "baseUrl"
  >,
  caller: UploadCaller,
  input: z.infer<typeof setAltTextInput> & { fileId: string },
): Promise<FileView> {
  authorize(caller, "assets.write");
  const altText = input.altText === "" ? null : input.altText;
  const file = await retryOnConflict(async () => {
    const currentFile = await getFile(deps, caller, input.fileId);
    if (currentFile.asset.postId !== caller.link.postId) throw notFoundError("file");
    if (currentFile.asset.changeCount >= maxFileChanges)
      throw new AppError("quota_exceeded:file_changes", { limit: maxFileChanges });
    const asset = await deps.transact(caller, (tx) =>
      changeAsset(deps, tx, caller.uploader, currentFile.asset, {
        change: { altText },
        keepsApproval: tx.mayPublish,
        activity: ({ filename }) => ({
          action: "asset.updated",
          detail: { fields: ["altText"], filename },
          actor: caller,
        }),
      }),
    );
    return { ...currentFile, asset };
  });
  return toFileView(deps, caller, file);
}
