import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { isOnItsWay, type AssetOnItsWay } from "../assets/asset.ts";
import { describeAsset } from "../assets/describe.ts";
import { filenameFor } from "../assets/filename.ts";
import type { PartedFile } from "../assets/part-store.ts";
import type { Deps } from "../deps.ts";
import { fileExpired } from "./link.ts";
import type { UploadFile } from "./ports.ts";
import type { UploadVisitor } from "./visit.ts";

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
export async function viewFile(
  deps: Pick<Deps, "files" | "signer" | "clock" | "base">,
  { link }: UploadVisitor,
  { asset, bytes }: Pick<UploadFile, "asset" | "bytes">,
): Promise<FileView> {
  const isHere = asset.postId === link.postId;
  const thumbnailUrl = isHere ? (await describeAsset(deps, asset)).thumbnailUrl : undefined;
  return {
    id: asset.id,
    filename: isHere ? asset.filename : filenameFor(undefined, asset),
    kind: asset.kind,
    mimeType: asset.mimeType,
    bytes,
    status: asset.status,
    altText: (isHere ? asset.altText : null) ?? "",
    ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
  };
}

/** A file of this link; anyone else's does not exist. */
export async function findFile(
  deps: Pick<Deps, "uploads">,
  { link }: UploadVisitor,
  fileId: string,
): Promise<UploadFile> {
  const file = isId("asset", fileId) ? await deps.uploads.findFile(link.id, fileId) : undefined;
  if (!file) throw fileGone();
  return file;
}

export const fileGone = (): AppError => new AppError("not_found:upload");

export interface FileOnItsWay {
  asset: AssetOnItsWay;
  parted: PartedFile;
}

/** How the store knows a file that has not arrived yet; undefined where it has. */
export function onItsWay(deps: Pick<Deps, "clock">, { asset, bytes, partBytes }: UploadFile): FileOnItsWay | undefined {
  if (!isOnItsWay(asset)) return undefined;
  if (deps.clock() >= asset.uploadExpiresAt) throw fileExpired();
  return { asset, parted: { key: asset.storageKey, id: asset.sourceVersion, bytes, partBytes } };
}
