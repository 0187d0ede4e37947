import { sha256 } from "#lib/digest.ts";
import { isId } from "#lib/ids.ts";

/**
 * Where files lie in the store. Keys are made of ids and chance, never of what a stranger wrote.
 * - `incoming/<asset>`: what the upload address of an asset takes. Never served.
 * - `files/<asset>.<chance>`: what an asset is. Written once, never handed out for writing.
 * - `thumbs/<asset>.<chance>`: a picture made of it. Can be made again.
 */
export const storageAreas = ["incoming/", "files/", "thumbs/"] as const;
export type StorageArea = (typeof storageAreas)[number];

export const incomingKey = (assetId: string): string => `incoming/${assetId}`;

export const createFileKey = (deps: { newSecret: () => string }, assetId: string): string =>
  `files/${assetId}.${sha256(deps.newSecret()).slice(0, 24)}`;

export const thumbnailKey = (fileKey: string): string => fileKey.replace(/^files\//, "thumbs/");

export const fileKeyForThumbnail = (key: string): string => key.replace(/^thumbs\//, "files/");

/** Whose key it is; undefined for what none of ours would be called. */
export function parseKeyAssetId(key: string): string | undefined {
  const assetId = /^[a-z]+\/([a-z0-9_]+)(?:\.[0-9a-f]+)?$/.exec(key)?.[1];
  return assetId !== undefined && isId("asset", assetId) ? assetId : undefined;
}
