import type { MediaMetadata } from "#domain/assets/model/asset.ts";

/** More than any codec can show, and within the database's columns. */
const maxPixels = 65_535;
const maxDurationMs = 2 ** 40;

interface VideoHeader {
  width: number | undefined;
  height: number | undefined;
  /** Shown with its sides exchanged. */
  isTurned: boolean;
  seconds: number;
}

/** Values come from an untrusted file: what no video has is unknown. */
export function toMetadata({ width = 0, height = 0, isTurned, seconds }: VideoHeader): MediaMetadata {
  const sides = [toInteger(width, maxPixels), toInteger(height, maxPixels)] as const;
  const [shownWidth, shownHeight] = isTurned ? [sides[1], sides[0]] : sides;
  const isSized = shownWidth !== null && shownHeight !== null;
  return {
    width: isSized ? shownWidth : null,
    height: isSized ? shownHeight : null,
    durationMs: toInteger(seconds * 1000, maxDurationMs),
  };
}

function toInteger(value: number, max: number): number | null {
  return value >= 1 && value <= max ? Math.round(value) : null;
}
