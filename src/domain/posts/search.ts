/**
 * Text as search compares it: without case, accents, the end form of sigma and runs of space.
 * The same on both engines, because it is done here.
 */
export function foldForSearch(value: string): string {
  return value
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/ς/g, "σ")
    .replace(/\s+/g, " ")
    .trim();
}
