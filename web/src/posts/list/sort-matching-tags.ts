/** Approximates how the server compares: the result decides only which tags are shown first. */
const fold = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The tags with those first that contain a word of the search, because a row shows only a few. */
export function sortMatchingTags(tags: readonly string[], query: string | undefined): readonly string[] {
  if (query === undefined || tags.length < 2) return tags;
  const words = fold(query).split(/\s+/).filter(Boolean);
  const isMatch = (tag: string): boolean => words.some((word) => fold(tag).includes(word));
  return tags.toSorted((a, b) => Number(isMatch(b)) - Number(isMatch(a)));
}
