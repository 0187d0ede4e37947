import type { Deps } from "../../deps.ts";
import type { MediaMetadata } from "./asset.ts";
import type { ByteSource } from "../content/byte-source.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { ContentCheckResult } from "../content/check-content.ts";

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

/** Measures of a picture or video; where nobody can open it, at least what its header declares. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { size }: ContentCheckResult,
): Promise<MediaMetadata> {
  const metadata = await deps.media.readMetadata(source, declaredType.mimeType);
  if (metadata.width !== null || !size || size.width === 0 || size.height === 0) return metadata;
  return { ...metadata, width: size.width, height: size.height };
}
