import { encodeTokens, indexTables } from "#db/search-index.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { type SearchableTable, searchableTables } from "#domain/ports/search.ts";
import { listTextTokens } from "#domain/model/search/tokens.ts";
import type { Filler } from "./fill-context.ts";

const rowsPerStatement = 2000;

/** Saves the tokens of all rows. On PostgreSQL, `studioIds` limits them to the rows of some studios. */
export async function fillSearchIndex(
  filler: Filler,
  deps: Pick<Deps, "transact">,
  studioIds?: readonly string[],
): Promise<void> {
  for (const table of searchableTables)
    await (filler.engine === "postgres" ? fillTokens(filler, table, studioIds) : indexAll(filler, deps, table));
}

/** Indexes all rows as the background job does after an upgrade, but in larger transactions and without pauses. */
async function indexAll(filler: Filler, deps: Pick<Deps, "transact">, table: SearchableTable): Promise<void> {
  await filler.write(`UPDATE ${table} SET search_indexed = 0`);
  let count;
  do count = await deps.transact({ job: "benchmark" }, (tx) => tx.searchIndex.indexNext(table, 250));
  while (count > 0);
}

/** Inserts in large statements, and creates the GIN index afterwards: row by row, a million rows would take hours. */
export async function fillTokens(filler: Filler, table: SearchableTable, studioIds?: readonly string[]): Promise<void> {
  const condition = studioIds ? `studio_id IN ('${studioIds.join("', '")}')` : "TRUE";
  const { entryTable, idColumn } = indexTables[table];
  const [index] = await filler.read<{ sql: string }>(`SELECT pg_get_indexdef('${entryTable}_tokens'::regclass) AS sql`);
  if (!index) throw new Error(`${entryTable} has no index`);
  await filler.write(`DROP INDEX ${entryTable}_tokens`);
  let lastId = "";
  for (;;) {
    const rows = await filler.read<{ id: string; studio_id: string; search_text: string }>(
      `SELECT id, studio_id, search_text FROM ${table} WHERE id > '${lastId}' AND ${condition} ORDER BY id LIMIT ${rowsPerStatement}`,
    );
    if (rows.length === 0) break;
    lastId = rows.at(-1)?.id ?? "";
    const tokens = rows.map((row) =>
      encodeTokens.postgres(listTextTokens(row.studio_id, { searchText: row.search_text, tags: [] })),
    );
    await filler.write(
      `INSERT INTO ${entryTable} (${idColumn}, tokens)
       SELECT id, tokens::int[] FROM unnest($1::text[], $2::text[]) AS t(id, tokens)`,
      [rows.map(({ id }) => id), tokens],
    );
  }
  await filler.write(index.sql);
}
