import sharp from "sharp";
import { thumbnailPixels } from "#domain/assets/media.ts";
import { withoutPngText } from "./png-text.ts";

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
