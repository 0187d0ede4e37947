import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { assetKinds, type AssetKind } from "./kinds.ts";

export const assetStatuses = ["pending", "ready"] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/** What is known of a picture or video beside its bytes. Null: not known. */
export interface MediaMetadata {
  width: number | null;
  height: number | null;
  durationMs: number | null;
}

/** An asset as the database keeps it. */
export interface Asset extends MediaMetadata {
  id: string;
  studioId: string;
  postId: string | null;
  /** Its place among the post's assets. */
  position: number | null;
  kind: AssetKind;
  mimeType: string;
  filename: string;
  status: AssetStatus;
  bytes: number | null;
  /** Names exactly the stored bytes, in the store's own words. */
  version: string | null;
  sha256: string | null;
  /** Where the bytes lie; while pending, where the upload that `sourceVersion` names is being moved to. */
  storageKey: string | null;
  sourceVersion: string | null;
  chargedBytes: number;
  altText: string | null;
  /** Until when the upload address of a pending one takes bytes. */
  uploadExpiresAt: number | null;
  createdBy: string;
  createdAt: number;
}

/** An asset whose bytes lie in the store. */
export type ReadyAsset = Asset & { status: "ready"; bytes: number; version: string; storageKey: string };

export const isReady = (asset: Asset): asset is ReadyAsset => asset.status === "ready";

/** A file that comes in parts to a post that has kept a place for it. `sourceVersion` is the store's name for it. */
export type UploadingAsset = Asset & {
  status: "pending";
  postId: string;
  storageKey: string;
  sourceVersion: string;
  uploadExpiresAt: number;
};

export const isUploading = (asset: Asset): asset is UploadingAsset =>
  asset.status === "pending" && asset.postId !== null && asset.storageKey !== null && asset.sourceVersion !== null;

export const kindNames = Object.keys(assetKinds) as [AssetKind, ...AssetKind[]];

/** The asset view: these fields and no others, whichever tool answers it. */
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

/** The view, and whatever else is known. */
export const assetDetail = assetView.extend({
  url: z.string().optional().describe("Download URL, valid for one hour."),
  thumbnailUrl: z.string().optional().describe("URL of a preview image of up to 512 px, valid for one hour."),
  altText: z.string().optional(),
  width: z.number().int().optional().describe("In pixels, as displayed."),
  height: z.number().int().optional(),
  durationMs: z.number().int().optional(),
});

export type AssetDetail = z.infer<typeof assetDetail>;

/** An id that cannot be one of ours does not exist, here as in any other studio. */
export function parseAssetId(assetId: string): string {
  if (!isId("asset", assetId)) throw notFoundError("asset");
  return assetId;
}
