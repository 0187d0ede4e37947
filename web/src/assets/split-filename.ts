/** The end of a name, which tells versions and types apart, is always visible if the name has at least this length. */
const minSplitLength = 20;
const maxEndLength = 12;
const segmenter = new Intl.Segmenter();
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const separator = /^[-_ .]$/u;
const digit = /^\p{Nd}$/u;

/**
 * Splits a long name in two, so that it can be shortened in the middle. The end starts with the first separator within
 * its last characters; without one, at least not inside a number. Undefined if the name must stay in one part.
 */
export function splitFilename(name: string): readonly [start: string, end: string] | undefined {
  const characters = Array.from(segmenter.segment(name), ({ segment }) => segment);
  if (characters.length < minSplitLength || rightToLeft.test(name)) return undefined;
  const positions = Array.from({ length: maxEndLength }, (_, i) => characters.length - maxEndLength + i);
  const matches = (pattern: RegExp, position: number): boolean => pattern.test(characters[position] ?? "");
  const extensionPosition = characters.lastIndexOf(".");
  const position =
    positions.find((candidate) => matches(separator, candidate) && candidate !== extensionPosition) ??
    positions.find((candidate) => !(matches(digit, candidate) && matches(digit, candidate - 1)));
  if (position === undefined) return undefined;
  return [characters.slice(0, position).join(""), characters.slice(position).join("")];
}
