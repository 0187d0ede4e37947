/**
 * Finds words with at most one typo: one letter replaced, added or missing, or two neighboring letters swapped. Two such
 * words always become equal if at most one letter of each is left out, so the index has a token for every word and for
 * every way to leave out one of its letters.
 */

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** Words that tolerate a typo have at least this many letters. */
const minLetters = 5;

export const toleratesTypo = (word: string): boolean =>
  /^[\p{L}\p{M}\p{N}]+$/u.test(word) && (word.match(/\p{L}/gu)?.length ?? 0) >= minLetters;

/** The distinct whole words of a folded text. */
export const listWords = (searchText: string): Set<string> => new Set(searchText.match(wordPattern));

/** The first whole word of a folded text that differs from the given one by at most one typo. */
export const findWordLike = (searchText: string, word: string): string | undefined =>
  toleratesTypo(word)
    ? searchText.match(wordPattern)?.find((candidate) => hasAtMostOneTypo(candidate, word))
    : undefined;

function hasAtMostOneTypo(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const shorterLength = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorterLength && a[start] === b[start]) start++;
  if (a.length > b.length) return a.slice(start + 1) === b.slice(start);
  if (a.length < b.length) return a.slice(start) === b.slice(start + 1);
  if (a.slice(start + 1) === b.slice(start + 1)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2);
}

const base = 0x01000193;

/**
 * Hashes of a word of a text or a query and, if it tolerates a typo, of the word without each of its letters. A shorter
 * word of a text can only be like a word of a query that has a letter more.
 */
export function hashWordForms(word: string): number[] {
  const { length } = word;
  if (length < minLetters - 1) return [];
  const prefixHashes = [0];
  let hash = 0;
  for (let i = 0; i < length; i++) prefixHashes.push((hash = (Math.imul(hash, base) + word.charCodeAt(i)) | 0));
  const hashes = [hash];
  if (length < minLetters) return hashes;
  let power = 1;
  for (let i = length - 1; i >= 0; i--) {
    const [before = 0, after = 0] = prefixHashes.slice(i, i + 2);
    hashes.push((hash + Math.imul(before - after, power)) | 0);
    power = Math.imul(power, base);
  }
  return hashes;
}
