/** Describes how many of the post's files an account gets. */
export function describeFileChoice(count: number, total: number): string {
  if (count === total) return total === 1 ? "the post’s file" : `all ${total} files`;
  return count === 0 ? "no files" : `${count} of ${total} files`;
}
