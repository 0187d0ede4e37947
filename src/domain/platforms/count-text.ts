import type { TextLimit } from "./limits.ts";

const link = /https?:\/\/[^\s<>"']+/gi;

/** How long a text is where it is going: platforms do not agree on what a character is. */
export function lengthThere(text: string, { countedIn, linkLength }: TextLimit): number {
  if (linkLength === undefined) return units[countedIn](text);
  const links = text.match(link)?.length ?? 0;
  return units[countedIn](text.replace(link, "")) + links * linkLength;
}

const units: Record<TextLimit["countedIn"], (text: string) => number> = {
  utf16: (text) => text.length,
  codePoints: (text) => [...text].length,
  graphemes: (text) => graphemes(text).length,
  bytes: (text) => Buffer.byteLength(text),
  weighted: (text) => graphemes(text.normalize("NFC")).reduce((sum, one) => sum + weight(one), 0),
};

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);
}

/** X: an emoji is two however it is put together; so is each character beyond the Latin and kindred scripts. */
function weight(grapheme: string): number {
  if (/\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u.test(grapheme)) return 2;
  return [...grapheme].reduce((sum, char) => sum + (isLight(char.codePointAt(0) ?? 0) ? 1 : 2), 0);
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
