import type { MediaMetadata } from "../model/asset.ts";
import type { ByteSource } from "./byte-source.ts";
import type { ImageConverter } from "./renditions.ts";

/** Opens images and videos. */
export interface MediaReader extends ImageConverter {
  /** Reads a few fields of the headers of a video. Never rejects: values that can't be read in time are null. */
  readVideoMetadata(source: ByteSource, mimeType: string): Promise<MediaMetadata>;
}
