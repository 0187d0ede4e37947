import { sql } from "kysely";
import type { Asset } from "#domain/model/asset.ts";
import type { Post } from "#domain/model/post.ts";
import { buildSearchText, maxTextLength } from "#domain/model/search/fold.ts";
import type { SearchableTable, SearchIndexStore } from "#domain/ports/search.ts";
import { type IndexedText, listTextTokens } from "#domain/model/search/tokens.ts";
import { readIdNumbers } from "#lib/ids.ts";
import { statement, type Connection } from "./database.ts";

/**
 * The tables of the index. On PostgreSQL, `entryTable` contains the tokens. On SQLite, `entryTable` numbers the rows of
 * `tokenTable`, an FTS5 table.
 */
export const indexTables = {
  posts: { entryTable: "post_search", idColumn: "post_id", tokenTable: "post_tokens" },
  assets: { entryTable: "asset_search", idColumn: "asset_id", tokenTable: "asset_tokens" },
} as const satisfies Record<SearchableTable, object>;

export const encodeTokens = {
  /** An array literal. */
  postgres: (tokens: readonly number[]): string => `{${tokens.join()}}`,
  /** Two characters per token, separated by spaces: FTS5 indexes them faster than the digits of a number. */
  sqlite: (tokens: readonly number[]): string => {
    const codes = new Uint16Array(3 * tokens.length);
    let i = 0;
    for (const token of tokens) {
      codes[i++] = firstTokenCode + (token >>> 15);
      codes[i++] = firstTokenCode + (token & 0x7fff);
      codes[i++] = 0x20;
    }
    return Buffer.from(codes.buffer).toString("utf16le");
  },
} satisfies Record<Connection["engine"], unknown>;

/** Tokens consist of characters from this one on: FTS5's tokenizer `ascii` folds and splits only at ASCII characters. */
const firstTokenCode = 0x800;

/** The searched fields of a post. `commentText` has its comments, if it was read. */
export type SearchablePost = Pick<Post, "title" | "body" | "tags" | "variants"> & { commentText?: string | null };

export function buildPostText({ title, body, tags, variants, commentText = null }: SearchablePost): string {
  const accountTexts = variants.map((variant) => variant.body ?? null);
  return buildSearchText([title, body, ...accountTexts, commentText], tags);
}

/** The newest comments of a post: no more than what is searched of a text. `postId` is the column with its id. */
export const commentTextSql = (postId: string): string => `(SELECT string_agg(c.body, ' ' ORDER BY c.id DESC) FROM
  (SELECT id, body, sum(length(body)) OVER (ORDER BY id DESC) AS total_length FROM comments
    WHERE post_id = ${postId} AND removed_at IS NULL) AS c WHERE c.total_length <= ${maxTextLength})`;

export const buildAssetText = (asset: Pick<Asset, "filename" | "altText" | "tags">): string =>
  buildSearchText([asset.filename, asset.altText], asset.tags);

/** The search columns of an updated row. */
export interface SearchState {
  searchText: string;
  searchIndexed: boolean;
}

interface IndexedRow extends IndexedText {
  id: string;
  studioId: string;
}

/** Saves the tokens of a row, in the transaction of the change, which holds a lock on the row. */
export async function saveTokens(
  connection: Connection,
  table: SearchableTable,
  row: IndexedRow,
  isNew: boolean,
): Promise<void> {
  const { engine, run } = connection;
  const statements = saveStatements[table];
  const tokens = encodeTokens[engine](listTextTokens(row.studioId, row));
  if (engine === "postgres") return void (await run(statements.upsert, [row.id, tokens]));
  const { time, random } = readIdNumbers(row.id);
  while ((await run(statements.addEntry, [time, random, row.id])).length === 0)
    await removeNextEntry(run, table, row.id);
  await run(isNew ? statements.insertTokens : statements.replaceTokens, [tokens, row.id]);
}

/** Deletes the entry of the next newer id, which frees its number. The background job indexes that row again. */
async function removeNextEntry(run: Connection["run"], table: SearchableTable, id: string): Promise<void> {
  const [removedEntry] = await run(saveStatements[table].removeNextEntry, [id]);
  if (removedEntry) await run(saveStatements[table].markUnindexed, [removedEntry.id]);
}

/** Numbers of consecutive rows differ by this much, so that rows between them can be added later. */
const rowSpacing = 1024;

/**
 * The number of a row on SQLite starts with the time in its id, and is higher than the numbers of older ids. If a newer
 * id already has that number or a lower one, the row gets a number between its neighbors. Returns no row if no number is
 * free between them.
 */
const addEntrySql = (entryTable: string, idColumn: string): string => `
  INSERT INTO ${entryTable} (row, ${idColumn})
  SELECT CASE WHEN next IS NULL OR preferred < next THEN preferred
              ELSE previous + min(${rowSpacing}, (next - previous) / 2) END, id
    FROM (SELECT id, previous, next, max(by_time, previous + ${rowSpacing}) AS preferred
            FROM (SELECT (CAST($1 AS INTEGER) << 20) + CAST($2 AS INTEGER) AS by_time, $3 AS id,
                         coalesce((SELECT row FROM ${entryTable} WHERE ${idColumn} < $3 ORDER BY ${idColumn} DESC LIMIT 1), 0) AS previous,
                         (SELECT row FROM ${entryTable} WHERE ${idColumn} > $3 ORDER BY ${idColumn} LIMIT 1) AS next))
   WHERE next IS NULL OR next > previous + 1
  ON CONFLICT (${idColumn}) DO UPDATE SET ${idColumn} = excluded.${idColumn}
  RETURNING 1 AS added`;

function createSaveStatements(table: SearchableTable) {
  const { entryTable, idColumn, tokenTable } = indexTables[table];
  const writeTokensSql = (verb: string): string =>
    `${verb} INTO ${tokenTable} (rowid, tokens) SELECT row, $1 FROM ${entryTable} WHERE ${idColumn} = $2`;
  return {
    upsert: statement(`INSERT INTO ${entryTable} (${idColumn}, tokens) VALUES ($1, $2::int[])
       ON CONFLICT (${idColumn}) DO UPDATE SET tokens = excluded.tokens`),
    addEntry: statement(addEntrySql(entryTable, idColumn)),
    removeNextEntry: statement<{ id: string }>(`DELETE FROM ${entryTable}
        WHERE ${idColumn} = (SELECT ${idColumn} FROM ${entryTable} WHERE ${idColumn} > $1 ORDER BY ${idColumn} LIMIT 1)
        RETURNING ${idColumn} AS id`),
    setText: statement(`UPDATE ${table} SET search_text = $1, search_indexed = 1 WHERE id = $2`),
    markIndexed: statement(`UPDATE ${table} SET search_indexed = 1 WHERE id = $1 AND search_indexed = 0`),
    markUnindexed: statement(`UPDATE ${table} SET search_indexed = 0 WHERE id = $1`),
    insertTokens: statement(writeTokensSql("INSERT")),
    replaceTokens: statement(writeTokensSql("INSERT OR REPLACE")),
  };
}

const saveStatements = { posts: createSaveStatements("posts"), assets: createSaveStatements("assets") };

/** Locks the rows, so that no other transaction changes their text before they are indexed. */
const claimSql = (table: SearchableTable, columns: string): string =>
  `UPDATE ${table} SET search_indexed = 1
    WHERE search_indexed = 0
      AND id IN (SELECT id FROM ${table} WHERE search_indexed = 0 ORDER BY studio_id, id LIMIT $1)
   RETURNING ${columns}`;

type PostRow = SearchablePost & Pick<Post, "id" | "studioId"> & SearchState;

/** Claims posts. Their texts are read by the next statement, which sees all comments of the locked posts. */
const claimPostsQuery = statement<{ id: string }>(claimSql("posts", "id"));
const readPostTextQuery = statement<PostRow>(
  `SELECT t.id, t.studio_id, t.title, t.body, t.tags, t.variants, t.search_text, t.search_indexed,
          ${commentTextSql("t.id")} AS comment_text
     FROM posts t WHERE t.id = $1`,
);
const claimAssetsQuery = statement<Pick<Asset, "id" | "studioId" | "filename" | "altText" | "tags">>(
  claimSql("assets", "id, studio_id, filename, alt_text, tags"),
);

/**
 * Updates the index after an update of the row, which returned `updatedRow`. If the text changes, a trigger sets
 * `search_indexed` to 0. On PostgreSQL, `updatedRow` has the value after the trigger; on SQLite, the value before it.
 */
export async function updateSearchText(
  connection: Connection,
  table: SearchableTable,
  row: IndexedRow,
  updatedRow: SearchState,
  haveTagsChanged: boolean,
): Promise<void> {
  const isCurrent = updatedRow.searchIndexed && updatedRow.searchText === row.searchText && !haveTagsChanged;
  if (!isCurrent) await saveSearchText(connection, table, row);
  else if (connection.engine === "sqlite") await connection.run(saveStatements[table].markIndexed, [row.id]);
}

/** Updates the index after a change of a post's texts, in a transaction that holds a lock on the post. */
export async function updatePostText(connection: Connection, postId: string, haveTagsChanged = false): Promise<void> {
  const [post] = await connection.run(readPostTextQuery, [postId]);
  if (!post) return;
  const row = { ...post, searchText: buildPostText(post) };
  await updateSearchText(connection, "posts", row, post, haveTagsChanged);
}

async function saveSearchText(connection: Connection, table: SearchableTable, row: IndexedRow): Promise<void> {
  await connection.run(saveStatements[table].setText, [row.searchText, row.id]);
  await saveTokens(connection, table, row, false);
}

export function createSearchIndexStore(connection: Connection): SearchIndexStore {
  const { q, run } = connection;
  async function claimRows(table: SearchableTable, limit: number): Promise<IndexedRow[]> {
    if (table === "posts") {
      const posts: IndexedRow[] = [];
      for (const { id } of await run(claimPostsQuery, [limit])) {
        const [post] = await run(readPostTextQuery, [id]);
        if (post) posts.push({ ...post, searchText: buildPostText(post) });
      }
      return posts;
    }
    return (await run(claimAssetsQuery, [limit])).map((asset) => ({ ...asset, searchText: buildAssetText(asset) }));
  }
  return {
    async countUnindexed(table) {
      const row = await q
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("searchIndexed", "=", sql<boolean>`0`) // a literal, so that SQLite uses the partial index
        .executeTakeFirst();
      return row?.count ?? 0;
    },
    async indexNext(table, limit) {
      const rows = await claimRows(table, limit);
      // In the order of their ids, so that their numbers on SQLite follow each other.
      for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await saveSearchText(connection, table, row);
      return rows.length;
    },
  };
}
