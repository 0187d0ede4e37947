import { type Asset, isReady, type ReadyAsset } from "#domain/model/asset.ts";
import { listColumns } from "./columns.ts";

/** The columns of an `Asset`. */
export const assetColumns = [
  "id",
  "studioId",
  "postId",
  "position",
  "kind",
  "mimeType",
  "filename",
  "status",
  "bytes",
  "version",
  "sha256",
  "storageKey",
  "sourceVersion",
  "chargedBytes",
  "altText",
  "tags",
  "width",
  "height",
  "durationMs",
  "uploadExpiresAt",
  "createdBy",
  "createdByClientName",
  "changeCount",
  "isLibraryUpload",
  "trashExpiresAt",
  "createdAt",
] as const satisfies (keyof Asset)[];

export const assetColumnsSql = listColumns(assetColumns);

export function toReadyAsset(asset: Asset): ReadyAsset {
  if (!isReady(asset)) throw new Error("expected a ready asset from the database");
  return asset;
}
