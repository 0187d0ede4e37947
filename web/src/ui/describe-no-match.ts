const searchedFields = { files: "name, alt text or tags", posts: "title, text or tags" };

/** Describes a search without results; undefined if the list is filtered by neither words nor a tag. */
export function describeNoMatch(
  noun: keyof typeof searchedFields,
  { q, tag }: { q?: string | undefined; tag?: string | undefined },
): string | undefined {
  if (q !== undefined) {
    const subject = tag === undefined ? `No ${noun}` : `No ${noun} with the tag “${tag}”`;
    return `${subject} match “${q}” in ${searchedFields[noun]}.`;
  }
  return tag === undefined ? undefined : `No ${noun} have the tag “${tag}”.`;
}
