import { containsWords } from "#domain/model/search/fold.ts";
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
  buildText(item: Item): string;
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
  const { table, columns, textColumns } = definition;
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
    listCandidates: (_studioId, tokenLists, filter, range) =>
      runQuery<SizedRow & { passesFilter: boolean }>((bind) => {
        const names = { entryTable, idColumn, tokenTable };
        const candidatesSql = buildCandidatesSql[engine](bind, names, tokenLists, range);
        const conditions = ["t.trashed_at IS NULL", ...definition.listConditions(filter, bind)];
        return `SELECT t.id, ${bytesSql} AS bytes, ${conditions.join(" AND ")} AS passes_filter
                  FROM (${candidatesSql}) AS c JOIN ${table} t ON t.id = c.id ORDER BY t.id DESC`;
      }),
    async findMatches(studioId, ids, filter, terms) {
      const rows = await runQuery<Item & Pick<SearchState, "searchIndexed">>((bind) => {
        const conditions = [
          `t.studio_id = ${bind(studioId)}`,
          hasIdSql[engine](bind(encodeIds[engine](ids))),
          "t.trashed_at IS NULL",
          ...definition.listConditions(filter, bind),
        ];
        if (terms.words.length > 0)
          conditions.push(`(t.search_indexed = 0 OR ${containsWordsSql[engine](bind(JSON.stringify(terms.words)))})`);
        if (terms.tag !== undefined) conditions.push(hasTagSql[engine](bind(`,${JSON.stringify(terms.tag)}`)));
        return `SELECT ${columns}, search_indexed FROM ${table} t
                 WHERE ${conditions.join(" AND ")} ORDER BY t.id DESC`;
      });
      // The search text of a row that is not indexed may be outdated or missing.
      return rows.filter((row) => row.searchIndexed || containsWords(definition.buildText(row), terms.words));
    },
  };
}

interface IndexNames {
  entryTable: string;
  idColumn: string;
  tokenTable: string;
}

type BuildCandidatesSql = (
  bind: Bind,
  names: IndexNames,
  tokenLists: readonly (readonly number[])[],
  range: SearchRange,
) => string;

const buildCandidatesSql: Record<Engine, BuildCandidatesSql> = {
  /** A materialized subquery, so that the planner can't read all rows in the order of their ids instead of the index. */
  postgres(bind, { entryTable, idColumn }, tokenLists, { before, limit }) {
    const conditions = tokenLists.map((tokens) =>
      splitTokens(tokens)
        .map((part) => `tokens @> ${bind(encodeTokens.postgres(part))}::int[]`)
        .join(" AND "),
    );
    const beforeSql = before === undefined ? "" : `WHERE id < ${bind(before)}`;
    return `WITH candidates AS MATERIALIZED (SELECT ${idColumn} AS id FROM ${entryTable} WHERE ${conditions.join(" OR ")})
            SELECT id FROM candidates ${beforeSql} ORDER BY id DESC LIMIT ${bind(limit)}`;
  },
  /** FTS5 reads the newest rows first and stops at the limit. */
  sqlite(bind, { entryTable, idColumn, tokenTable }, tokenLists, { before, limit }) {
    const matchSql = `${tokenTable} MATCH ${bind(tokenLists.map(buildMatch).join(" OR "))}`;
    const beforeSql =
      before === undefined
        ? ""
        : `AND rowid <= coalesce((SELECT row FROM ${entryTable} WHERE ${idColumn} < ${bind(before)} ORDER BY ${idColumn} DESC LIMIT 1), -1)`;
    return `SELECT e.${idColumn} AS id FROM
              (SELECT rowid AS row FROM ${tokenTable} WHERE ${matchSql} ${beforeSql} ORDER BY rowid DESC LIMIT ${bind(limit)}) AS f
              JOIN ${entryTable} e ON e.row = f.row`;
  },
};

/**
 * Puts each of the first four tokens into its own condition: GIN reads the lists of all tokens of one condition, but
 * checks a later condition only for rows that match the earlier ones. Each number of conditions needs its own prepared
 * statement, so there are at most five.
 */
const splitTokens = (tokens: readonly number[]): (readonly number[])[] =>
  [...tokens.slice(0, 4).map((token) => [token]), tokens.slice(4)].filter((part) => part.length > 0);

/**
 * FTS5 would merge nested ANDs into one AND, which reads the lists of all tokens. `NOT nothing` prevents this (no row has
 * the term `nothing`), so that the list of a token is read only at rows that all earlier lists contain. Tokens are encoded
 * one by one, because an encoded text can't be split: some of the characters that encode tokens are white space.
 */
const buildMatch = (tokens: readonly number[]): string =>
  tokens
    .map((token) => encodeTokens.sqlite([token]).slice(0, -1))
    .reduce((match, token) => `((${match} AND ${token}) NOT nothing)`);
