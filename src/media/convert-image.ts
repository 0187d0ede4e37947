import sharp, { type Metadata, type Sharp } from "sharp";
import type { Encoding, ImageInspection, ImageProblem, ImageTraits } from "#domain/model/renditions/plan-rendition.ts";
import type { Layout } from "#domain/model/renditions/plan-layout.ts";
import type { ExecutablePlan, RenderedImage } from "#domain/ports/media.ts";
import { maxThumbnailSide } from "#domain/model/asset.ts";
import { chooseMaxPixels, prepareForDecoder } from "./images.ts";
import { stripMetadata } from "./strip-metadata.ts";

const white = { r: 255, g: 255, b: 255, alpha: 1 };
const transparent = { r: 255, g: 255, b: 255, alpha: 0 };

/** Opens an image and decodes its whole first frame: a file that ends early or has damaged pixels is unreadable. */
export async function inspectImage(file: Uint8Array): Promise<ImageInspection> {
  try {
    const bytes = prepareForDecoder(file);
    const metadata = await sharp(bytes, { failOn: "error", limitInputPixels: false }).metadata();
    const { width, height } = metadata.autoOrient;
    if (width * height > (await chooseMaxPixels(bytes))) return { problem: "too_many_pixels" };
    await sharp(bytes, { failOn: "error", limitInputPixels: false, sequentialRead: true, pages: 1 })
      .resize({ width: 64, height: 64, fit: "inside" })
      .raw()
      .toBuffer();
    return { width, height, ...readTraits(file, metadata) };
  } catch {
    return { problem: "unreadable" };
  }
}

function readTraits(file: Uint8Array, metadata: Metadata): Omit<ImageTraits, "width" | "height"> {
  const strippedFile = stripMetadata(file);
  const hasPlainPixels =
    ["srgb", "b-w"].includes(metadata.space) &&
    metadata.depth === "uchar" &&
    (metadata.orientation ?? 1) === 1 &&
    (metadata.icc === undefined || isSrgbProfile(metadata.icc));
  // We can't remove the metadata of AVIF files, so only those without any are sent unchanged.
  const hasUnremovableMetadata = !strippedFile && Boolean(metadata.exif ?? metadata.xmp ?? metadata.iptc);
  return {
    frames: Math.max(metadata.pages ?? 1, countApngFrames(file)),
    hasAlpha: metadata.hasAlpha,
    hasMetadata: strippedFile ? strippedFile.length < file.length : hasUnremovableMetadata,
    canStripMetadata:
      hasPlainPixels && (strippedFile !== undefined || (metadata.format === "heif" && !hasUnremovableMetadata)),
  };
}

/** The description of an sRGB profile contains its name, in ASCII or UTF-16. */
const isSrgbProfile = (profile: Buffer): boolean => profile.includes("sRGB") || profile.includes("s\0R\0G\0B");

/** A file can state any number of frames. Larger numbers are reduced to this one, which fits the database's column. */
const maxStatedFrames = 1_000_000;

/** The chunk `acTL` of an animated PNG precedes its pixels. libvips reads only the first frame. */
function countApngFrames(file: Uint8Array): number {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (!buffer.subarray(1, 4).equals(Buffer.from("PNG"))) return 1;
  const pixels = buffer.indexOf("IDAT");
  const control = buffer.subarray(0, Math.max(pixels, 0)).indexOf("acTL");
  return control < 0 || control + 8 > buffer.length ? 1 : clampFrames(buffer.readUInt32BE(control + 4));
}

const clampFrames = (frames: number): number => Math.min(Math.max(frames, 1), maxStatedFrames);

/** Creates an upright image of at most 512 px, without the original's metadata, which may contain a location. */
export async function createThumbnail(file: Uint8Array): Promise<RenderedImage | { problem: "unreadable" }> {
  try {
    const bytes = prepareForDecoder(file);
    const limitInputPixels = await chooseMaxPixels(bytes);
    const content = await sharp(bytes, { limitInputPixels, sequentialRead: true, pages: 1, failOn: "none" })
      .autoOrient()
      .resize({ width: maxThumbnailSide, height: maxThumbnailSide, fit: "inside", withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer();
    return { mimeType: "image/webp", content };
  } catch {
    return { problem: "unreadable" };
  }
}

/** Executes a plan. The result has no metadata, is upright and in sRGB. */
export async function renderImage(
  file: Uint8Array,
  plan: ExecutablePlan,
): Promise<RenderedImage | { problem: ImageProblem | "too_large" }> {
  try {
    if (plan.kind === "render") return await renderSmallEnough(file, plan);
    const content = stripMetadata(file);
    return content ? { content } : { problem: "unreadable" };
  } catch {
    return { problem: "unreadable" };
  }
}

/** The lowest quality about halves the size, so a layout that exceeds the limit by more than this factor is skipped. */
const maxExcessFactor = 2;

async function renderSmallEnough(
  file: Uint8Array,
  { layouts, encodings }: Extract<ExecutablePlan, { kind: "render" }>,
): Promise<RenderedImage | { problem: "too_large" }> {
  const bytes = prepareForDecoder(file);
  const limitInputPixels = await chooseMaxPixels(bytes);
  const { hasAlpha } = await sharp(bytes, { failOn: "error", limitInputPixels }).metadata();
  const layOutImage = (layout: Layout, keepsAlpha: boolean): Sharp =>
    layOut(
      sharp(bytes, { failOn: "error", limitInputPixels, sequentialRead: true, pages: 1 }),
      layout,
      // libvips flattens before it pads, so the padding of an opaque image must be opaque itself.
      keepsAlpha ? transparent : white,
    );
  let bytesPerPixel = 0;
  for (const [i, layout] of layouts.entries()) {
    const isLast = i === layouts.length - 1;
    const maxBytes = Math.max(...encodings.map((encoding) => encoding.maxBytes ?? Infinity));
    const { width, height } = layout.canvas;
    if (!isLast && bytesPerPixel * width * height > maxBytes * maxExcessFactor) continue;
    let pixels: Sharp | undefined;
    for (const [attempt, encoding] of encodings.entries()) {
      // Decode a second time only if the first attempt was too large; then keep the pixels.
      if (attempt === 1) pixels = await decodePixels(layOutImage(layout, hasAlpha));
      const content = await encode(
        pixels?.clone() ?? layOutImage(layout, hasAlpha && encoding.type !== "image/jpeg"),
        encoding,
      );
      if (content.length <= (encoding.maxBytes ?? Infinity)) return { mimeType: encoding.type, content };
      bytesPerPixel = content.length / (width * height);
      if (!isLast && encoding.quality !== undefined && content.length > maxBytes * maxExcessFactor) break;
    }
  }
  return { problem: "too_large" };
}

function layOut(image: Sharp, { region, scaled, canvas }: Layout, background: typeof white): Sharp {
  const [extraWidth, extraHeight] = [canvas.width - scaled.width, canvas.height - scaled.height];
  const [left, top] = [Math.floor(extraWidth / 2), Math.floor(extraHeight / 2)];
  const scaledImage = image
    .autoOrient()
    .extract(region)
    .resize({ ...scaled, fit: "fill" });
  if (extraWidth === 0 && extraHeight === 0) return scaledImage;
  const borders = { left, right: extraWidth - left, top, bottom: extraHeight - top };
  return scaledImage.extend({ ...borders, background });
}

async function decodePixels(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}

function encode(image: Sharp, { type, quality = 100 }: Encoding): Promise<Buffer> {
  switch (type) {
    case "image/jpeg":
      return image.flatten({ background: white }).jpeg({ quality }).toBuffer();
    case "image/webp":
      return image.webp({ quality }).toBuffer();
    case "image/png":
      return image.png().toBuffer();
  }
}
