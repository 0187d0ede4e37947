import sharp from "sharp";
import { assertExifIsSmall } from "./exif-check.ts";

/** The libvips names of the decoders for the types in `canHaveThumbnail`. */
const allowedLoaders = ["JpegBuffer", "PngBuffer", "WebpBuffer", "NsgifBuffer", "HeifBuffer"];

/**
 * Turns off sharp's cache and threads, and blocks all decoders that we don't need. sharp detects the format from the
 * bytes, regardless of the declared type. It would render an SVG that was uploaded as a JPEG, and rendering cannot be
 * stopped.
 */
export function restrictSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: allowedLoaders.map((loader) => `VipsForeignLoad${loader}`) });
}

/**
 * Pixel limits by memory cost, so that no image needs more than 460 MB. Decoding line by line needs the least memory
 * per pixel; a progressive JPEG, an interlaced PNG, GIF and WebP are decoded as a whole; AVIF needs the most.
 */
const maxPixels = { lineByLine: 100_000_000, whole: 40_000_000, avif: 25_000_000 };
const lineByLineFormats = new Set(["jpeg", "png"]);

/** Detects the format from the bytes, because the declared type may differ. */
export async function chooseMaxPixels(bytes: Uint8Array): Promise<number> {
  const { format, isProgressive } = await sharp(bytes, { limitInputPixels: false, failOn: "none" }).metadata();
  if (format === "heif") return maxPixels.avif;
  return lineByLineFormats.has(format) && !isProgressive ? maxPixels.lineByLine : maxPixels.whole;
}

const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");
const textChunks = new Set(["zTXt", "iTXt", "tEXt"]);
/** Encoders write chunks of at least 8 KiB, so a file of 100 MB has about 12,000. */
const maxChunks = 50_000;

/** Returns the image without what the decoder would read for minutes; throws if that can't be removed. */
export function prepareForDecoder(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  assertExifIsSmall(file);
  return removePngText(file);
}

/**
 * Removes the text chunks of a PNG; returns other formats unchanged. The decoder inflates all compressed text and can't
 * be stopped: 50 KB inflate to 50 MB, and a file of 1 MB would take nine seconds. Neither metadata nor thumbnails contain
 * that text.
 */
function removePngText(file: Buffer): Buffer {
  if (!file.subarray(0, 8).equals(pngSignature)) return file;
  const parts: Buffer[] = [];
  let copyFrom = 0;
  let at = 8;
  for (let chunks = 0; at + 8 <= file.length; chunks++) {
    if (chunks === maxChunks) throw new Error("the PNG has too many chunks");
    const end = at + 12 + file.readUInt32BE(at);
    if (textChunks.has(file.toString("latin1", at + 4, at + 8))) {
      parts.push(file.subarray(copyFrom, at));
      copyFrom = end;
    }
    at = end;
  }
  return Buffer.concat([...parts, file.subarray(copyFrom)]);
}
