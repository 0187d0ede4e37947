/**
 * Tokens of the search index: hashes of all sequences of one, two and three characters inside a word, so that a search
 * finds text inside words and words of one or two characters. Characters are UTF-16 code units.
 *
 * The hash includes the studio, so that a studio's searches read only its own rows. Two sequences with the same hash
 * only cause additional candidates: every candidate is compared with the words.
 */

/** Texts with more tokens are not indexed but compared by every search, because saving their tokens would take too long. */
const maxTokens = 10_000;

/** More tokens make a search no more selective, only slower. */
const maxQueryTokens = 32;

const space = 0x20;

export interface IndexedText {
  /** Folded. */
  searchText: string;
  tags: readonly string[];
}

export function listTextTokens(studioId: string, { searchText, tags }: IndexedText): number[] {
  const seed = hashText(studioId);
  const tagTokens = tags.map((tag) => createTagToken(studioId, tag));
  const tokens = new Set(tagTokens);
  // The hashes of the sequences that end at the previous character: of two characters, and of one.
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
    if (wordLength > 2) tokens.add(toToken(extend(pair, code)));
    if (wordLength > 1) tokens.add(toToken((pair = extend(single, code))));
    tokens.add(toToken((single = extend(seed, code))));
    if (tokens.size > maxTokens) return [createUnindexedToken(studioId), ...tagTokens];
  }
  return [...tokens];
}

/**
 * Returns lists of tokens. A text can only match the words if it has all tokens of one of the lists; the second list
 * finds texts that are too long to be indexed.
 */
export function listQueryTokens(
  studioId: string,
  { words, tag }: { words: readonly string[]; tag: string | undefined },
): number[][] {
  const seed = hashText(studioId);
  const tagTokens = tag === undefined ? [] : [createTagToken(studioId, tag)];
  if (words.length === 0) return [tagTokens];
  const tokens = new Set<number>();
  for (const word of words) {
    const length = Math.min(word.length, 3);
    for (let start = 0; start + length <= word.length; start++) {
      let hash = seed;
      for (let i = start; i < start + length; i++) hash = extend(hash, word.charCodeAt(i));
      tokens.add(toToken(hash));
    }
  }
  const step = Math.max(1, tokens.size / maxQueryTokens);
  const selectedTokens = [...tokens].filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  return [
    [...tagTokens, ...selectedTokens],
    [createUnindexedToken(studioId), ...tagTokens],
  ];
}

/** A space can't be part of a sequence inside a word, so these tokens differ from all others. */
const createTagToken = (studioId: string, tag: string): number => toToken(hashText(`${studioId} tag ${tag}`));
const createUnindexedToken = (studioId: string): number => toToken(hashText(`${studioId} unindexed`));

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = extend(hash, text.charCodeAt(i));
  return hash;
}

/** FNV-1a with a shift, because a single round would leave the high bits of short sequences alike. */
function extend(hash: number, code: number): number {
  const product = Math.imul(hash ^ code, 0x01000193);
  return product ^ (product >>> 15);
}

/** A non-negative number that fits in PostgreSQL's INTEGER. */
const toToken = (hash: number): number => hash & 0x7fffffff;
