import type { PostLimits } from "./limits.ts";

/** The limits that an instance states. The platform's own limits apply to what is absent. */
export interface InstanceLimits {
  maxCharacters?: number;
  /** Every link counts as this many characters. */
  linkLength?: number;
  maxFiles?: number;
  maxImageBytes?: number;
  maxImagePixels?: number;
  maxVideoBytes?: number;
  maxAltTextLength?: number;
}

/** The limits of a post on this instance. */
export function applyInstanceLimits(limits: PostLimits, instance: InstanceLimits | null): PostLimits {
  if (!instance) return limits;
  const { maxCharacters, linkLength, maxFiles, maxImageBytes, maxImagePixels, maxVideoBytes, maxAltTextLength } =
    instance;
  const { text, images, videos, altText } = limits;
  return {
    ...limits,
    // The instance's own limits are exact.
    variesByInstance: false,
    ...(text && { text: { ...text, ...pick("max", maxCharacters), ...pick("linkLength", linkLength) } }),
    ...(images && {
      images: {
        ...images,
        ...pick("max", maxFiles),
        ...pick("maxBytes", maxImageBytes),
        ...pick("maxPixels", maxImagePixels),
      },
    }),
    ...(videos && { videos: { ...videos, ...pick("maxBytes", maxVideoBytes) } }),
    ...(altText && { altText: { ...altText, ...pick("maxLength", maxAltTextLength) } }),
  };
}

const pick = <Name extends string>(name: Name, value: number | undefined): Partial<Record<Name, number>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, number>);
