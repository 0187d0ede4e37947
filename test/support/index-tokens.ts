import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { databaseFileName } from "#db/open-database.ts";
import { buildSearchText } from "#domain/model/search/fold.ts";
import { listTextTokens } from "#domain/model/search/tokens.ts";
import type { DatabaseLocation } from "./engines.ts";
import { queryDatabase } from "./migrations.ts";

type Row = Awaited<ReturnType<typeof queryDatabase>>[number];

async function createTextReaders(location: DatabaseLocation) {
  const comments = await queryDatabase(
    location,
    "SELECT post_id, body FROM comments WHERE removed_at IS NULL ORDER BY id DESC",
  );
  const readPostTexts = ({ id, title, body, variants }: Row) => [
    title,
    body,
    ...(JSON.parse(String(variants)) as { body?: string }[]).map((variant) => variant.body ?? null),
    ...comments.filter((comment) => comment["post_id"] === id).map((comment) => comment["body"]),
  ];
  return { posts: readPostTexts, assets: ({ filename, alt_text: altText }: Row) => [filename, altText] };
}

/** Asserts that the index has exactly the tokens of every row that is marked as indexed, and no other rows. */
export async function assertTokensMatch(location: DatabaseLocation): Promise<void> {
  const textReaders = await createTextReaders(location);
  for (const table of ["posts", "assets"] as const) {
    const rows = await queryDatabase(location, `SELECT * FROM ${table} WHERE search_indexed = 1`);
    const expected = new Map(
      rows.map((row) => {
        const tags = JSON.parse(String(row["tags"])) as string[];
        const searchText = buildSearchText(textReaders[table](row) as (string | null)[], tags);
        assert.equal(row["search_text"], searchText);
        return [String(row["id"]), sortTokens(listTextTokens(String(row["studio_id"]), { searchText, tags }))];
      }),
    );
    const actual = await readTokens(location, table === "posts" ? "post" : "asset");
    assert.deepEqual([...actual.keys()].toSorted(), [...expected.keys()].toSorted());
    for (const [id, tokens] of expected) assert.deepEqual(actual.get(id), tokens, `${id} ${table}`);
  }
}

const sortTokens = (tokens: readonly number[]): number[] => tokens.toSorted((a, b) => a - b);

/** A term has two characters. Each contains fifteen bits of the token, as an offset from U+0800. */
const decodeToken = (term: string): number => (term.charCodeAt(0) - 0x800) * 0x8000 + (term.charCodeAt(1) - 0x800);

async function readTokens(location: DatabaseLocation, kind: "post" | "asset"): Promise<Map<string, number[]>> {
  if (location.databaseUrl !== undefined) {
    const rows = await queryDatabase(location, `SELECT ${kind}_id AS id, tokens FROM ${kind}_search`);
    return new Map(rows.map(({ id, tokens }) => [String(id), sortTokens(tokens as number[])]));
  }
  const db = new DatabaseSync(join(location.dataDir, databaseFileName), { timeout: 5000 });
  try {
    db.exec(`CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, ${kind}_tokens, instance)`);
    const rows = db
      .prepare(`SELECT s.${kind}_id AS id, t.term FROM temp.terms t LEFT JOIN ${kind}_search s ON s.row = t.doc`)
      .all();
    const tokensById = Map.groupBy(rows, (row) => String(row["id"]));
    return new Map(
      [...tokensById].map(([id, group]) => [id, sortTokens(group.map(({ term }) => decodeToken(String(term))))]),
    );
  } finally {
    db.close();
  }
}
