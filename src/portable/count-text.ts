export const textUnits = ["codePoints", "utf16", "graphemes", "bytes", "emojiBytes", "weighted"] as const;

export interface TextLimit {
  max: number;
  /**
   * What the platform counts: Unicode code points, UTF-16 units, graphemes, UTF-8 bytes, code points with emoji counted
   * in bytes (Threads), or X's weighted length, where emoji and most non-Latin characters count twice.
   */
  unit: (typeof textUnits)[number];
  /** Every link counts as this many characters, regardless of its length. */
  linkLength?: number | undefined;
  /** A mention of an account on another server counts without the server: `@ada@example.com` counts as `@ada`. */
  countsMentionsWithoutServer?: boolean | undefined;
  /** In UTF-8, for platforms that limit both characters and bytes. */
  maxBytes?: number;
  isRequired?: boolean;
}

/** Excludes punctuation that follows the link in a sentence. */
const linkPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;

/** The server of a mention. An `@` after a letter, `=` or `/` belongs to an email or a link. */
const mentionedServerPattern =
  /(?<![=/\p{L}\p{M}\p{N}_])(@\w+(?:[.-]+\w+)*)@[\p{L}\p{M}\p{N}_]+(?:[.-]+[\p{L}\p{M}\p{N}_]+)*/gu;

/** Length of the text as the platform counts it. */
export function countText(text: string, { unit, linkLength, countsMentionsWithoutServer }: TextLimit): number {
  const links = linkLength === undefined ? 0 : (text.match(linkPattern)?.length ?? 0);
  const withoutLinks = linkLength === undefined ? text : text.replace(linkPattern, "");
  const countedText = countsMentionsWithoutServer ? withoutLinks.replace(mentionedServerPattern, "$1") : withoutLinks;
  return counters[unit](countedText) + links * (linkLength ?? 0);
}

const counters: Record<TextLimit["unit"], (text: string) => number> = {
  utf16: (text) => text.length,
  codePoints: (text) => Array.from(text).length,
  graphemes: (text) => splitGraphemes(text).length,
  bytes: (text) => countBytes(text),
  emojiBytes: (text) =>
    sumBy(splitGraphemes(text), (grapheme) => (isEmoji(grapheme) ? countBytes(grapheme) : Array.from(grapheme).length)),
  weighted: (text) =>
    sumBy(splitGraphemes(text.length > maxNormalizedLength ? text : text.normalize("NFC")), weighGrapheme),
};

/** A longer text exceeds every grapheme limit; segmenting it would only slow down the request. */
const maxSegmentedLength = 10_000;

/** Normalization sorts runs of marks in quadratic time. A longer text exceeds X's limit of 280 in any form. */
const maxNormalizedLength = 2000;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const countBytes = (text: string): number => encoder.encode(text).length;

function splitGraphemes(text: string): string[] {
  if (text.length > maxSegmentedLength) return Array.from(text);
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
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
