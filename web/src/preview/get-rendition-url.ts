import type { Post } from "../api/queries.ts";
import type { CropPosition, Size } from "./crop-window.ts";

/** The size of the rendition that is shown, and whether it is a crop. */
export interface RenditionSize extends Size {
  isCropped: boolean;
}

export const findCrop = (
  { crops = [] }: Pick<Post, "crops">,
  assetId: string,
  platform: string,
): CropPosition | undefined => crops.find((crop) => crop.assetId === assetId && crop.platform === platform);

/**
 * The parameter `fit` makes the browser load the image again when the crop changes, or whether it is the account's only
 * file, for which some platforms have other limits. The server ignores it.
 */
export function getRenditionUrl(
  { studioId, postId, connectionId }: { studioId: string; postId: string; connectionId: string },
  assetId: string,
  crop: CropPosition | undefined,
  fileCount: number,
): string {
  const fit = `${crop ? `crop-${crop.x}-${crop.y}` : "pad"}${fileCount === 1 ? "-only" : ""}`;
  return `/api/studios/${studioId}/posts/${postId}/assets/${assetId}/renditions/${connectionId}?fit=${fit}`;
}
