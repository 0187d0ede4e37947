import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { isUploading, type UploadingAsset } from "../model/asset.ts";
import { describeAsset } from "../steps/describe-asset.ts";
import { resolveFilename } from "../steps/content/filename.ts";
import type { MultipartFile } from "../ports/file-store.ts";
import type { Deps } from "../ports/deps.ts";
import { fileExpiredError, type UploadCaller } from "./upload-link.ts";
import type { UploadFile } from "../model/upload.ts";

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
  if (!file) throw uploadNotFoundError();
  return file;
}

export const uploadNotFoundError = (): AppError => new AppError("not_found:upload");

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
  if (deps.clock() >= asset.uploadExpiresAt) throw fileExpiredError();
  return { asset, multipartFile: { key: asset.storageKey, id: asset.sourceVersion, bytes, partBytes } };
}
