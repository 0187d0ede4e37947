import sharp from "sharp";
import type { MediaMetadata } from "#domain/assets/asset.ts";
import type { ByteSource } from "#domain/assets/byte-source.ts";
import { withoutPngText } from "./png-text.ts";

/** Where every header of a picture ends that we care to read. */
const headerBytes = 64 * 1024;

/** Width and height as the picture is shown, from its header; nothing is decoded. */
export async function readImageMetadata(source: ByteSource): Promise<MediaMetadata> {
  const head = withoutPngText(await source.read(0, headerBytes));
  const { autoOrient } = await sharp(head, { failOn: "none", limitInputPixels: false }).metadata();
  return { width: autoOrient.width || null, height: autoOrient.height || null, durationMs: null };
}
