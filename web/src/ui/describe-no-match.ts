const searchedFields = { files: "name, alt text or tags", posts: "title, texts, comments or tags" };

/** Labels the button that clears a search without results and, if there are any, the filters of the list. */
export const labelClearButton = (q: string | undefined, filters: readonly unknown[]): string =>
  q !== undefined && filters.every((value) => value === undefined) ? "Clear search" : "Clear filters";

/** Describes a search without results; undefined if the list is filtered by neither words nor a tag. */
export function describeNoMatch(
  noun: keyof typeof searchedFields,
  { q, tag }: { q?: string | undefined; tag?: string | undefined },
  /** What the user looks for, such as "unused images". */
  itemsText: string = noun,
): string | undefined {
  if (q !== undefined) {
    const subject = tag === undefined ? `No ${itemsText}` : `No ${itemsText} with the tag “${tag}”`;
    return `${subject} match “${q}” in ${searchedFields[noun]}.`;
  }
  return tag === undefined ? undefined : `No ${itemsText} have the tag “${tag}”.`;
}
