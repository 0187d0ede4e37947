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
  /** Reads a few fields of the headers of a video. Never rejects: values that can't be read in time are null. */
  readVideoMetadata(source: ByteSource, mimeType: string): Promise<MediaMetadata>;
}

export const unknownMetadata: MediaMetadata = { width: null, height: null, durationMs: null };

/** HEIC files have no thumbnails, because the decoder for them is not freely licensed. */
export const canHaveThumbnail = (mimeType: string): boolean =>
  ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"].includes(mimeType);

/** Returns the metadata that the headers of a file state; an image was already read by the content check. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { imageHeader }: ContentCheckResult,
): Promise<MediaMetadata> {
  if (declaredType.kind === "video") return deps.media.readVideoMetadata(source, declaredType.mimeType);
  if (!imageHeader || imageHeader.width === 0 || imageHeader.height === 0) return unknownMetadata;
  return { width: imageHeader.width, height: imageHeader.height, durationMs: null };
}
