import type { ImageLimit } from "../platforms/limits.ts";

export interface Size {
  width: number;
  height: number;
}

/** Which part of an image a crop keeps: 0 is the left or upper edge, 1 the right or lower one. */
export interface CropPosition {
  x: number;
  y: number;
}

/** The geometry of a rendition, in pixels of the upright original. */
export interface Layout {
  /** The part of the original that is used. */
  region: Size & { left: number; top: number };
  /** What the region is scaled to. */
  scaled: Size;
  /** The size of the rendition; if it is larger than `scaled`, the rest is padding. */
  canvas: Size;
}

export type SizeLimit = Pick<
  ImageLimit,
  "maxPixels" | "minWidth" | "maxWidth" | "minHeight" | "maxHeight" | "minAspect" | "maxAspect"
>;

/** Whether an image of this size is within the limits. */
export function fitsSizeLimit({ width, height }: Size, limit: SizeLimit): boolean {
  return (
    width * height <= (limit.maxPixels ?? Infinity) &&
    width <= (limit.maxWidth ?? Infinity) &&
    height <= (limit.maxHeight ?? Infinity) &&
    width >= (limit.minWidth ?? 1) &&
    height >= (limit.minHeight ?? 1) &&
    hasAllowedAspect({ width, height }, limit)
  );
}

/** Tolerates one pixel: few aspect ratios are exact in pixels, and 1200 × 628 is commonly used for 1.91:1. */
function hasAllowedAspect({ width, height }: Size, { minAspect = 0, maxAspect = Infinity }: SizeLimit): boolean {
  return (width - 1) / (height + 1) <= maxAspect && (width + 1) / Math.max(height - 1, 1) >= minAspect;
}

/** Enough to find the largest scale to a fraction of a pixel. */
const searchSteps = 40;

/**
 * Finds the largest rendition within the limits that shows the whole image, padded to an allowed aspect ratio; with a
 * crop position, it shows the largest part that has one. `maxScale` reduces it further. Undefined if no size is allowed.
 */
export function planLayout(
  image: Size,
  limit: SizeLimit,
  { crop, maxScale = 1 }: { crop?: CropPosition | undefined; maxScale?: number } = {},
): Layout | undefined {
  const region = cropToAspect(image, limit, crop);
  const layOut = (scale: number): Layout | undefined => {
    const scaled = { width: scaleSide(region.width, scale), height: scaleSide(region.height, scale) };
    const canvas = padToLimit(scaled, limit);
    return fitsSizeLimit(canvas, limit) ? { region, scaled, canvas } : undefined;
  };
  const largest = layOut(maxScale);
  if (largest) return largest;
  // The canvas grows with the scale, so the largest scale that fits can be found by bisection.
  let [low, high] = [0, maxScale];
  for (let step = 0; step < searchSteps; step++) {
    const middle = (low + high) / 2;
    if (layOut(middle)) low = middle;
    else high = middle;
  }
  return layOut(low);
}

const scaleSide = (side: number, scale: number): number => Math.max(1, Math.floor(side * scale + rounding));

/** Keeps a product such as 3 × (1 / 3) from being rounded to the wrong integer. */
const rounding = 1e-6;

/** The smallest canvas that contains the image and has the required size and aspect ratio. */
function padToLimit({ width, height }: Size, limit: SizeLimit): Size {
  const { minWidth = 1, minHeight = 1, minAspect = 0, maxAspect = Infinity } = limit;
  const paddedHeight = Math.max(height, minHeight, Math.ceil(Math.max(width, minWidth) / maxAspect - rounding));
  const paddedWidth = Math.max(width, minWidth, Math.ceil(paddedHeight * minAspect - rounding));
  // One pixel of difference is tolerated, and not worth a line of padding.
  return hasAllowedAspect({ width, height }, limit) && width >= minWidth && height >= minHeight
    ? { width, height }
    : { width: paddedWidth, height: paddedHeight };
}

function cropToAspect(image: Size, limit: SizeLimit, crop: CropPosition | undefined): Layout["region"] {
  const { minAspect = 0, maxAspect = Infinity } = limit;
  if (!crop) return { left: 0, top: 0, width: image.width, height: image.height };
  const width = Math.max(1, Math.min(image.width, Math.floor(image.height * maxAspect + rounding)));
  const height = Math.max(1, Math.min(image.height, Math.floor(image.width / minAspect + rounding)));
  return {
    left: Math.round((image.width - width) * crop.x),
    top: Math.round((image.height - height) * crop.y),
    width,
    height,
  };
}
