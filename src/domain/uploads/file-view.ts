import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { isUploading, type UploadingAsset } from "../assets/model/asset.ts";
import { describeAsset } from "../assets/model/describe-asset.ts";
import { resolveFilename } from "../assets/model/filename.ts";
import type { MultipartFile } from "../assets/model/file-store.ts";
import type { Deps } from "../deps.ts";
import { fileExpiredError, type UploadCaller } from "./upload-link.ts";
import type { UploadFile } from "./ports.ts";

/** A file as the page that sends it sees it. */
export interface FileView {
  id: string;
  filename: string;
  kind: string;
  mimeType: string;
  bytes: number;
  /** `pending`: on its way. `ready`: on the post. */
  status: "pending" | "ready";
  altText: string;
  thumbnailUrl?: string;
}

/** Where the studio has put it elsewhere, that it arrived is all there is to see: what is said of it there is its own. */
export async function toFileView(
  deps: Pick<Deps, "files" | "signer" | "clock" | "base">,
  { link }: UploadCaller,
  { asset, bytes }: Pick<UploadFile, "asset" | "bytes">,
): Promise<FileView> {
  const isOnLinkedPost = asset.postId === link.postId;
  const thumbnailUrl = isOnLinkedPost ? (await describeAsset(deps, asset)).thumbnailUrl : undefined;
  return {
    id: asset.id,
    filename: isOnLinkedPost ? asset.filename : resolveFilename(undefined, asset),
    kind: asset.kind,
    mimeType: asset.mimeType,
    bytes,
    status: asset.status,
    altText: (isOnLinkedPost ? asset.altText : null) ?? "",
    ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
  };
}

/** A file of this link; anyone else's does not exist. */
export async function getFile(
  deps: Pick<Deps, "uploads">,
  { link }: UploadCaller,
  fileId: string,
): Promise<UploadFile> {
  const file = isId("asset", fileId) ? await deps.uploads.findFile(link.id, fileId) : undefined;
  if (!file) throw fileGone();
  return file;
}

export const fileGone = (): AppError => new AppError("not_found:upload");

export interface UploadInProgress {
  asset: UploadingAsset;
  multipartFile: MultipartFile;
}

/** How the store knows a file that has not arrived yet; undefined where it has. */
export function toUploadInProgress(
  deps: Pick<Deps, "clock">,
  { asset, bytes, partBytes }: UploadFile,
): UploadInProgress | undefined {
  if (!isUploading(asset)) return undefined;
  if (deps.clock() >= asset.uploadExpiresAt) throw fileExpiredError();
  return { asset, multipartFile: { key: asset.storageKey, id: asset.sourceVersion, bytes, partBytes } };
}
