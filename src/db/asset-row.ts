import type { Selectable } from "kysely";
import { isReady, type Asset, type ReadyAsset } from "#domain/assets/model/asset.ts";
import type { Schema } from "./schema.ts";
import { buildAssetText, parseTags } from "./search-index.ts";

export type AssetRow = Selectable<Schema["assets"]>;

export function toAssetRow(asset: Asset): Omit<AssetRow, "trashed_at" | "trashed_by" | "trashed_client_name"> {
  return {
    id: asset.id,
    studio_id: asset.studioId,
    post_id: asset.postId,
    position: asset.position,
    kind: asset.kind,
    mime_type: asset.mimeType,
    filename: asset.filename,
    status: asset.status,
    bytes: asset.bytes,
    version: asset.version,
    sha256: asset.sha256,
    storage_key: asset.storageKey,
    source_version: asset.sourceVersion,
    charged_bytes: asset.chargedBytes,
    alt_text: asset.altText,
    tags: JSON.stringify(asset.tags),
    search_text: buildAssetText(asset),
    search_indexed: 1,
    width: asset.width,
    height: asset.height,
    duration_ms: asset.durationMs,
    upload_expires_at: asset.uploadExpiresAt,
    created_by: asset.createdBy,
    created_client_name: asset.createdByClientName,
    change_count: asset.changeCount,
    for_library: Number(asset.isLibraryUpload),
    trash_expires_at: asset.trashExpiresAt,
    created_at: asset.createdAt,
  };
}

export function toAsset(row: AssetRow): Asset {
  return {
    id: row.id,
    studioId: row.studio_id,
    postId: row.post_id,
    position: row.position,
    kind: row.kind,
    mimeType: row.mime_type,
    filename: row.filename,
    status: row.status,
    bytes: row.bytes,
    version: row.version,
    sha256: row.sha256,
    storageKey: row.storage_key,
    sourceVersion: row.source_version,
    chargedBytes: row.charged_bytes,
    altText: row.alt_text,
    tags: parseTags(row.tags),
    width: row.width,
    height: row.height,
    durationMs: row.duration_ms,
    uploadExpiresAt: row.upload_expires_at,
    createdBy: row.created_by,
    createdByClientName: row.created_client_name,
    changeCount: row.change_count,
    isLibraryUpload: row.for_library === 1,
    trashExpiresAt: row.trash_expires_at,
    createdAt: row.created_at,
  };
}

export function toReadyAsset(row: AssetRow): ReadyAsset {
  const asset = toAsset(row);
  if (!isReady(asset)) throw new Error("expected a ready asset from the database");
  return asset;
}
