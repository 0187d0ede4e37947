import type { ImageTraits } from "./plan-rendition.ts";

/** Why an image can't be converted: it is damaged, or opening it would need too much memory. */
export type ImageProblem = "unreadable" | "too_many_pixels";

/** What opening an image showed. */
export type ImageInspection = ImageTraits | { problem: ImageProblem };
