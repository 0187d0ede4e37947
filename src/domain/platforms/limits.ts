/** What a platform takes in one post, as data. A bound that its documentation does not name is left out, never guessed. */
export interface PostLimits {
  text?: TextLimit;
  /** For platforms that show a title of their own; the post's title is sent as such. */
  title?: TextLimit;
  /** How many files of all kinds one post must and may carry. */
  files?: { min?: number; max?: number };
  /** Absent: this kind of file cannot be posted there. */
  images?: ImageLimit;
  videos?: VideoLimit;
  documents?: MediaLimit;
  /** Whether different kinds of files may stand in one post. */
  allowsMixedKinds: boolean;
  /** Absent: the platform takes no alternative text. */
  altText?: { maxLength?: number };
  /** The people who run an instance may have set other bounds: what exceeds these is a warning. */
  variesByInstance?: boolean;
  /** The pages these bounds stand on, the one that says most first. */
  sources: Sources;
}

export interface TextLimit {
  max: number;
  /**
   * What one character is there: a Unicode code point, a UTF-16 unit, what a reader sees as one (grapheme), a byte of
   * UTF-8, a code point but an emoji by its bytes (Threads), or X's weighing, where most scripts beyond the Latin ones
   * and every emoji count twice.
   */
  unit: "codePoints" | "utf16" | "graphemes" | "bytes" | "emojiBytes" | "weighted";
  /** Every link counts as so many, however long it is. */
  linkLength?: number;
  /** Nothing can be posted without it. */
  isRequired?: boolean;
}

export interface MediaLimit {
  /** How many of this kind in one post. */
  max?: number;
  /** MIME types, of those that Atelier takes. */
  types: readonly string[];
  /** Where a page says only MB, that is read as a million bytes: the smaller reading is the one that holds. */
  maxBytes?: number;
  /** For types whose ceiling differs from `maxBytes`. */
  maxBytesByType?: Readonly<Record<string, number>>;
  /** Where a post with this kind of file has bounds of its own for what is written. */
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

/** A page that an entry was written from. */
export interface Source {
  url: string;
  /** The day we read it (`2026-11-15`). */
  readOn: string;
  /** The day the copy we read bears, where it bears one: it may be older than the day of reading. */
  dated?: string;
}

/** Up to what follows it in a sentence. */
const linkPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;

/** How long a text is where it is going: platforms do not agree on what a character is. */
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

/** A text this long is past every bound that counts so; to tell by exactly how much would cost a request its time. */
const maxSegmentedLength = 10_000;

/** Normalization sorts runs of marks in quadratic time. A longer text is past X's 280 however its marks compose. */
const maxNormalized = 2000;

function splitGraphemes(text: string): string[] {
  if (text.length > maxSegmentedLength) return Array.from(text);
  return Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);
}

/** X: an emoji is two however it is put together; so is each character beyond the Latin and kindred scripts. */
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
