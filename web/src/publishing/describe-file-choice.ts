/** Describes how many of the post's files an account gets. */
export function describeFileChoice(count: number, total: number): string {
  const allTexts = ["no files", "the post’s file", "both files"];
  if (count === total) return allTexts[total] ?? `all ${total} files`;
  return count === 0 ? "no files" : `${count} of ${total} files`;
}
