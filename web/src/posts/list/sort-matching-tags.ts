import { foldText, splitWords } from "../../ui/fold-text.ts";

/**
 * The tags with the one first that the list is filtered by, then those that contain a word of the search, because a row
 * shows only a few.
 */
export function sortMatchingTags(
  tags: readonly string[],
  { q, tag: filterTag }: { q?: string | undefined; tag?: string | undefined },
): readonly string[] {
  if ((q === undefined && filterTag === undefined) || tags.length < 2) return tags;
  const words = splitWords(q ?? "");
  const foldedFilter = filterTag === undefined ? undefined : foldText(filterTag);
  const getRank = (tag: string): number => {
    if (foldText(tag) === foldedFilter) return 0;
    return words.some((word) => foldText(tag).includes(word)) ? 1 : 2;
  };
  return tags.toSorted((a, b) => getRank(a) - getRank(b));
}
