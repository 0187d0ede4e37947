const searchedFields = { files: "name, alt text or tags", posts: "title, text or tags" };

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
