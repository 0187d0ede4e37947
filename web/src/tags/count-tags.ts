/** Counts the items that have each tag. The most frequent tags come first. */
export function countTags(items: readonly { tags?: readonly string[] | undefined }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const tag of items.flatMap(({ tags = [] }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return new Map([...counts].toSorted(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1)));
}
