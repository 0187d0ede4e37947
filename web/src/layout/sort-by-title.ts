import { foldText, splitWords } from "../ui/fold-text.ts";

/** Posts whose title contains more of the words first, because only a few are shown; otherwise in the given order. */
export function sortByTitle<Post extends { title: string }>(posts: readonly Post[], query: string): Post[] {
  const words = splitWords(query);
  const countMatches = ({ title }: Post): number => words.filter((word) => foldText(title).includes(word)).length;
  return posts.toSorted((a, b) => countMatches(b) - countMatches(a));
}
