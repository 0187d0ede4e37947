import { foldForSearch } from "./fold.ts";

/** The part of a text that a search found. */
export interface MatchExcerpt {
  text: string;
  /** Start and end of each match in `text`, in order, without overlaps. */
  marks: [start: number, end: number][];
}

/** Matches further into the text are not shown, so that a page of long posts does not block the process. */
const maxSearchedLength = 3000;
/** How much text comes before the first match: little enough for it to be visible in a short line. */
const leadLength = 30;
const excerptLength = 200;
/** The excerpt of a longer match can lack its start. */
const maxWordLength = 200;

/**
 * The text around the first word that the title does not contain. Undefined if the title contains all words, or the text
 * none of the others.
 */
export function createMatchExcerpt(title: string, body: string, words: readonly string[]): MatchExcerpt | undefined {
  const foldedTitle = foldForSearch(title, "text");
  const otherWords = words.filter((word) => !foldedTitle.includes(word));
  if (otherWords.length === 0) return undefined;
  const searchedText = body.slice(0, maxSearchedLength).replaceAll(/\s+/g, " ").trim();
  const matchEnds = otherWords.map((word) => findMatchEnd(searchedText, word)).filter((end) => end !== undefined);
  if (matchEnds.length === 0) return undefined;
  // Mapping each letter takes long, so only the letters near the first match are mapped.
  const firstEnd = Math.min(...matchEnds);
  const partStart = avoidSplit(searchedText, Math.max(0, firstEnd - maxWordLength - leadLength));
  const part = searchedText.slice(partStart, firstEnd + excerptLength);
  const { folded, offsets } = foldWithOffsets(part);
  const positions = otherWords.map((word) => folded.indexOf(word)).filter((position) => position >= 0);
  if (positions.length === 0) return undefined;
  const start = findStart(part, offsets[Math.min(...positions)] ?? 0);
  const end = avoidSplit(part, Math.min(part.length, start + excerptLength));
  const prefix = partStart + start === 0 ? "" : "…";
  const marks = listMatches(folded, offsets, words)
    .filter(([matchStart, matchEnd]) => matchStart < end && matchEnd > start)
    .map(([matchStart, matchEnd]): [number, number] => [
      Math.max(matchStart - start, 0) + prefix.length,
      Math.min(matchEnd, end) - start + prefix.length,
    ]);
  const isCut = partStart + end < searchedText.length || body.length > maxSearchedLength;
  return { text: `${prefix}${part.slice(start, end)}${isCut ? "…" : ""}`, marks };
}

/** Where a match ends in the text; undefined if there is none. */
function findMatchEnd(text: string, word: string): number | undefined {
  const index = foldForSearch(text, "text").indexOf(word);
  if (index < 0) return undefined;
  // Most letters fold to one letter.
  const guess = index + word.length;
  if (foldForSearch(text.slice(0, guess), "text").endsWith(word)) return guess;
  let [before, after] = [0, text.length];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (foldForSearch(text.slice(0, middle), "text").includes(word)) after = middle;
    else before = middle;
  }
  return after;
}

/** Folds a text, with the offset in the text for each folded character, and for the end. */
function foldWithOffsets(text: string): { folded: string; offsets: number[] } {
  let folded = "";
  const offsets: number[] = [];
  const foldedLetters = new Map([[" ", " "]]);
  for (const { 0: letter, index } of text.matchAll(/[^]\p{M}*/gu)) {
    const foldedLetter = foldedLetters.get(letter) ?? foldForSearch(letter, "text");
    foldedLetters.set(letter, foldedLetter);
    for (let i = 0; i < foldedLetter.length; i++) offsets.push(index);
    folded += foldedLetter;
  }
  offsets.push(text.length);
  return { folded, offsets };
}

function listMatches(folded: string, offsets: readonly number[], words: readonly string[]): [number, number][] {
  const matches = words.flatMap((word) => {
    const wordMatches: [number, number][] = [];
    for (let i = folded.indexOf(word); i >= 0; i = folded.indexOf(word, i + word.length)) {
      const start = offsets[i] ?? 0;
      // The end of a match can be within a letter that folds to several, such as the first s of ß.
      let last = i + word.length;
      while (offsets[last] === offsets[last - 1]) last++;
      wordMatches.push([start, offsets[last] ?? start]);
    }
    return wordMatches;
  });
  const merged: [number, number][] = [];
  for (const [start, end] of matches.toSorted((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1);
    if (previous && start <= previous[1]) previous[1] = Math.max(previous[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** The start of a word a little before the match. */
function findStart(text: string, match: number): number {
  if (match <= leadLength) return 0;
  const space = text.indexOf(" ", match - leadLength);
  return space < 0 || space >= match ? avoidSplit(text, match - leadLength) : space + 1;
}

/** Never splits a surrogate pair. */
const avoidSplit = (text: string, position: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(position - 1)) ? position - 1 : position;
