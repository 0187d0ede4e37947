import type { ImageLimit } from "../platform-limits.ts";
import { canBeDecoded, type ImageInspection, planRendition, type RenditionPlan } from "./plan-rendition.ts";
import type { CropPosition } from "./plan-layout.ts";

interface ImageFile {
  mimeType: string;
  bytes: number | null;
  width?: number | null | undefined;
  height?: number | null | undefined;
}

/** Why an image can't be converted for any platform. */
export const imageRejections = {
  unreadable: { code: "image_unreadable", reason: "can’t be opened; export it as JPEG" },
  too_many_pixels: { code: "image_too_large", reason: "is too large to be converted; export it with fewer pixels" },
} as const;

/** Plans the rendition of an asset. An image that was not opened yet is assumed to be an ordinary one. */
export function planForAsset(
  { mimeType, bytes, width, height }: ImageFile,
  inspection: ImageInspection | undefined,
  limit: ImageLimit,
  crop: CropPosition | undefined,
): RenditionPlan {
  if (inspection && "problem" in inspection) return { kind: "reject", ...imageRejections[inspection.problem] };
  const traits = inspection ?? (width && height ? { ...ordinaryTraits, width, height } : undefined);
  // The size of an image that can be decoded is known, unless the image is damaged.
  if (!traits && canBeDecoded(mimeType)) return { kind: "reject", ...imageRejections.unreadable };
  return planRendition({ ...(traits ?? placeholderTraits), mimeType, bytes: bytes ?? 0 }, limit, crop);
}

const ordinaryTraits = { frames: 1, hasAlpha: false, hasMetadata: false, canStripMetadata: true };
/** For images that can't be decoded, which `planRendition` rejects at any size. */
const placeholderTraits = { ...ordinaryTraits, width: 1, height: 1 };
