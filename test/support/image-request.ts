import type { ImageRequest } from "#domain/ports/media.ts";

/** A request for a preview. Each key identifies a different image. */
export const createImageRequest = (key: string): ImageRequest => ({
  key,
  imageKey: key,
  studioId: "studio",
  isUrgent: false,
});
