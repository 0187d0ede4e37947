import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { type AssetKind, assetKinds } from "./asset-kinds.ts";
import { tagsView } from "./text.ts";

export const assetStatuses = ["pending", "ready"] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/** Metadata of an image or video; null if unknown. */
export interface MediaMetadata {
  width: number | null;
  height: number | null;
  durationMs: number | null;
}

/** An asset as stored in the database. */
export interface Asset extends MediaMetadata {
  id: string;
  studioId: string;
  postId: string | null;
  /** Sort order among the assets of the post. */
  position: number | null;
  /** As declared; until the asset is ready, the content check may correct it, and type and filename. */
  kind: AssetKind;
  mimeType: string;
  filename: string;
  status: AssetStatus;
  bytes: number | null;
  /** Detects that the store has other bytes; the format is up to the store. See `getBytesId` for approvals. */
  version: string | null;
  sha256: string | null;
  /** The file key. While pending, the key that the upload will be promoted to, or that its parts are sent to. */
  storageKey: string | null;
  /** Of the uploaded bytes that a call claims. For a multipart upload, see `getMultipartUpload`. */
  sourceVersion: string | null;
  chargedBytes: number;
  altText: string | null;
  tags: string[];
  /** When the upload of a pending asset expires. */
  uploadExpiresAt: number | null;
  createdBy: string;
  /** The name of the AI client that created the asset; null if a person did, in the web app or on the upload page. */
  createdByClientName: string | null;
  /**
   * Increases with every change of the alt text, filename, tags or post, when the upload is confirmed, and when the
   * asset is deleted or restored, but not when its post is.
   */
  changeCount: number;
  /** Whether the asset was uploaded in parts to the library. Uploads in parts to a post have a `postId`. */
  isLibraryUpload: boolean;
  /** When the asset expires in the trash; null if it is not in the trash. */
  trashExpiresAt: number | null;
  createdAt: number;
}

/** What a revision of a post stores about an asset. */
export type RevisionAsset = Pick<Asset, "id" | "kind" | "mimeType" | "filename" | "altText">;

export type ReadyAsset = Asset & { status: "ready"; bytes: number; version: string; storageKey: string };

export const isReady = (asset: Asset): asset is ReadyAsset => asset.status === "ready";

/**
 * Identifies the bytes of a file. The version does not: on S3 it is usually an MD5 digest, for which a client can make a
 * second file. A key is never reused.
 */
export const getBytesId = ({ sha256, storageKey }: ReadyAsset): string => sha256 ?? storageKey;

/** A multipart upload. On a post, its position is reserved. */
export type UploadingAsset = Asset & {
  status: "pending";
  storageKey: string;
  sourceVersion: string;
  uploadExpiresAt: number;
};

export const isUploading = (asset: Asset): asset is UploadingAsset =>
  asset.status === "pending" &&
  (asset.postId !== null || asset.isLibraryUpload) &&
  asset.storageKey !== null &&
  asset.sourceVersion !== null;

/** The column `source_version` has the store's upload id, or the version of the bytes of a presigned upload. */
export const getMultipartUpload = ({ storageKey, sourceVersion }: UploadingAsset): { key: string; id: string } => ({
  key: storageKey,
  id: sourceVersion,
});

export const kindNames = Object.keys(assetKinds) as [AssetKind, ...AssetKind[]];

/** The fields that every tool returns for an asset. */
export const assetView = z.object({
  id: z.string(),
  postId: z.string().nullable().describe("The post that the asset is on, or null."),
  kind: z.enum(kindNames),
  mimeType: z.string(),
  filename: z.string(),
  bytes: z.number().int().nullable().describe("File size; null while pending."),
  status: z.enum(assetStatuses).describe("pending: the file has not been uploaded and verified. ready: stored."),
});

export type AssetView = z.infer<typeof assetView>;

export function toAssetView({ id, postId, kind, mimeType, filename, bytes, status }: Asset): AssetView {
  return { id, postId, kind, mimeType, filename, bytes: status === "ready" ? bytes : null, status };
}

/** An asset in a list of assets. */
export const listedAssetView = assetView.extend({ tags: tagsView.optional().describe("Absent: none.") });

export type ListedAssetView = z.infer<typeof listedAssetView>;

export const toListedAssetView = (asset: Asset): ListedAssetView => ({
  ...toAssetView(asset),
  ...(asset.tags.length === 0 ? {} : { tags: asset.tags }),
});

export const assetDetail = listedAssetView.extend({
  url: z.string().optional().describe("Download URL, valid for one hour."),
  thumbnailUrl: z.string().optional().describe("URL of a thumbnail of up to 512 px, valid for one hour."),
  altText: z.string().optional(),
  width: z.number().int().optional().describe("In pixels, as displayed."),
  height: z.number().int().optional(),
  durationMs: z.number().int().optional(),
});

export type AssetDetail = z.infer<typeof assetDetail>;

/** Without URLs. */
export const toAssetDetail = (asset: Asset): AssetDetail => ({
  ...toListedAssetView(asset),
  ...(asset.altText === null ? {} : { altText: asset.altText }),
  ...(asset.width === null ? {} : { width: asset.width }),
  ...(asset.height === null ? {} : { height: asset.height }),
  ...(asset.durationMs === null ? {} : { durationMs: asset.durationMs }),
});

/** Throws `not_found` for a malformed id, as for an id of another studio. */
export function parseAssetId(assetId: string): string {
  if (!isId("asset", assetId)) throw notFoundError("asset");
  return assetId;
}

export const thumbnailType = "image/webp";
/** Maximum width and height, in pixels. */
export const maxThumbnailSide = 512;

export const unknownMetadata: MediaMetadata = { width: null, height: null, durationMs: null };

/** HEIC files have no thumbnails, because the decoder for them is not freely licensed. */
export const canHaveThumbnail = (mimeType: string): boolean =>
  ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"].includes(mimeType);
