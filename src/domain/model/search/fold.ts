import { findWordLike } from "./typos.ts";

/** Maximum length of folded text; text beyond it is not searched. One character can expand to eighteen (U+FDFA). */
const maxLength = { query: 200, text: 200_000 };
export const maxTextLength = maxLength.text;

/**
 * UAX #15 allows a normalizer to limit runs of marks to thirty. Normalization sorts each run in quadratic time, so a
 * body of nothing but marks would take seconds.
 */
const longMarkRun = /(\p{M}{30})\p{M}+/gu;

const markedLetter = /([[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]&&\p{L}])\p{M}+/gv;

/**
 * Folds text for search: NFKC, lower case, ß = ss, ı = i, ς = σ, no marks on Latin, Greek and Cyrillic letters, single
 * spaces. Done here rather than in SQL, so that both databases match the same rows.
 */
export function foldForSearch(value: string, kind: keyof typeof maxLength): string {
  const foldedText = isAscii(value) ? value.toLowerCase() : foldUnicode(value, 2 * maxLength[kind]);
  return truncate(foldedText.replace(/\s+/g, " ").trimStart(), maxLength[kind]).trimEnd();
}

function foldUnicode(value: string, maxExpandedLength: number): string {
  return truncate(value.replace(longMarkRun, "$1").normalize("NFKC"), maxExpandedLength)
    .toLowerCase()
    .normalize("NFD")
    .replace(markedLetter, "$1")
    .normalize("NFC")
    .replace(/ß/g, "ss")
    .replace(/ı/g, "i")
    .replace(/ς/g, "σ");
}

const isAscii = (value: string): boolean => /^[\0-\x7f]*$/.test(value);

/** Never splits a surrogate pair. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, splitsPair ? length - 1 : length);
}

/** The folded words of a query, without duplicates. A result contains all of them, in any order. */
export function splitQuery(query: string): string[] {
  return [...new Set(foldForSearch(query, "query").split(" "))].filter((word) => word !== "");
}

/** The searched text of a post or an asset: its fields and tags, the most important first, because long text is cut. */
export function buildSearchText(fields: readonly (string | null)[], tags: readonly string[]): string {
  const [first = "", ...rest] = fields;
  return foldForSearch([first, ...tags, ...rest].filter((field) => field !== null).join("\n"), "text");
}

/** With `allowsTypos`, words of five letters or more also match whole words that differ by one typo. */
export const containsWords = (searchText: string, words: readonly string[], allowsTypos = false): boolean =>
  words.every((word) => searchText.includes(word) || (allowsTypos && findWordLike(searchText, word) !== undefined));
