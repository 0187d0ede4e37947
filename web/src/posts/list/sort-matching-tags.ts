/** Approximates how the server compares: the result decides only which tags are shown first. */
const fold = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/**
 * The tags with the one first that the list is filtered by, then those that contain a word of the search, because a row
 * shows only a few.
 */
export function sortMatchingTags(
  tags: readonly string[],
  { q, tag: filterTag }: { q?: string | undefined; tag?: string | undefined },
): readonly string[] {
  if ((q === undefined && filterTag === undefined) || tags.length < 2) return tags;
  const words = fold(q ?? "")
    .split(/\s+/)
    .filter(Boolean);
  const foldedFilter = filterTag === undefined ? undefined : fold(filterTag);
  const getRank = (tag: string): number => {
    if (fold(tag) === foldedFilter) return 0;
    return words.some((word) => fold(tag).includes(word)) ? 1 : 2;
  };
  return tags.toSorted((a, b) => getRank(a) - getRank(b));
}
