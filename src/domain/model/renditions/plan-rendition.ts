import type { ImageLimit } from "../platform-limits.ts";
import { type CropPosition, fitsSizeLimit, type Layout, planLayout, type Size } from "./plan-layout.ts";

/** What is known about an image after it was opened. */
export interface ImageTraits extends Size {
  /** More than one if the image is animated. */
  frames: number;
  hasAlpha: boolean;
  /** Whether the image contains metadata, which may name a place, a person or a device. */
  hasMetadata: boolean;
  /**
   * Whether metadata can be removed without encoding the image again and without changing how it looks: the image is
   * upright, has 8 bits per channel, and is grey or sRGB. Also true if there is no metadata.
   */
  canStripMetadata: boolean;
}

export interface SourceImage extends ImageTraits {
  mimeType: string;
  bytes: number;
}

export const encodableTypes = ["image/jpeg", "image/png", "image/webp"] as const;
export type EncodableType = (typeof encodableTypes)[number];

/** One attempt to encode; the next one follows if the result exceeds `maxBytes`. */
export interface Encoding {
  type: EncodableType;
  /** Undefined for PNG, which is lossless. */
  quality?: number;
  maxBytes?: number;
}

/** What a rendition changes, apart from metadata and color space. */
export type RenditionChange = "type" | "bytes" | "size" | "pad" | "crop" | "animation" | "alpha";

export type RenditionPlan =
  /** The original is sent. */
  | { kind: "as_is" }
  /** The original is sent without its metadata. */
  | { kind: "strip" }
  /** Every encoding is tried for the first layout, then for the next one, until one is small enough. */
  | { kind: "render"; layouts: Layout[]; encodings: Encoding[]; changes: RenditionChange[] }
  | { kind: "reject"; code: string; reason: string };

/** HEIC needs a decoder that is not freely licensed. */
const undecodableTypes = ["image/heic", "image/heif"];
export const canBeDecoded = (mimeType: string): boolean => !undecodableTypes.includes(mimeType);

/** Larger renditions would need too much memory. */
const maxRenditionPixels = 36_000_000;
/** The longest side that each format can store. */
const maxSide: Record<EncodableType, number> = { "image/jpeg": 65_500, "image/png": 65_500, "image/webp": 16_383 };
const qualities = [85, 75, 65];
/** If no quality is small enough, the image is scaled down in these steps. */
const byteScales = Array.from({ length: 16 }, (_, i) => 0.8 ** i);

/** Decides what an account of a platform receives instead of an image. The caller executes the plan. */
export function planRendition(image: SourceImage, limit: ImageLimit, crop?: CropPosition): RenditionPlan {
  if (!canBeDecoded(image.mimeType))
    return { kind: "reject", code: "heic_unsupported", reason: "can’t be converted; export it as JPEG" };
  if (image.canStripMetadata && fitsLimit(image, limit)) return { kind: image.hasMetadata ? "strip" : "as_is" };
  const types = rankTypes(image, limit);
  const [type] = types;
  if (!type)
    return {
      kind: "reject",
      code: "type_unsupported",
      reason: `is ${image.mimeType}; the platform accepts ${limit.types.join(", ")}`,
    };
  const maxPixels = Math.min(limit.maxPixels ?? Infinity, maxRenditionPixels);
  const longestSide = Math.min(...types.map((candidate) => maxSide[candidate]));
  const sizeLimit = {
    ...limit,
    maxPixels,
    maxWidth: Math.min(limit.maxWidth ?? Infinity, longestSide),
    maxHeight: Math.min(limit.maxHeight ?? Infinity, longestSide),
  };
  const encodings = types.flatMap((candidate) => listEncodings(candidate, limit));
  const scales = encodings.some(({ maxBytes }) => maxBytes !== undefined) ? byteScales : [1];
  const layouts = listLayouts(image, sizeLimit, scales, crop);
  const [layout] = layouts;
  if (!layout) return { kind: "reject", code: "size_unsupported", reason: describeSizeProblem(image, limit) };
  return { kind: "render", layouts, encodings, changes: listChanges(image, limit, type, layout) };
}

const getMaxBytes = (limit: ImageLimit, mimeType: string): number | undefined =>
  limit.maxBytesByType?.[mimeType] ?? limit.maxBytes;

function fitsLimit(image: SourceImage, limit: ImageLimit): boolean {
  return (
    limit.types.includes(image.mimeType) &&
    (image.frames === 1 || (limit.animatedTypes ?? []).includes(image.mimeType)) &&
    image.bytes <= (getMaxBytes(limit, image.mimeType) ?? Infinity) &&
    fitsSizeLimit(image, limit)
  );
}

/** The types to try: the best type, then a lossy type if the best type is PNG, whose result may be too large. */
function rankTypes({ mimeType, bytes, hasAlpha }: SourceImage, limit: ImageLimit): EncodableType[] {
  const isAccepted = (type: EncodableType): boolean => limit.types.includes(type);
  const lossyTypes: EncodableType[] = hasAlpha ? ["image/webp", "image/jpeg"] : ["image/jpeg", "image/webp"];
  const isLossless = mimeType === "image/png" || mimeType === "image/gif";
  const mustShrink = bytes > (getMaxBytes(limit, "image/png") ?? Infinity);
  const rankedTypes: EncodableType[] =
    isLossless && !mustShrink ? ["image/png", ...lossyTypes] : [...lossyTypes, "image/png"];
  // A type that keeps transparency comes before one that does not.
  const preferredTypes =
    hasAlpha && !mustShrink ? rankedTypes.toSorted((a, b) => toAlphaRank(a) - toAlphaRank(b)) : rankedTypes;
  const sameType = encodableTypes.filter((type) => type === mimeType && !(isLossless && mustShrink));
  const acceptedTypes = [...new Set([...sameType, ...preferredTypes])].filter(isAccepted);
  const lossyIndex = acceptedTypes.findIndex((type) => type !== "image/png");
  return acceptedTypes.slice(0, lossyIndex < 0 ? 1 : lossyIndex + 1);
}

const toAlphaRank = (type: EncodableType): number => (type === "image/jpeg" ? 1 : 0);

function listEncodings(type: EncodableType, limit: ImageLimit): Encoding[] {
  const maxBytes = getMaxBytes(limit, type);
  const encoding = { type, ...(maxBytes === undefined ? {} : { maxBytes }) };
  return type === "image/png" ? [encoding] : qualities.map((quality) => ({ ...encoding, quality }));
}

function listLayouts(
  image: Size,
  limit: ImageLimit,
  scales: readonly number[],
  crop: CropPosition | undefined,
): Layout[] {
  const largest = planLayout(image, limit, { crop });
  if (!largest) return [];
  const scale = largest.scaled.width / largest.region.width;
  const layouts = scales.map((factor) => planLayout(image, limit, { crop, maxScale: scale * factor }));
  const layoutByKey = new Map(
    [largest, ...layouts].flatMap((layout) => (layout ? [[toLayoutKey(layout), layout]] : [])),
  );
  return [...layoutByKey.values()];
}

const toLayoutKey = ({ scaled: { width, height } }: Layout): string => `${width} ${height}`;

function describeSizeProblem({ width, height }: Size, limit: ImageLimit): string {
  const { minWidth = 1, minHeight = 1 } = limit;
  return `is ${width} × ${height} pixels, and no version of it fits the platform’s limits (at least ${minWidth} × ${minHeight} pixels)`;
}

function listChanges(image: SourceImage, limit: ImageLimit, type: EncodableType, layout: Layout): RenditionChange[] {
  const { region, scaled, canvas } = layout;
  const changes: Record<RenditionChange, boolean> = {
    type: type !== image.mimeType,
    bytes: image.bytes > (getMaxBytes(limit, image.mimeType) ?? Infinity),
    size: scaled.width < region.width || scaled.height < region.height,
    pad: canvas.width > scaled.width || canvas.height > scaled.height,
    crop: region.width < image.width || region.height < image.height,
    animation: image.frames > 1,
    alpha: image.hasAlpha && type === "image/jpeg",
  };
  return (Object.keys(changes) as RenditionChange[]).filter((change) => changes[change]);
}

/** Why an image can't be converted: it is damaged, or opening it would need too much memory. */
export type ImageProblem = "unreadable" | "too_many_pixels";

/** What opening an image showed. */
export type ImageInspection = ImageTraits | { problem: ImageProblem };

const typeNames: Record<EncodableType, string> = { "image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WebP" };

/** Describes the visible changes of a rendition, such as “converted to JPEG, 2048 × 1536”; undefined if none. */
export function describeRender({
  changes,
  encodings,
  layouts,
}: Extract<RenditionPlan, { kind: "render" }>): { action: string; sizeText: string; size: Size } | undefined {
  const [encoding, layout] = [encodings[0], layouts[0]];
  if (!encoding || !layout || changes.length === 0) return undefined;
  const isConverted = changes.includes("type");
  const phrases: [change: RenditionChange, phrase: string | false][] = [
    ["type", `converted to ${typeNames[encoding.type]}`],
    // A conversion to another type includes both of these changes.
    ["bytes", !isConverted && "compressed"],
    ["size", !isConverted && "scaled down"],
    ["pad", "padded"],
    ["crop", "cropped"],
    ["animation", "reduced to the first frame"],
    ["alpha", "given a white background"],
  ];
  const actions = phrases.flatMap(([change, phrase]) => (phrase && changes.includes(change) ? [phrase] : []));
  const size = layout.canvas;
  const prefix = changes.includes("bytes") ? "at most " : "";
  return { action: joinWords(actions), sizeText: `${prefix}${size.width} × ${size.height}`, size };
}

function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}
