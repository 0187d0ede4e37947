import { hours, minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { isId } from "#lib/ids.ts";

export const uploadUrlLifetime = minutes(10);

/**
 * Key prefixes in the store. Keys consist of asset ids and random values, never of user input.
 * - `incoming/<asset>`: target of a presigned upload URL. Never served.
 * - `files/<asset>.<random>`: the checked file. Written once, never writable by clients.
 * - `thumbs/<asset>.<random>`: the thumbnail of the file.
 * - `renditions/<asset>.<hash>`: the file, converted for a platform.
 * - `previews/<asset>.<hash>`: a rendition for a preview. Deleted when there are many, so no publication uses it.
 *
 * The last three can be generated again, so `npm run backup` and `npm run move` skip them.
 */
export const storageAreas = ["incoming/", "files/", "thumbs/", "renditions/", "previews/"] as const;
export type StorageArea = (typeof storageAreas)[number];

export const incomingKey = (assetId: string): string => `incoming/${assetId}`;

export const createFileKey = (deps: { newSecret: () => string }, assetId: string): string =>
  `files/${assetId}.${sha256(deps.newSecret()).slice(0, 24)}`;

export const thumbnailKey = (fileKey: string): string => fileKey.replace(/^files\//, "thumbs/");

/** `hash` identifies the bytes of the asset's file and the plan. */
export const renditionKey = (area: "renditions/" | "previews/", assetId: string, hash: string): string =>
  `${area}${assetId}.${hash.slice(0, 32)}`;

/** Returns the file key of a thumbnail key; returns file keys unchanged. */
export const toFileKey = (fileOrThumbnailKey: string): string => fileOrThumbnailKey.replace(/^thumbs\//, "files/");

/** The asset id in a key; undefined if the key does not have our format. */
export function parseKeyAssetId(key: string): string | undefined {
  const assetId = /^[a-z]+\/([a-z0-9_]+)(?:\.[0-9a-f]+)?$/.exec(key)?.[1];
  return assetId !== undefined && isId("asset", assetId) ? assetId : undefined;
}

/** Longer than any write that is still in progress when its key is marked for deletion. */
export const lateWriteGrace = hours(1);
