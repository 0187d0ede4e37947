import type { ImageRequest } from "#domain/renditions/ports.ts";

/** A request for a preview; each key stands for an image of its own. */
export const createImageRequest = (key: string): ImageRequest => ({
  key,
  imageKey: key,
  studioId: "studio",
  isUrgent: false,
});
