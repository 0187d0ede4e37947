/** Splits groups into two columns of similar height. Each keeps their order, and the first group is in the first one. */
export function balanceColumns<Entry>(
  groups: readonly (readonly [heading: string, entries: readonly Entry[]])[],
): (typeof groups)[] {
  const columns = [0, 1].map(() => ({ height: 0, headings: new Set<string>() }));
  for (const [heading, entries] of groups.toSorted(([, a], [, b]) => b.length - a.length)) {
    const [column] = columns.toSorted((a, b) => a.height - b.height);
    if (!column) continue;
    column.headings.add(heading);
    column.height += entries.length + 1; // the heading has the height of an entry
  }
  const firstHeading = groups[0]?.[0] ?? "";
  return columns
    .toSorted((a, b) => Number(b.headings.has(firstHeading)) - Number(a.headings.has(firstHeading)))
    .map(({ headings }) => groups.filter(([heading]) => headings.has(heading)));
}
