import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { PostFilter } from "./ports.ts";
import type { Post } from "./post.ts";

/** Maximum length of normalized text; the rest is not searched. One character can expand to eighteen (U+FDFA). */
const maxNormalizedLength = { query: 200, text: 200_000 };

/** Text is normalized in pieces of this length, to stop soon after the maximum is reached. */
const pieceLength = 4096;

/**
 * Normalizes text for search: ignores case, accents, final sigma and repeated spaces.
 * Done here rather than in SQL so that both databases match the same posts.
 */
export function normalizeForSearch(value: string, kind: keyof typeof maxNormalizedLength): string {
  const maxLength = maxNormalizedLength[kind];
  let normalizedText = "";
  for (let start = 0; start < value.length && normalizedText.length < maxLength;) {
    const end = moveEndAfterPair(value, start + pieceLength);
    const piece = normalizePiece(value.slice(start, end));
    normalizedText += normalizedText === "" || normalizedText.endsWith(" ") ? piece.trimStart() : piece;
    start = end;
  }
  return normalizedText.slice(0, moveEndBeforePair(normalizedText, maxLength)).trimEnd();
}

function normalizePiece(piece: string): string {
  return (
    piece
      // Remove marks before normalizing, too: normalization sorts runs of marks in quadratic time.
      .replace(/\p{M}+/gu, "")
      .normalize("NFKD")
      .replace(/\p{M}+/gu, "")
      .toLowerCase()
      .replace(/ς/g, "σ")
      .replace(/\s+/g, " ")
  );
}

/** `end`, or `end + 1` if it would split a surrogate pair. */
const moveEndAfterPair = (text: string, end: number): number => (splitsPair(text, end) ? end + 1 : end);

/** `end`, or `end - 1` if it would split a surrogate pair. */
const moveEndBeforePair = (text: string, end: number): number => (splitsPair(text, end) ? end - 1 : end);

function splitsPair(text: string, end: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length;
}

/** Maximum work per call. The cursor of its result continues the search. */
export const searchBudget = { bytes: 64 * 1024 * 1024, ms: 1000 } as const;

/** Maximum size of one read. The first post is always read, even if it is larger. A post has at most about 1 MB. */
const maxChunk = { bytes: 1024 * 1024, posts: 200 } as const;

export interface SearchFilter extends PostFilter {
  /** Normalized by `normalizeForSearch`, not empty. */
  query: string;
  /** The search stops once the bodies of the found posts exceed this number of characters. */
  maxTextLength: number;
}

export interface SearchResult {
  /** Newest first, at most `limit`. */
  posts: Post[];
  /**
   * Where to continue if fewer than `limit` posts were found: the id of the last post read, or undefined after the
   * oldest post. If `limit` posts were found, the search continues after the last post of the page (see `toPage`).
   */
  scannedTo: string | undefined;
}

/** Searches from the newest post until the page is full, all posts are read or the budget is used up. */
export function searchPosts(
  deps: Pick<Deps, "posts" | "clock" | "searchQueue">,
  caller: Caller,
  filter: SearchFilter,
): Promise<SearchResult> {
  return deps.searchQueue.run(caller.user.id, async () => {
    const deadline = deps.clock() + searchBudget.ms;
    const posts: Post[] = [];
    let [before, bytes, textLength] = [filter.before, 0, 0];
    for (;;) {
      const limit = filter.limit - posts.length;
      const chunkResult = await deps.searchQueue.read(() =>
        readChunk(deps, caller.studio.id, { ...filter, before, limit }),
      );
      posts.push(...chunkResult.posts);
      if (chunkResult.scannedTo === undefined) return { posts, scannedTo: undefined };
      before = chunkResult.scannedTo;
      bytes += chunkResult.bytes;
      textLength += chunkResult.posts.reduce((sum, { body }) => sum + body.length, 0);
      const isPageFull = posts.length >= filter.limit || textLength > filter.maxTextLength;
      if (isPageFull || bytes >= searchBudget.bytes || deps.clock() >= deadline) return { posts, scannedTo: before };
    }
  });
}

async function readChunk(
  { posts }: Pick<Deps, "posts">,
  studioId: string,
  { status, query, before, limit }: SearchFilter,
): Promise<SearchResult & { bytes: number }> {
  const sizes = await posts.listSearchSizes(studioId, { status, before, limit: maxChunk.posts });
  const { count, bytes } = countFitting(sizes);
  const [newest, oldest] = [sizes[0], sizes[count - 1]];
  if (!newest || !oldest) return { posts: [], scannedTo: undefined, bytes: 0 };
  const range = { status, newest: newest.id, oldest: oldest.id };
  const matches = await posts.findMatches(studioId, range, query, limit);
  const isLastChunk = count === sizes.length && sizes.length < maxChunk.posts;
  return { posts: matches, scannedTo: isLastChunk ? undefined : oldest.id, bytes };
}

function countFitting(sizes: readonly { bytes: number }[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const size of sizes) {
    if (count > 0 && bytes + size.bytes > maxChunk.bytes) break;
    count++;
    bytes += size.bytes;
  }
  return { count, bytes };
}
