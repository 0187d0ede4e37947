import type { TextLimit } from "./limits.ts";

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
