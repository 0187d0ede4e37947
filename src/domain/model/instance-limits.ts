import type { PostLimits } from "./platform-limits.ts";

/** The limits that a platform instance states. If one is absent, the platform's limit applies. */
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

/** Replaces the platform's limits with those that the instance states. */
export function applyInstanceLimits(limits: PostLimits, instanceLimits: InstanceLimits | null): PostLimits {
  if (!instanceLimits) return limits;
  const { maxCharacters, linkLength, maxFiles, maxImageBytes, maxImagePixels, maxVideoBytes, maxAltTextLength } =
    instanceLimits;
  const { text, images, videos, altText } = limits;
  return {
    ...limits,
    // The instance's own limits are exact.
    variesByInstance: false,
    ...(text && { text: { ...text, ...toOverride("max", maxCharacters), ...toOverride("linkLength", linkLength) } }),
    ...(images && {
      images: {
        ...images,
        ...toOverride("max", maxFiles),
        ...toOverride("maxBytes", maxImageBytes),
        ...toOverride("maxPixels", maxImagePixels),
      },
    }),
    ...(videos && { videos: { ...videos, ...toOverride("maxBytes", maxVideoBytes) } }),
    ...(altText && { altText: { ...altText, ...toOverride("maxLength", maxAltTextLength) } }),
  };
}

const toOverride = <Name extends string>(name: Name, value: number | undefined): Partial<Record<Name, number>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, number>);
