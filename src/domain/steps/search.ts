import type { Caller } from "../caller.ts";
import { createTokenCondition } from "../model/search/tokens.ts";
import type { Deps } from "../ports/deps.ts";
import type { CandidateRow, SearchSource, SearchTerms } from "../ports/search.ts";

/** Maximum work per call. The client continues the search with the cursor of the result. */
export const searchBudget = { bytes: 64 * 1024 * 1024, ms: 1000 } as const;

/** Maximum size of one read, which has at least one row, even if that row is larger. A post has at most about 1 MB. */
const maxChunkBytes = 1024 * 1024;

/** Rows per list. A search always compares the newest rows first; in a small studio, these are all rows. */
const listSize = { newest: 100, minCandidates: 100, maxCandidates: 2000 } as const;

/** If filling the page probably takes more than this many of the newest rows, the search uses the index instead. */
const maxNewestRows = 1000;

export interface SearchOptions<Item, Filter> {
  source: SearchSource<Item, Filter>;
  terms: SearchTerms;
  filter: Filter;
  before: string | undefined;
  limit: number;
  /** Whether the page is full although it has fewer than `limit` items. */
  isPageFull?: (items: readonly Item[]) => boolean;
}

export interface SearchResult<Item> {
  /** Newest first. Can be more than `limit`. */
  items: Item[];
  /**
   * Where to continue if fewer than `limit` items were found: the id of the last row compared, or undefined after the
   * oldest row. Otherwise the search continues after the last item of the page (see `toPage`).
   */
  scannedTo: string | undefined;
}

/**
 * Compares the newest rows, then the candidates from the index, until the page is full, all rows were considered or the
 * budget is used up. While the studio's rows are not all indexed, it compares all rows, which takes more calls.
 */
export function search<Item, Filter>(
  deps: Pick<Deps, "clock" | "searchQueue">,
  caller: Caller,
  options: SearchOptions<Item, Filter>,
): Promise<SearchResult<Item>> {
  const { limit, isPageFull = () => false } = options;
  return deps.searchQueue.run(caller.user.id, async () => {
    const deadline = deps.clock() + searchBudget.ms;
    const readChunk = createScan(caller.studio.id, options);
    const items: Item[] = [];
    let bytes = 0;
    for (;;) {
      const chunk = await deps.searchQueue.read(() => readChunk(limit - items.length));
      items.push(...chunk.items);
      bytes += chunk.bytes;
      if (chunk.scannedTo === undefined) return { items, scannedTo: undefined };
      const isDone = items.length >= limit || isPageFull(items);
      if (isDone || bytes >= searchBudget.bytes || deps.clock() >= deadline)
        return { items, scannedTo: chunk.scannedTo };
    }
  });
}

/** Returns a function that reads the next rows. `needed` is how many items the page still lacks. */
function createScan<Item, Filter>(
  studioId: string,
  { source, terms, filter, before, limit }: SearchOptions<Item, Filter>,
): (needed: number) => Promise<SearchResult<Item> & { bytes: number }> {
  const tokenCondition = createTokenCondition(studioId, terms);
  const hasFilter = Object.values(filter as object).some((value) => value !== undefined);
  /** Undefined while the newest rows are read, before the index is used. */
  let candidateLimit: number | undefined;
  let [scannedTo, scannedCount, matchCount] = [before, 0, 0];
  let listedRows: CandidateRow[] = [];
  let isLastList = false;

  /** Estimates how many of the newest rows fill the page; Infinity if none has matched yet. */
  const estimateRows = (needed: number): number => (needed * scannedCount) / matchCount;

  /** Whether the index finds the remaining items of the page faster than reading the newest rows. */
  async function shouldUseIndex(needed: number): Promise<boolean> {
    if (candidateLimit !== undefined || scannedCount === 0) return false;
    const isIndexFaster = estimateRows(needed) > maxNewestRows || (source.streamsCandidates && !hasFilter);
    return isIndexFaster && source.isIndexed(studioId);
  }

  async function listRows(needed: number): Promise<CandidateRow[]> {
    const newestLimit =
      matchCount === 0 ? listSize.newest : Math.min(Math.ceil(1.2 * estimateRows(needed)), maxNewestRows);
    const range = { before: scannedTo, limit: candidateLimit ?? Math.max(newestLimit, limit) };
    const rows =
      candidateLimit === undefined
        ? (await source.listNewest(studioId, filter, range)).map((row) => ({ ...row, passesFilter: true }))
        : await source.listCandidates(studioId, tokenCondition, filter, range);
    if (candidateLimit !== undefined) candidateLimit = Math.min(2 * candidateLimit, listSize.maxCandidates);
    isLastList = rows.length < range.limit;
    return rows;
  }

  return async (needed) => {
    if (await shouldUseIndex(needed)) {
      candidateLimit = listSize.minCandidates;
      listedRows = [];
    }
    if (listedRows.length === 0) listedRows = await listRows(needed);
    const { count, bytes } = measureChunk(listedRows);
    const rows = listedRows.slice(0, count);
    listedRows = listedRows.slice(count);
    const ids = rows.filter((row) => row.passesFilter).map((row) => row.id);
    const items = ids.length === 0 ? [] : await source.findMatches(studioId, ids, filter, terms);
    scannedCount += rows.length;
    matchCount += items.length;
    scannedTo = rows.at(-1)?.id ?? scannedTo;
    const isEnd = isLastList && listedRows.length === 0;
    return { items, bytes, scannedTo: isEnd ? undefined : scannedTo };
  };
}

/** Returns how many of the rows fit into one chunk, and how many bytes they have. */
function measureChunk(rows: readonly CandidateRow[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const row of rows) {
    const size = row.passesFilter ? row.bytes : 0;
    if (count > 0 && bytes + size > maxChunkBytes) break;
    count++;
    bytes += size;
  }
  return { count, bytes };
}
