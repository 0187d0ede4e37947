/** What a platform accepts in one post. A limit that its documentation does not state is omitted, never guessed. */
export interface PostLimits {
  text?: TextLimit;
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
  /** Absent if the platform does not support alt text. */
  altText?: { maxLength?: number };
  /** Instances can have other limits, so exceeding these is only a warning. */
  variesByInstance?: boolean;
  /** The pages that state these limits, the most detailed first. */
  sources: Sources;
}

export interface TextLimit {
  max: number;
  /**
   * What the platform counts: Unicode code points, UTF-16 units, graphemes, UTF-8 bytes, code points with emoji counted
   * in bytes (Threads), or X's weighted length, where emoji and most non-Latin characters count twice.
   */
  unit: "codePoints" | "utf16" | "graphemes" | "bytes" | "emojiBytes" | "weighted";
  /** Every link counts as this many characters, regardless of its length. */
  linkLength?: number;
  isRequired?: boolean;
}

export interface MediaLimit {
  /** Maximum number of files of this kind per post. */
  max?: number;
  /** The accepted MIME types among those that Atelier supports. */
  types: readonly string[];
  /** If a page says only MB, we use the smaller reading: one million bytes. */
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
}

export interface VideoLimit extends ImageLimit {
  minDurationMs?: number;
  maxDurationMs?: number;
}

export type Sources = readonly [Source, ...Source[]];

/** A documentation page that states limits. */
export interface Source {
  url: string;
  /** The day we read it (`2026-11-15`). */
  readOn: string;
  /** The page's own date, if it has one. */
  dated?: string;
}

/** Excludes punctuation that follows the link in a sentence. */
const linkPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;

/** Length of the text as the platform counts it. */
export function countText(text: string, { unit, linkLength }: TextLimit): number {
  if (linkLength === undefined) return counters[unit](text);
  const links = text.match(linkPattern)?.length ?? 0;
  return counters[unit](text.replace(linkPattern, "")) + links * linkLength;
}

const counters: Record<TextLimit["unit"], (text: string) => number> = {
  utf16: (text) => text.length,
  codePoints: (text) => Array.from(text).length,
  graphemes: (text) => splitGraphemes(text).length,
  bytes: (text) => Buffer.byteLength(text),
  emojiBytes: (text) =>
    sumBy(splitGraphemes(text), (grapheme) =>
      isEmoji(grapheme) ? Buffer.byteLength(grapheme) : Array.from(grapheme).length,
    ),
  weighted: (text) => sumBy(splitGraphemes(text.length > maxNormalized ? text : text.normalize("NFC")), weighGrapheme),
};

/** A longer text exceeds every grapheme limit; segmenting it would only slow down the request. */
const maxSegmentedLength = 10_000;

/** Normalization sorts runs of marks in quadratic time. A longer text exceeds X's 280 in any form. */
const maxNormalized = 2000;

function splitGraphemes(text: string): string[] {
  if (text.length > maxSegmentedLength) return Array.from(text);
  return Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);
}

/** X counts every emoji, and every character outside `singleWeightRanges`, as two. */
function weighGrapheme(grapheme: string): number {
  if (isEmoji(grapheme)) return 2;
  return sumBy(Array.from(grapheme), (char) => (isSingleWeight(char.codePointAt(0) ?? 0) ? 1 : 2));
}

function isEmoji(grapheme: string): boolean {
  return /\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u.test(grapheme);
}

function sumBy(parts: readonly string[], measure: (part: string) => number): number {
  return parts.reduce((sum, part) => sum + measure(part), 0);
}

const singleWeightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

function isSingleWeight(codePoint: number): boolean {
  return singleWeightRanges.some(([from, to]) => codePoint >= from && codePoint <= to);
}
