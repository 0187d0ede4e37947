import type { TokenCondition } from "../model/search/tokens.ts";

/** What a result must contain: at least one word, or a tag. */
export interface SearchTerms {
  /** As `splitQuery` returns them. */
  words: readonly string[];
  tag: string | undefined;
  /** Whether words may differ by one typo (`containsWords`). */
  allowsTypos?: boolean | undefined;
}

export interface SearchRange {
  /** Only rows older than this id. */
  before?: string | undefined;
  limit: number;
}

export interface SizedRow {
  id: string;
  /** How many bytes are read to compare this row. */
  bytes: number;
}

export interface CandidateRow extends SizedRow {
  /** Whether the row passes the filter and is not in the trash. */
  passesFilter: boolean;
}

/** The searchable rows of one table. All lists are newest first. */
export interface SearchSource<Item, Filter> {
  /**
   * Whether the cost of listing candidates depends only on the limit, not on how many exist. If not, words that most
   * rows contain are found faster by reading the newest rows.
   */
  readonly streamsCandidates: boolean;
  /** Whether all rows of the studio are in the index; false while existing rows are being indexed after an upgrade. */
  isIndexed(studioId: string): Promise<boolean>;
  /** The newest rows that pass the filter. Reads only their sizes, no text. */
  listNewest(studioId: string, filter: Filter, range: SearchRange): Promise<SizedRow[]>;
  /** The rows whose tokens meet the condition, from the index. */
  listCandidates(
    studioId: string,
    condition: TokenCondition,
    filter: Filter,
    range: SearchRange,
  ): Promise<CandidateRow[]>;
  /** Compares these rows with the terms and returns the ones that match. Also finds rows that are not indexed yet. */
  findMatches(studioId: string, ids: readonly string[], filter: Filter, terms: SearchTerms): Promise<Item[]>;
}

export const searchableTables = ["posts", "assets"] as const;
export type SearchableTable = (typeof searchableTables)[number];

/** Indexes rows that are not in the index yet, such as those that an older version of the server created. */
export interface SearchIndexStore {
  countUnindexed(table: SearchableTable): Promise<number>;
  /** Indexes the next rows, and returns how many. Must run in a transaction. */
  indexNext(table: SearchableTable, limit: number): Promise<number>;
}
