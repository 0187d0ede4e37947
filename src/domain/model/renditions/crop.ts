import { z } from "zod";
import type { CropPosition } from "./plan-layout.ts";

const coordinate = z.number().min(0).max(1);

/** Which part of an image a platform receives if it doesn't accept the aspect ratio of the whole image. */
export const crop = z.object({
  assetId: z.string(),
  platform: z.string(),
  x: coordinate.describe("0 keeps the left edge, 1 the right edge."),
  y: coordinate.describe("0 keeps the upper edge, 1 the lower edge."),
});
export type Crop = z.infer<typeof crop>;

/** The crop positions for a platform, by asset. */
export const getCrops = (crops: readonly Crop[], platform: string): Map<string, CropPosition> =>
  new Map(crops.filter((each) => each.platform === platform).map(({ assetId, x, y }) => [assetId, { x, y }]));
