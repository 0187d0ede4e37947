import type { MediaMetadata } from "./asset.ts";
import type { ByteSource } from "./byte-source.ts";

export const thumbnailType = "image/webp";
export const thumbnailPixels = 512;

/** What the domain needs of whatever can open pictures and videos. Neither ever rejects. */
export interface MediaReader {
  /** What cannot be told, or not in time, is null. */
  readMetadata(source: ByteSource, mimeType: string): Promise<MediaMetadata>;
  /**
   * A WebP of at most 512 px, upright and without metadata; undefined where the picture cannot be opened. `key` names
   * the bytes: it is made once for all who ask at once, and what took long and could not be opened is left alone for a while.
   */
  createThumbnail(key: string, source: ByteSource, mimeType: string): Promise<Uint8Array | undefined>;
}

export const unknownMetadata: MediaMetadata = { width: null, height: null, durationMs: null };

/** Types a thumbnail can be made of. HEIC is not: its decoder is not free. */
export const canHaveThumbnail = (mimeType: string): boolean =>
  ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"].includes(mimeType);
