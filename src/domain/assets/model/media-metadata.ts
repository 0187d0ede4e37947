import type { Deps } from "../../deps.ts";
import type { MediaMetadata } from "./asset.ts";
import type { ByteSource } from "../content/byte-source.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { ContentCheckResult } from "../content/check-content.ts";
import type { ImageConverter } from "../../renditions/ports.ts";

export const thumbnailType = "image/webp";
/** Maximum width and height, in pixels. */
export const maxThumbnailSide = 512;

/** Opens images and videos. */
export interface MediaReader extends ImageConverter {
  /** Never rejects: values that can't be read in time are null. */
  readMetadata(source: ByteSource, mimeType: string): Promise<MediaMetadata>;
  /**
   * Creates a WebP with orientation applied and metadata removed; undefined if the image can't be opened. Rejects if
   * the store fails. `key` identifies the bytes: parallel calls share one result, and slow failures are not retried for
   * a while.
   */
  createThumbnail(key: string, source: ByteSource, mimeType: string): Promise<Uint8Array | undefined>;
}

export const unknownMetadata: MediaMetadata = { width: null, height: null, durationMs: null };

/** HEIC files have no thumbnails, because the decoder for them is not freely licensed. */
export const canHaveThumbnail = (mimeType: string): boolean =>
  ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"].includes(mimeType);

/** Reads the media metadata; falls back to the dimensions in the header if the file can't be opened. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { dimensions }: ContentCheckResult,
): Promise<MediaMetadata> {
  const metadata = await deps.media.readMetadata(source, declaredType.mimeType);
  if (metadata.width !== null || !dimensions || dimensions.width === 0 || dimensions.height === 0) return metadata;
  return { ...metadata, width: dimensions.width, height: dimensions.height };
}
