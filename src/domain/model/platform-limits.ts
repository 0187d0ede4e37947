import type { TextLimit } from "#portable/count-text.ts";

/** What a platform accepts in one post. A limit that its documentation does not state is omitted, never guessed. */
export interface PostLimits {
  text?: TextLimit;
  /** Maximum numbers of hashtags and mentions in the text. */
  hashtagsAndMentions?: { maxHashtags: number; maxMentions: number };
  /** What to tell people about a text with a link, such as its cost. */
  linkWarning?: string;
  /** For platforms whose posts have a title; we send the post's title. */
  title?: TextLimit;
  /** Minimum and maximum number of files of all kinds per post. */
  files?: { min?: number; max?: number };
  /** Absent if the platform does not accept this kind of file. */
  images?: ImageLimit;
  videos?: VideoLimit;
  documents?: MediaLimit;
  /** Whether one post may have different kinds of files. */
  allowsMixedKinds: boolean;
  /** Absent if the platform does not support alt text. `maxLength` is in code points. */
  altText?: { maxLength?: number; isSentForVideos?: boolean };
  /** Platform instances can have other limits, so exceeding these is only a warning. */
  variesByInstance?: boolean;
  /** The pages that state these limits, the most detailed first. */
  sources: Sources;
}

/** Whether posts, or those with some kind of file, have a title. */
export const hasTitle = ({ title, images, videos }: PostLimits): boolean =>
  [title, images?.title, videos?.title].some((limit) => limit !== undefined);

export interface MediaLimit {
  /** Minimum and maximum number of files of this kind per post. */
  min?: number;
  max?: number;
  /** The accepted MIME types among those that Atelier supports. */
  types: readonly string[];
  /** If the documentation only says MB, we use the stricter interpretation: one million bytes. */
  maxBytes?: number;
  /** For types whose maximum differs from `maxBytes`. */
  maxBytesByType?: Readonly<Record<string, number>>;
  /** Text limits of posts with this kind of file, if they differ. */
  text?: TextLimit;
  title?: TextLimit;
}

export interface ImageLimit extends MediaLimit {
  /** Width times height. */
  maxPixels?: number;
  minWidth?: number;
  maxWidth?: number;
  minHeight?: number;
  maxHeight?: number;
  /** Width divided by height. */
  minAspect?: number;
  maxAspect?: number;
  /** The types in `types` whose animations the platform shows. Of an animation in another type, we send one frame. */
  animatedTypes?: readonly string[];
  /** Limits that differ for an image that is the only file of its post. */
  asOnlyFile?: Pick<ImageLimit, "animatedTypes" | "maxBytesByType">;
}

/** The limits of an image in a post with this many files. */
export function selectImageLimit({ asOnlyFile, ...limit }: ImageLimit, fileCount: number): ImageLimit {
  return fileCount === 1 ? { ...limit, ...asOnlyFile } : limit;
}

export interface VideoLimit extends ImageLimit {
  minDurationMs?: number;
  maxDurationMs?: number;
}

export type Sources = readonly [Source, ...Source[]];

/** A documentation page that states limits. */
export interface Source {
  url: string;
  /** The day on which we read the page (`2026-11-15`). */
  readOn: string;
  /** The page's own date, if it has one. */
  dated?: string;
}

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
