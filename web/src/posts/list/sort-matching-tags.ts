import { foldText, splitWords } from "../../ui/fold-text.ts";

/**
 * The tags with those first that contain a word of the search, because a row shows only a few, and a hidden tag would
 * not explain why the row matches. Then the one that the list is filtered by, which the filter shows.
 */
export function sortMatchingTags(
  tags: readonly string[],
  { q, tag: filterTag }: { q?: string | undefined; tag?: string | undefined },
): readonly string[] {
  if ((q === undefined && filterTag === undefined) || tags.length < 2) return tags;
  const words = splitWords(q ?? "");
  const foldedFilter = filterTag === undefined ? undefined : foldText(filterTag);
  const getRank = (tag: string): number => {
    if (words.some((word) => foldText(tag).includes(word))) return 0;
    return foldText(tag) === foldedFilter ? 1 : 2;
  };
  return tags.toSorted((a, b) => getRank(a) - getRank(b));
}
