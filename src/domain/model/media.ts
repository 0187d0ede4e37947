import type { MediaMetadata } from "./asset.ts";

export const thumbnailType = "image/webp";
/** Maximum width and height, in pixels. */
export const maxThumbnailSide = 512;

export const unknownMetadata: MediaMetadata = { width: null, height: null, durationMs: null };

/** HEIC files have no thumbnails, because the decoder for them is not freely licensed. */
export const canHaveThumbnail = (mimeType: string): boolean =>
  ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"].includes(mimeType);
