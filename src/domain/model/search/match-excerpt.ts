import { foldForSearch } from "./fold.ts";

/** The part of a text that a search found. */
export interface MatchExcerpt {
  text: string;
  /** Start and end of each match in `text`, in order, without overlaps. */
  marks: [start: number, end: number][];
}

/**
 * Limits on the searched text and words, so that creating the excerpts for a page of results does not block the
 * process.
 */
const maxSearchedLength = 3000;
const maxSearchedWords = 8;
/**
 * A search window starts every `windowLength` characters and extends `maxWordLength` into the next, so that a word at
 * the border is found.
 */
const windowLength = 200;
/** How much text comes before the first match: little enough for the match to be visible in a short line. */
const leadLength = 30;
const excerptLength = 200;
/** A longer word is not found if it crosses the end of a window. */
const maxWordLength = 60;

/**
 * Returns the text around the first match of a query word that the title does not contain. Returns undefined if the
 * title contains all words, or the searched text contains none of the others.
 */
export function createMatchExcerpt(
  title: string,
  body: string,
  queryWords: readonly string[],
): MatchExcerpt | undefined {
  if (queryWords.length === 0) return undefined;
  const words = queryWords.slice(0, maxSearchedWords);
  const foldedTitle = foldForSearch(title, "text");
  const otherWords = words.filter((word) => !foldedTitle.includes(word));
  if (otherWords.length === 0) return undefined;
  const searchedText = body.slice(0, maxSearchedLength).replaceAll(/\s+/g, " ").trim();
  const windowStart = findWindow(searchedText, otherWords);
  if (windowStart === undefined) return undefined;
  // Folding letter by letter is slow, so this is done only for the text near the first match.
  const partStart = toCharacterBoundary(searchedText, Math.max(0, windowStart - leadLength));
  const part = searchedText.slice(partStart, windowStart + windowLength + maxWordLength + excerptLength);
  const { foldedText, offsets } = foldWithOffsets(part);
  const positions = otherWords.map((word) => foldedText.indexOf(word)).filter((position) => position >= 0);
  if (positions.length === 0) return undefined;
  const start = findExcerptStart(part, offsets[Math.min(...positions)] ?? 0);
  const end = toCharacterBoundary(part, Math.min(part.length, start + excerptLength));
  const prefix = partStart + start === 0 ? "" : "…";
  const marks = listMatches(foldedText, offsets, words)
    .filter(([matchStart, matchEnd]) => matchStart < end && matchEnd > start)
    .map(([matchStart, matchEnd]): [number, number] => [
      Math.max(matchStart - start, 0) + prefix.length,
      Math.min(matchEnd, end) - start + prefix.length,
    ]);
  const isCut = partStart + end < searchedText.length || body.length > maxSearchedLength;
  return { text: `${prefix}${part.slice(start, end)}${isCut ? "…" : ""}`, marks };
}

/** Returns the start of the first window that contains one of the words; undefined if none does. */
function findWindow(text: string, words: readonly string[]): number | undefined {
  for (let start = 0; start < text.length; start += windowLength) {
    const foldedWindow = foldForSearch(text.slice(start, start + windowLength + maxWordLength), "text");
    if (words.some((word) => foldedWindow.includes(word))) return start;
  }
  return undefined;
}

/** `offsets` has the position in the text of each folded character, and of the end. */
function foldWithOffsets(text: string): { foldedText: string; offsets: number[] } {
  let foldedText = "";
  const offsets: number[] = [];
  const foldedLetters = new Map([[" ", " "]]);
  for (const { 0: letter, index } of text.matchAll(/[^]\p{M}*/gu)) {
    const foldedLetter = foldedLetters.get(letter) ?? foldForSearch(letter, "text");
    foldedLetters.set(letter, foldedLetter);
    for (let i = 0; i < foldedLetter.length; i++) offsets.push(index);
    foldedText += foldedLetter;
  }
  offsets.push(text.length);
  return { foldedText, offsets };
}

function listMatches(foldedText: string, offsets: readonly number[], words: readonly string[]): [number, number][] {
  const matches = words.flatMap((word) => {
    const wordMatches: [number, number][] = [];
    for (let i = foldedText.indexOf(word); i >= 0; i = foldedText.indexOf(word, i + word.length)) {
      const start = offsets[i] ?? 0;
      // A match can end inside a letter that folds to several characters, such as after the first s of ß.
      let end = i + word.length;
      while (offsets[end] === offsets[end - 1]) end++;
      wordMatches.push([start, offsets[end] ?? start]);
    }
    return wordMatches;
  });
  const mergedMatches: [number, number][] = [];
  for (const [start, end] of matches.toSorted((a, b) => a[0] - b[0])) {
    const previous = mergedMatches.at(-1);
    if (previous && start <= previous[1]) previous[1] = Math.max(previous[1], end);
    else mergedMatches.push([start, end]);
  }
  return mergedMatches;
}

/** Returns the start of a word that is at most `leadLength` before the match. */
function findExcerptStart(text: string, matchStart: number): number {
  if (matchStart <= leadLength) return 0;
  const space = text.indexOf(" ", matchStart - leadLength);
  return space < 0 || space >= matchStart ? toCharacterBoundary(text, matchStart - leadLength) : space + 1;
}

/** Returns `position`, or the one before it if `position` is inside a surrogate pair. */
const toCharacterBoundary = (text: string, position: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(position - 1)) ? position - 1 : position;
