import type { ImageLimit } from "../platform-limits.ts";

export interface Size {
  width: number;
  height: number;
}

/** Which part of an image a crop keeps: 0 is the left or upper edge, 1 the right or lower one. */
export interface CropPosition {
  x: number;
  y: number;
}

/** The geometry of a rendition. */
export interface Layout {
  /** The part of the upright original that is used, in its pixels. */
  region: Size & { left: number; top: number };
  /** The size to which the region is scaled. */
  scaled: Size;
  /** The size of the rendition; if it is larger than `scaled`, the difference is padding. */
  canvas: Size;
}

export type SizeLimit = Pick<
  ImageLimit,
  "maxPixels" | "minWidth" | "maxWidth" | "minHeight" | "maxHeight" | "minAspect" | "maxAspect"
>;

/** Whether an image of this size is within the limits. `planLayout` checks its own sizes with a smaller tolerance. */
export function fitsSizeLimit({ width, height }: Size, limit: SizeLimit, tolerance = aspectTolerance): boolean {
  return (
    width * height <= (limit.maxPixels ?? Infinity) &&
    width <= (limit.maxWidth ?? Infinity) &&
    height <= (limit.maxHeight ?? Infinity) &&
    width >= (limit.minWidth ?? 1) &&
    height >= (limit.minHeight ?? 1) &&
    hasAllowedAspect({ width, height }, limit, tolerance)
  );
}

/** Few aspect ratios are exact in pixels, and 1200 × 628 is commonly used for 1.91:1. */
export const aspectTolerance = 0.003;

function hasAllowedAspect(
  { width, height }: Size,
  { minAspect = 0, maxAspect = Infinity }: SizeLimit,
  tolerance: number,
): boolean {
  const aspect = width / height;
  return aspect <= maxAspect * (1 + tolerance) && aspect >= minAspect * (1 - tolerance);
}

/** Enough to find the largest scale to a fraction of a pixel. */
const bisectionSteps = 40;

/**
 * Finds the largest rendition within the limits that shows the whole image, padded to an allowed aspect ratio. With a
 * crop position, it shows the largest part with an allowed aspect ratio instead. `maxScale` reduces the rendition
 * further. Undefined if no size is allowed.
 */
export function planLayout(
  image: Size,
  limit: SizeLimit,
  { crop, maxScale = 1 }: { crop?: CropPosition | undefined; maxScale?: number } = {},
): Layout | undefined {
  const region = cropToAspect(image, limit, crop);
  const isWithinAspect = hasAllowedAspect(region, limit, aspectTolerance);
  const layOutAt = (scale: number): Layout | undefined => {
    const flooredSize = { width: scaleSide(region.width, scale), height: scaleSide(region.height, scale) };
    // A pixel less of one side is better than a line of padding.
    const scaled = isWithinAspect ? trimToAspect(flooredSize, limit) : flooredSize;
    const canvas = padToLimit(scaled, limit);
    return fitsSizeLimit(canvas, limit, roundingTolerance) ? { region, scaled, canvas } : undefined;
  };
  const largest = layOutAt(maxScale);
  if (largest) return largest;
  // The canvas grows with the scale, so the largest scale that fits can be found by bisection.
  let [low, high] = [0, maxScale];
  for (let step = 0; step < bisectionSteps; step++) {
    const middle = (low + high) / 2;
    if (layOutAt(middle)) low = middle;
    else high = middle;
  }
  return layOutAt(low);
}

const scaleSide = (side: number, scale: number): number => Math.max(1, Math.floor(side * scale + roundingTolerance));

/** Keeps a product such as 3 × (1 / 3) from being rounded to the wrong integer. */
const roundingTolerance = 1e-6;

/** The longest side that any of the image formats supports. */
const maxSide = 65_500;

/** The smallest canvas that contains the image and has the required size and aspect ratio. */
function padToLimit({ width, height }: Size, limit: SizeLimit): Size {
  const { minWidth = 1, minHeight = 1, minAspect = 0, maxAspect = Infinity, maxHeight = maxSide } = limit;
  if (width >= minWidth && height >= minHeight && hasAllowedAspect({ width, height }, limit, roundingTolerance))
    return { width, height };
  const minPadded = { width: Math.max(width, minWidth), height: Math.max(height, minHeight) };
  const smallestHeight = Math.max(minPadded.height, Math.ceil(minPadded.width / maxAspect - roundingTolerance));
  const padTo = (canvasHeight: number): Size => ({
    width: Math.max(minPadded.width, Math.ceil(canvasHeight * minAspect - roundingTolerance)),
    height: canvasHeight,
  });
  // If `minAspect` and `maxAspect` are close, some heights have no integer width with an allowed aspect ratio.
  for (let canvasHeight = smallestHeight; canvasHeight <= maxHeight; canvasHeight++)
    if (hasAllowedAspect(padTo(canvasHeight), limit, roundingTolerance)) return padTo(canvasHeight);
  return padTo(smallestHeight);
}

/** The largest size with an allowed aspect ratio that fits into the given one. */
function trimToAspect({ width, height }: Size, { minAspect = 0, maxAspect = Infinity }: SizeLimit): Size {
  return {
    width: Math.max(1, Math.min(width, Math.floor(height * maxAspect + roundingTolerance))),
    height: Math.max(1, Math.min(height, Math.floor(width / minAspect + roundingTolerance))),
  };
}

function cropToAspect(image: Size, limit: SizeLimit, crop: CropPosition | undefined): Layout["region"] {
  if (!crop) return { left: 0, top: 0, width: image.width, height: image.height };
  const { width, height } = trimToAspect(image, limit);
  return {
    left: Math.round((image.width - width) * crop.x),
    top: Math.round((image.height - height) * crop.y),
    width,
    height,
  };
}
