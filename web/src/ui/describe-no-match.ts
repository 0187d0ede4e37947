const searchedFields = { files: "name, alt text or tags", posts: "title, text or tags" };

/** Says why a search has no results; undefined if neither words nor a tag filter the list. */
export function describeNoMatch(
  items: keyof typeof searchedFields,
  { q, tag }: { q?: string | undefined; tag?: string | undefined },
): string | undefined {
  if (q !== undefined) {
    const subject = tag === undefined ? `No ${items}` : `No ${items} with the tag “${tag}”`;
    return `${subject} match “${q}” in ${searchedFields[items]}.`;
  }
  return tag === undefined ? undefined : `No ${items} have the tag “${tag}”.`;
}
