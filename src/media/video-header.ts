import type { MediaMetadata } from "#domain/model/asset.ts";

/** More than any codec supports, and within the range of the database columns. */
const maxSide = 65_535;
const maxDurationMs = 2 ** 40;

interface VideoHeader {
  width: number | undefined;
  height: number | undefined;
  /** Rotated by 90° or 270°, so that width and height are swapped. */
  isSideways: boolean;
  seconds: number;
}

/** Replaces implausible values with null, because they come from an untrusted file. */
export function toMetadata({ width = 0, height = 0, isSideways, seconds }: VideoHeader): MediaMetadata {
  const sides = [toInteger(width, maxSide), toInteger(height, maxSide)] as const;
  const [shownWidth, shownHeight] = isSideways ? [sides[1], sides[0]] : sides;
  const hasSize = shownWidth !== null && shownHeight !== null;
  return {
    width: hasSize ? shownWidth : null,
    height: hasSize ? shownHeight : null,
    durationMs: toInteger(seconds * 1000, maxDurationMs),
  };
}

function toInteger(value: number, max: number): number | null {
  return value >= 1 && value <= max ? Math.round(value) : null;
}
