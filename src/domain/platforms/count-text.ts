import type { TextLimit } from "./limits.ts";

/** Up to what follows it in a sentence. */
const link = /https?:\/\/[^\s<>"']*[^\s<>"'.,:;!?)\]]/gi;

/** How long a text is where it is going: platforms do not agree on what a character is. */
export function lengthThere(text: string, { countedIn, linkLength }: TextLimit): number {
  if (linkLength === undefined) return units[countedIn](text);
  const links = text.match(link)?.length ?? 0;
  return units[countedIn](text.replace(link, "")) + links * linkLength;
}

const units: Record<TextLimit["countedIn"], (text: string) => number> = {
  utf16: (text) => text.length,
  codePoints: (text) => Array.from(text).length,
  graphemes: (text) => graphemes(text).length,
  bytes: (text) => Buffer.byteLength(text),
  emojiBytes: (text) =>
    sumOf(graphemes(text), (one) => (isEmoji(one) ? Buffer.byteLength(one) : Array.from(one).length)),
  weighted: (text) => sumOf(graphemes(text.length > maxNormalized ? text : text.normalize("NFC")), weight),
};

/** A text this long is past every bound that counts so; to tell by exactly how much would cost a request its time. */
const mostSegmented = 10_000;

/** Normalization sorts runs of marks in quadratic time. A longer text is past X's 280 however its marks compose. */
const maxNormalized = 2000;

function graphemes(text: string): string[] {
  if (text.length > mostSegmented) return Array.from(text);
  return Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);
}

/** X: an emoji is two however it is put together; so is each character beyond the Latin and kindred scripts. */
function weight(grapheme: string): number {
  if (isEmoji(grapheme)) return 2;
  return sumOf(Array.from(grapheme), (char) => (isLight(char.codePointAt(0) ?? 0) ? 1 : 2));
}

function isEmoji(grapheme: string): boolean {
  return /\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u.test(grapheme);
}

function sumOf(parts: readonly string[], each: (part: string) => number): number {
  return parts.reduce((sum, part) => sum + each(part), 0);
}

const light = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

function isLight(point: number): boolean {
  return light.some(([from, to]) => point >= from && point <= to);
}
