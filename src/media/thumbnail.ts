import sharp from "sharp";
import type { ByteSource } from "#domain/assets/byte-source.ts";
import { thumbnailPixels } from "#domain/assets/media.ts";

/** Decoded line by line, so that many pixels cost little memory; other formats are decoded whole. */
const lineByLine = new Set(["image/jpeg", "image/png"]);
const maxPixels = { lineByLine: 100_000_000, whole: 40_000_000 };
/** A picture is read into memory to be opened. */
const maxBytes = 100 * 1024 * 1024;

/** At most 512 px, upright, and without the original's metadata: no place where it was taken leaves with it. */
export async function makeThumbnail(source: ByteSource, mimeType: string): Promise<Uint8Array | undefined> {
  if (source.bytes > maxBytes) return undefined;
  const limitInputPixels = lineByLine.has(mimeType) ? maxPixels.lineByLine : maxPixels.whole;
  const picture = sharp(await source.read(0, source.bytes), {
    limitInputPixels,
    sequentialRead: true,
    pages: 1,
    failOn: "none",
  });
  return picture
    .timeout({ seconds: 10 })
    .autoOrient()
    .resize({ width: thumbnailPixels, height: thumbnailPixels, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
