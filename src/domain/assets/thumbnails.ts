import { Readable } from "node:stream";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { type Asset, canHaveThumbnail, isReady, parseAssetId, type ReadyAsset, thumbnailType } from "../model/asset.ts";
import { createStoredFileSource } from "../ports/byte-source.ts";
import { thumbnailKey } from "../model/storage-keys.ts";

/** More than any thumbnail needs. */
const maxThumbnailBytes = 1024 * 1024;
const maxPreviews = 4;

/** A thumbnail and its type. Tools call it a preview (`includePreview`). */
export interface Preview {
  assetId: string;
  mimeType: string;
  content: Uint8Array;
}

type ThumbnailDeps = Pick<Deps, "assets" | "files" | "media">;

/** Generates the thumbnail on first use and stores it; undefined if the image can't be opened. */
async function findOrCreateThumbnail(
  deps: Pick<Deps, "files" | "media">,
  asset: ReadyAsset,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (!canHaveThumbnail(asset.mimeType)) return undefined;
  const key = thumbnailKey(asset.storageKey);
  const storedThumbnail = await deps.files.stat(key);
  if (storedThumbnail)
    return createStoredFileSource(deps.files, key, storedThumbnail.bytes).read(0, storedThumbnail.bytes);
  const { storageKey, studioId, bytes } = asset;
  const request = { key: `thumbnail ${storageKey}`, imageKey: storageKey, studioId, isUrgent: false, signal };
  const thumbnail = await deps.media.createThumbnail(request, createStoredFileSource(deps.files, storageKey, bytes));
  if (thumbnail) {
    const writeOptions = { mimeType: thumbnailType, maxBytes: maxThumbnailBytes };
    // If storing it fails, the next request generates it again.
    await deps.files.write(key, Readable.from([thumbnail]), writeOptions).catch(() => undefined);
  }
  return thumbnail;
}

/** Reads the image of a `thumbnailUrl`. The token is the only credential. Throws if the asset was deleted. */
export async function readThumbnail(
  deps: ThumbnailDeps & Pick<Deps, "signer">,
  token: string,
  signal: AbortSignal,
): Promise<Preview> {
  const { studio: studioId, asset: assetId } = deps.signer.verify("thumbnail", token) ?? {};
  if (typeof studioId !== "string" || typeof assetId !== "string") {
    throw notFoundError("link");
  }
  const asset = await deps.assets.find(studioId, assetId);
  const content = asset && isReady(asset) ? await findOrCreateThumbnail(deps, asset, signal) : undefined;
  if (!content) throw notFoundError("image");
  return { assetId, mimeType: thumbnailType, content };
}

/** Reads the thumbnails of the first few of these assets that can be opened, for the model. */
export async function previewAssets(
  deps: ThumbnailDeps,
  caller: Caller,
  assetIds: readonly string[],
): Promise<Preview[]> {
  authorize(caller, "assets.read");
  const assets = await Promise.all(assetIds.map((assetId) => deps.assets.find(caller.studio.id, assetId)));
  const previews: Preview[] = [];
  for (const asset of assets.filter(isReadyForThumbnail)) {
    if (previews.length >= maxPreviews) break;
    // The result is useful without images, so leave out those that fail.
    const content = await findOrCreateThumbnail(deps, asset).catch(() => undefined);
    if (content) previews.push({ assetId: asset.id, mimeType: thumbnailType, content });
  }
  return previews;
}

/** Reads the thumbnail of one asset; undefined if the asset has none. Throws if the store is unavailable. */
export async function previewAsset(
  deps: ThumbnailDeps,
  caller: Caller,
  input: { assetId: string },
): Promise<Preview | undefined> {
  authorize(caller, "assets.read");
  const asset = await deps.assets.find(caller.studio.id, parseAssetId(input.assetId));
  if (!asset) throw notFoundError("asset");
  const content = isReadyForThumbnail(asset) ? await findOrCreateThumbnail(deps, asset) : undefined;
  return content && { assetId: asset.id, mimeType: thumbnailType, content };
}

const isReadyForThumbnail = (asset: Asset | undefined): asset is ReadyAsset =>
  asset !== undefined && isReady(asset) && canHaveThumbnail(asset.mimeType);
