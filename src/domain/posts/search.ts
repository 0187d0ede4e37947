/** Some letters become eighteen when they are folded: of a text made of those, the beginning counts. */
const most = { query: 200, text: 200_000 };

/**
 * Text as search compares it: without case, accents, the end form of sigma and runs of space.
 * The same on both engines, because it is done here.
 */
export function foldForSearch(value: string, what: keyof typeof most): string {
  const folded = value
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/ς/g, "σ")
    .replace(/\s+/g, " ")
    .trim();
  // Not through the middle of a letter that takes two.
  return folded.slice(0, most[what]).replace(/[\ud800-\udbff]$/, "");
}
