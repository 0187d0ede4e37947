import sharp from "sharp";
import type { MediaMetadata } from "#domain/assets/model/asset.ts";
import type { ByteSource } from "#domain/assets/content/byte-source.ts";
import { thumbnailPixels } from "#domain/assets/model/media-metadata.ts";

/** One for each type that `canHaveThumbnail` names, by what the library calls it. */
const allowedLoaders = ["JpegBuffer", "PngBuffer", "WebpBuffer", "NsgifBuffer", "HeifBuffer"];

/**
 * The library goes by the bytes, whatever was declared: left to itself it would draw an SVG that passed for a picture,
 * for as long as that takes, since a drawing cannot be told to stop. What is not one of ours it does not open.
 */
export function restrictDecoders(): void {
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: allowedLoaders.map((loader) => `VipsForeignLoad${loader}`) });
}

/** Where every header of a picture ends that we care to read. */
const headerBytes = 64 * 1024;

/** Width and height as the picture is shown, from its header; nothing is decoded. */
export async function readImageMetadata(source: ByteSource): Promise<MediaMetadata> {
  const head = withoutPngText(await source.read(0, headerBytes));
  const { autoOrient } = await sharp(head, { failOn: "none", limitInputPixels: false }).metadata();
  return { width: autoOrient.width || null, height: autoOrient.height || null, durationMs: null };
}

/**
 * The most pixels, by what one of them costs. Decoded line by line they cost next to nothing; a progressive JPEG or an
 * interlaced PNG is decoded whole, as GIF and WebP are; AVIF takes twice as much. None takes more than 460 MB.
 */
const maxPixels = { lineByLine: 100_000_000, whole: 40_000_000, avif: 25_000_000 };
const lineByLine = new Set(["jpeg", "png"]);
/** At most 512 px, upright, and without the original's metadata: no place where it was taken leaves with it. */
export async function createThumbnail(file: Uint8Array): Promise<Uint8Array> {
  const bytes = withoutPngText(file);
  const limitInputPixels = await chooseMaxPixels(bytes);
  return sharp(bytes, { limitInputPixels, sequentialRead: true, pages: 1, failOn: "none" })
    .timeout({ seconds: 10 })
    .autoOrient()
    .resize({ width: thumbnailPixels, height: thumbnailPixels, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}

/** Told from the bytes: they may be another type of ours than the one that was declared. */
async function chooseMaxPixels(bytes: Uint8Array): Promise<number> {
  const { format, isProgressive } = await sharp(bytes, { limitInputPixels: false, failOn: "none" }).metadata();
  if (format === "heif") return maxPixels.avif;
  return lineByLine.has(format) && !isProgressive ? maxPixels.lineByLine : maxPixels.whole;
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");
const textChunks = new Set(["zTXt", "iTXt", "tEXt"]);
/** An encoder writes pixels in chunks of 8 KiB and more: 100 MB have some 12,000. */
const maxChunks = 50_000;

/**
 * A PNG without its text chunks; other formats as they are. The decoder inflates every compressed text, can't be
 * stopped, and 50 KB inflate to 50 MB: a file of 1 MB would take nine seconds. No text is shown or kept in a thumbnail.
 */
function withoutPngText(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.subarray(0, 8).equals(signature)) return bytes;
  const parts: Buffer[] = [];
  let keptFrom = 0;
  let at = 8;
  for (let chunks = 0; at + 8 <= file.length; chunks++) {
    if (chunks === maxChunks) throw new Error("more chunks than an image has");
    const end = at + 12 + file.readUInt32BE(at);
    if (textChunks.has(file.toString("latin1", at + 4, at + 8))) {
      parts.push(file.subarray(keptFrom, at));
      keptFrom = end;
    }
    at = end;
  }
  return Buffer.concat([...parts, file.subarray(keptFrom)]);
}
