import { containsWords } from "#domain/model/search/fold.ts";
import type { TokenCondition } from "#domain/model/search/tokens.ts";
import type { SearchableTable, SearchRange, SearchSource, SizedRow } from "#domain/ports/search.ts";
import { prepare, type Connection } from "./database.ts";
import { encodeTokens, indexTables, type SearchState } from "./search-index.ts";

/** How to search one table. */
interface SearchDefinition<Item, Filter> {
  table: SearchableTable;
  /** The columns of an item. */
  columns: string;
  /** The columns with texts, whose length counts. They are searched while the row is not indexed. */
  textColumns: readonly string[];
  /** SQL conditions on the table `t`, with `bind` for values. */
  listConditions(filter: Filter, bind: Bind): string[];
  /** SQL of further text, which is read only while the row is not indexed. */
  unindexedTextSql?: string;
  buildText(item: Item, unindexedText: string | null): string;
}

interface MatchRow extends SearchState {
  unindexedText: string | null;
}

/** Adds a parameter and returns its placeholder. */
type Bind = (value: unknown) => string;

type Engine = Connection["engine"];

/**
 * Written so that both engines compare bytes: PostgreSQL's `strpos` would compare characters, which is far slower for a
 * crafted text and query.
 */
const containsWordsSql = {
  postgres: (words: string): string =>
    `NOT EXISTS (SELECT 1 FROM jsonb_array_elements_text(${words}::jsonb) AS w(word)
                  WHERE position(convert_to(w.word, 'UTF8') IN convert_to(t.search_text, 'UTF8')) = 0)`,
  sqlite: (words: string): string =>
    `NOT EXISTS (SELECT 1 FROM json_each(${words}) AS w WHERE instr(t.search_text, w.value) = 0)`,
} satisfies Record<Engine, unknown>;

/**
 * `element` is `,"tag"`. The opening bracket of the JSON array is replaced by a comma, so that every element follows one.
 * Inside an element, quotes are escaped, so only whole elements match.
 */
const hasTagSql = {
  postgres: (element: string): string => `position(${element} IN ',' || substr(t.tags, 2)) > 0`,
  sqlite: (element: string): string => `instr(',' || substr(t.tags, 2), ${element}) > 0`,
} satisfies Record<Engine, unknown>;

const hasIdSql = {
  postgres: (ids: string): string => `t.id = ANY (${ids}::text[])`,
  sqlite: (ids: string): string => `t.id IN (SELECT value FROM json_each(${ids}))`,
} satisfies Record<Engine, unknown>;

const encodeIds = {
  postgres: (ids: readonly string[]): string => `{${ids.join()}}`,
  sqlite: (ids: readonly string[]): string => JSON.stringify(ids),
} satisfies Record<Engine, unknown>;

export function createSearchSource<Item, Filter>(
  { engine, run }: Connection,
  definition: SearchDefinition<Item, Filter>,
): SearchSource<Item, Filter> {
  const { table, columns, textColumns, unindexedTextSql = "NULL" } = definition;
  const { entryTable, idColumn, tokenTable } = indexTables[table];
  const bytesSql = [...textColumns, "search_text"]
    .map((column) => `coalesce(octet_length(t.${column}), 0)`)
    .join(" + ");

  /** Runs a query. Queries that differ only in their values share one prepared statement. */
  function runQuery<Result>(build: (bind: Bind) => string): Promise<Result[]> {
    const params: unknown[] = [];
    const sql = build((value) => `$${params.push(value)}`);
    return run(prepare<Result>(sql), params);
  }

  return {
    streamsCandidates: engine === "sqlite",
    async isIndexed(studioId) {
      const rows = await runQuery(
        (bind) => `SELECT 1 AS one FROM ${table} WHERE studio_id = ${bind(studioId)} AND search_indexed = 0 LIMIT 1`,
      );
      return rows.length === 0;
    },
    listNewest: (studioId, filter, { before, limit }) =>
      runQuery<SizedRow>((bind) => {
        const conditions = [`t.studio_id = ${bind(studioId)}`, "t.trashed_at IS NULL"];
        conditions.push(...definition.listConditions(filter, bind));
        if (before !== undefined) conditions.push(`t.id < ${bind(before)}`);
        return `SELECT t.id, ${bytesSql} AS bytes FROM ${table} t
                 WHERE ${conditions.join(" AND ")} ORDER BY t.id DESC LIMIT ${bind(limit)}`;
      }),
    listCandidates: (_studioId, condition, filter, range) =>
      runQuery<SizedRow & { passesFilter: boolean }>((bind) => {
        const names = { entryTable, idColumn, tokenTable };
        const candidatesSql = buildCandidatesSql[engine](bind, names, condition, range);
        const conditions = ["t.trashed_at IS NULL", ...definition.listConditions(filter, bind)];
        return `SELECT t.id, ${bytesSql} AS bytes, ${conditions.join(" AND ")} AS passes_filter
                  FROM (${candidatesSql}) AS c JOIN ${table} t ON t.id = c.id ORDER BY t.id DESC`;
      }),
    async findMatches(studioId, ids, filter, terms) {
      const { words, allowsTypos = false } = terms;
      const rows = await runQuery<MatchRow & Item>((bind) => {
        const conditions = [
          `t.studio_id = ${bind(studioId)}`,
          hasIdSql[engine](bind(encodeIds[engine](ids))),
          "t.trashed_at IS NULL",
          ...definition.listConditions(filter, bind),
        ];
        if (words.length > 0 && !allowsTypos)
          conditions.push(`(t.search_indexed = 0 OR ${containsWordsSql[engine](bind(JSON.stringify(words)))})`);
        if (terms.tag !== undefined) conditions.push(hasTagSql[engine](bind(`,${JSON.stringify(terms.tag)}`)));
        return `SELECT ${columns}, search_indexed, ${allowsTypos ? "search_text" : "'' AS search_text"},
                       CASE WHEN search_indexed = 0 THEN ${unindexedTextSql} END AS unindexed_text
                  FROM ${table} t WHERE ${conditions.join(" AND ")} ORDER BY t.id DESC`;
      });
      return rows.filter((row) => {
        if (row.searchIndexed) return !allowsTypos || containsWords(row.searchText, words, true);
        // The search text of a row that is not indexed may be outdated or missing.
        return containsWords(definition.buildText(row, row.unindexedText), words, allowsTypos);
      });
    },
  };
}

interface IndexNames {
  entryTable: string;
  idColumn: string;
  tokenTable: string;
}

type BuildCandidatesSql = (bind: Bind, names: IndexNames, condition: TokenCondition, range: SearchRange) => string;

const buildCandidatesSql: Record<Engine, BuildCandidatesSql> = {
  /** A materialized subquery, so that the planner can't read all rows in the order of their ids instead of the index. */
  postgres(bind, { entryTable, idColumn }, condition, { before, limit }) {
    const beforeSql = before === undefined ? "" : `WHERE id < ${bind(before)}`;
    return `WITH candidates AS MATERIALIZED (SELECT ${idColumn} AS id FROM ${entryTable} WHERE ${buildTokenSql(bind, condition)})
            SELECT id FROM candidates ${beforeSql} ORDER BY id DESC LIMIT ${bind(limit)}`;
  },
  /** FTS5 reads the newest rows first and stops at the limit. */
  sqlite(bind, { entryTable, idColumn, tokenTable }, condition, { before, limit }) {
    const matchSql = `${tokenTable} MATCH ${bind(buildMatch(condition))}`;
    const beforeSql =
      before === undefined
        ? ""
        : `AND rowid <= coalesce((SELECT row FROM ${entryTable} WHERE ${idColumn} < ${bind(before)} ORDER BY ${idColumn} DESC LIMIT 1), -1)`;
    return `SELECT e.${idColumn} AS id FROM
              (SELECT rowid AS row FROM ${tokenTable} WHERE ${matchSql} ${beforeSql} ORDER BY rowid DESC LIMIT ${bind(limit)}) AS f
              JOIN ${entryTable} e ON e.row = f.row`;
  },
};

const isToken = (condition: TokenCondition): condition is number => typeof condition === "number";

/** Puts the tokens of a list into few conditions, because each number of conditions needs its own prepared statement. */
function buildTokenSql(bind: Bind, condition: TokenCondition): string {
  if (isToken(condition)) return `tokens @> ${bind(encodeTokens.postgres([condition]))}::int[]`;
  const conditions = "all" in condition ? condition.all : condition.any;
  const tokens = conditions.filter(isToken);
  const otherSql = conditions.filter((item) => !isToken(item)).map((item) => buildTokenSql(bind, item));
  if ("any" in condition) {
    const tokenSql = tokens.length === 0 ? [] : [`tokens && ${bind(encodeTokens.postgres(tokens))}::int[]`];
    return `(${[...tokenSql, ...otherSql].join(" OR ")})`;
  }
  const tokenSql = splitTokens(tokens).map((part) => `tokens @> ${bind(encodeTokens.postgres(part))}::int[]`);
  return `(${[...tokenSql, ...otherSql].join(" AND ")})`;
}

/**
 * Puts each of the first four tokens into its own condition: GIN reads the lists of all tokens of one condition, but
 * checks a later condition only for rows that match the earlier ones.
 */
const splitTokens = (tokens: readonly number[]): (readonly number[])[] =>
  [...tokens.slice(0, 4).map((token) => [token]), tokens.slice(4)].filter((part) => part.length > 0);

/**
 * FTS5 would merge nested ANDs into one AND, which reads the lists of all tokens. `NOT nothing` prevents this (no row has
 * the term `nothing`), so that the list of a token is read only at rows that all earlier lists contain. Tokens are encoded
 * one by one, because an encoded text can't be split: some of the characters that encode tokens are white space.
 */
function buildMatch(condition: TokenCondition): string {
  if (isToken(condition)) return encodeTokens.sqlite([condition]).slice(0, -1);
  if ("any" in condition) return `(${condition.any.map(buildMatch).join(" OR ")})`;
  return condition.all.map(buildMatch).reduce((match, item) => `((${match} AND ${item}) NOT nothing)`);
}
