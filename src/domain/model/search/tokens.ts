import { hashWordForms, listWords, toleratesTypo } from "./typos.ts";

/**
 * Tokens of the search index: hashes of all sequences of one, two and three characters inside a word, so that a search
 * finds text inside words and words of one or two characters; and hashes of whole words and of what remains of them
 * without one letter, so that a search finds words with a typo. Characters are UTF-16 code units.
 *
 * The hash includes the studio, so that a studio's searches read only its own rows. Two sequences with the same hash
 * only cause additional candidates: every candidate is compared with the words.
 */

/**
 * A text with more tokens is not indexed, because saving them takes too long; every search compares it instead. If only
 * the tokens of its words are too many, every search that allows typos does.
 */
const maxTokens = 10_000;

/** More tokens would only make a search slower: they would hardly reduce the candidates further. */
const maxQueryTokens = 32;

const space = 0x20;

export interface IndexedText {
  /** The folded text. */
  searchText: string;
  tags: readonly string[];
}

export function listTextTokens(studioId: string, { searchText, tags }: IndexedText): number[] {
  const seed = hashText(studioId);
  const tagTokens = tags.map((tag) => createTagToken(studioId, tag));
  const tokens = createTokenSet(tagTokens);
  // The hashes of the last two characters, and of the last one.
  let pair = 0;
  let single = 0;
  let wordLength = 0;
  for (let i = 0; i < searchText.length; i++) {
    const code = searchText.charCodeAt(i);
    if (code === space) {
      wordLength = 0;
      continue;
    }
    wordLength++;
    if (wordLength > 2) tokens.add(toToken(extendHash(pair, code)));
    if (wordLength > 1) tokens.add(toToken((pair = extendHash(single, code))));
    tokens.add(toToken((single = extendHash(seed, code))));
    if (tokens.list.length > maxTokens) return [createUnindexedToken(studioId), ...tagTokens];
  }
  const { length } = tokens.list;
  const wordSeed = createWordSeed(studioId);
  for (const word of listWords(searchText)) {
    for (const hash of hashWordForms(word)) tokens.add(toToken(extendHash(wordSeed, hash)));
    if (tokens.list.length > maxTokens) return [...tokens.list.slice(0, length), createUnindexedWordsToken(studioId)];
  }
  return tokens.list;
}

/** At least three times `maxTokens`, so that the next free slot is near. */
const slotCount = 2 ** 15;
const slots = new Int32Array(slotCount);

/** Two or three times as fast as a `Set`. All sets use the same memory, so only one can exist at a time. */
function createTokenSet(tokens: readonly number[]): { list: number[]; add(token: number): void } {
  const list: number[] = [];
  slots.fill(-1);
  const add = (token: number): void => {
    let slot = token & (slotCount - 1);
    for (; slots[slot] !== -1; slot = (slot + 1) & (slotCount - 1)) if (slots[slot] === token) return;
    slots[slot] = token;
    list.push(token);
  };
  for (const token of tokens) add(token);
  return { list, add };
}

/** Which tokens a text has. A list is compared in its order, so that the first items can exclude most texts. */
export type TokenCondition = number | { all: readonly TokenCondition[] } | { any: readonly TokenCondition[] };

interface QueryTerms {
  words: readonly string[];
  tag: string | undefined;
  allowsTypos?: boolean | undefined;
}

/**
 * A text can only match the words if it meets this condition. Texts that are too long to be indexed meet it, too. Tokens
 * of different words alternate: if no text has the first two words, two tokens are enough to find that out.
 */
export function createTokenCondition(
  studioId: string,
  { words, tag, allowsTypos = false }: QueryTerms,
): TokenCondition {
  const seed = hashText(studioId);
  const tagTokens = tag === undefined ? [] : [createTagToken(studioId, tag)];
  if (words.length === 0) return { all: tagTokens };
  const tokensOfWords = words.map((word) => listWordTokens(seed, word));
  // Selects one token of every `step`, so that the selected ones are spread evenly over the words.
  const step = Math.max(1, tokensOfWords.flat().length / maxQueryTokens);
  let count = 0;
  const isSelected = (): boolean => Math.floor(count / step) !== Math.floor((count++ - 1) / step);
  const selectedTokens = tokensOfWords.map((tokens) => tokens.filter(isSelected));
  const unindexed = { all: [createUnindexedToken(studioId), ...tagTokens] };
  if (!allowsTypos || !words.some(toleratesTypo))
    return { any: [{ all: [...tagTokens, ...new Set(interleave(selectedTokens))] }, unindexed] };
  const wordSeed = createWordSeed(studioId);
  const wordConditions = words.flatMap((word, i): TokenCondition[] => {
    const exact = { all: selectedTokens[i] ?? [] };
    if (exact.all.length === 0) return [];
    const forms = hashWordForms(word).map((hash) => toToken(extendHash(wordSeed, hash)));
    return [toleratesTypo(word) ? { any: [exact, ...new Set(forms)] } : exact];
  });
  const unindexedWords = { all: [createUnindexedWordsToken(studioId), ...tagTokens] };
  return { any: [{ all: [...tagTokens, ...wordConditions] }, unindexed, unindexedWords] };
}

function listWordTokens(seed: number, word: string): number[] {
  const length = Math.min(word.length, 3);
  return Array.from({ length: word.length - length + 1 }, (_, start) => {
    let hash = seed;
    for (let i = start; i < start + length; i++) hash = extendHash(hash, word.charCodeAt(i));
    return toToken(hash);
  });
}

/** The first item of each list, then the second of each, and so on. */
function interleave(lists: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

/** A space can't be part of a sequence inside a word, so these tokens differ from all others. */
const createTagToken = (studioId: string, tag: string): number => toToken(hashText(`${studioId} tag ${tag}`));
const createUnindexedToken = (studioId: string): number => toToken(hashText(`${studioId} unindexed`));
const createUnindexedWordsToken = (studioId: string): number => toToken(hashText(`${studioId} unindexed words`));
/** Keeps the tokens of whole words apart from those of sequences. */
const createWordSeed = (studioId: string): number => hashText(`${studioId} words`);

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = extendHash(hash, text.charCodeAt(i));
  return hash;
}

/** FNV-1a with a shift, because a single round would leave the high bits of short sequences alike. */
function extendHash(hash: number, code: number): number {
  const product = Math.imul(hash ^ code, 0x01000193);
  return product ^ (product >>> 15);
}

/** Keeps thirty bits: they fit into PostgreSQL's INTEGER, or into two characters of fifteen bits each on SQLite. */
const toToken = (hash: number): number => hash & 0x3fffffff;
