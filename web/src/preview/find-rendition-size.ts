import type { Size } from "./crop-window.ts";

interface Problem {
  level: string;
  assetId?: string | undefined;
  assetIds?: string[] | undefined;
  size?: Size | undefined;
}

interface Image {
  id: string;
  width?: number | undefined;
  height?: number | undefined;
}

/**
 * The size that a rendition will have: the planned one, or that of the image if it isn't converted. Undefined if several
 * images are converted to different sizes.
 */
export function findRenditionSize(problems: readonly Problem[], { id, width, height }: Image): Size | undefined {
  const conversion = problems.find(
    ({ level, assetId, assetIds }) => level === "converted" && (assetId === id || assetIds?.includes(id)),
  );
  if (conversion) return conversion.size;
  return width === undefined || height === undefined ? undefined : { width, height };
}
