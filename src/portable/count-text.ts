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
  /** Characters that the platform rejects. */
  forbidden?: string;
}

/** Excludes punctuation that follows the link in a sentence. */
export const linkPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;

/** The server of a mention. An `@` after a letter, `=` or `/` belongs to an email or a link. */
const mentionedServerPattern =
  /(?<![=/\p{L}\p{M}\p{N}_])(@\w+(?:[.-]+\w+)*)@[\p{L}\p{M}\p{N}_]+(?:[.-]+[\p{L}\p{M}\p{N}_]+)*/gu;

/** Length of the text as the platform counts it. Of a text far above the limit, emoji and marks may count as more. */
export function countText(text: string, limit: TextLimit): number {
  const { unit, max, linkLength, countsMentionsWithoutServer } = limit;
  const links = linkLength === undefined ? 0 : (text.match(linkPattern)?.length ?? 0);
  const withoutLinks = linkLength === undefined ? text : text.replace(linkPattern, "");
  const countedText = countsMentionsWithoutServer ? withoutLinks.replace(mentionedServerPattern, "$1") : withoutLinks;
  return counters[unit](countedText, max) + links * (linkLength ?? 0);
}

const counters: Record<TextLimit["unit"], (text: string, max: number) => number> = {
  utf16: (text) => text.length,
  codePoints: (text) => countCodePoints(text),
  graphemes: (text, max) => sumGraphemes(text, max, () => 1, countCodePoints),
  bytes: (text) => countBytes(text),
  emojiBytes: (text, max) =>
    sumGraphemes(
      text,
      max,
      (grapheme) => (isEmoji(grapheme) ? countBytes(grapheme) : countCodePoints(grapheme)),
      countCodePoints,
    ),
  weighted: (text, max) =>
    sumGraphemes(text.length > maxNormalizedLength ? text : text.normalize("NFC"), max, weighGrapheme, weighCodePoints),
};

/** Segmenting takes most of the time, so it stops where the text exceeds the limit by this much. */
const maxExactExcess = 1000;

/** For accounts with a very high limit, or none. */
const maxSegmentedLength = 10_000;

/** Normalization sorts runs of marks in quadratic time. A longer text exceeds X's limit of 280 in any form. */
const maxNormalizedLength = 2000;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const countBytes = (text: string): number => encoder.encode(text).length;

/** Measures each grapheme until the text is far above the limit, and the rest of the text at once. */
function sumGraphemes(
  text: string,
  max: number,
  measureGrapheme: (grapheme: string) => number,
  measureRest: (rest: string) => number,
): number {
  let sum = 0;
  for (const { segment, index } of segmenter.segment(text.slice(0, maxSegmentedLength))) {
    if (sum > max + maxExactExcess) return sum + measureRest(text.slice(index));
    sum += measureGrapheme(segment);
  }
  return sum + measureRest(text.slice(maxSegmentedLength));
}

/** X counts every emoji, and every character outside `singleWeightRanges`, as two. */
const weighGrapheme = (grapheme: string): number => (isEmoji(grapheme) ? 2 : weighCodePoints(grapheme));

function isEmoji(grapheme: string): boolean {
  return /\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u.test(grapheme);
}

/** A loop, because an array of the characters of a long text takes ten times as long. */
function countCodePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (!isLowSurrogate(text.charCodeAt(i))) count++;
  return count;
}

function weighCodePoints(text: string): number {
  let weight = 0;
  for (let i = 0; i < text.length; i++) weight += isSingleWeight(text.charCodeAt(i)) ? 1 : 2;
  return weight;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const singleWeightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
  [0xd800, 0xdfff], // two surrogates are one character of weight two
] as const;

function isSingleWeight(unit: number): boolean {
  return singleWeightRanges.some(([from, to]) => unit >= from && unit <= to);
}
