import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Fixture } from "./engines.ts";

/**
 * Everything that the database stores, by file or table: on SQLite the bytes of its files, which may still contain
 * deleted rows, and on PostgreSQL all columns of all rows as text.
 */
export async function readStoredText(
  fixture: Pick<Fixture, "engine" | "location" | "database">,
): Promise<Map<string, Buffer>> {
  const texts = fixture.engine === "sqlite" ? readFiles(fixture.location.dataDir) : await readTables(fixture);
  // Without a known text, a search for secrets could not fail.
  assert.ok([...texts.values()].some((text) => text.includes("0001-studios-and-posts")));
  return texts;
}

function readFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(entries.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))]));
}

async function readTables({ database: { q } }: Pick<Fixture, "database">): Promise<Map<string, Buffer>> {
  const tables = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`.execute(q);
  const texts = new Map<string, Buffer>();
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ text: string }>`SELECT t::text AS text FROM ${sql.table(name)} t`.execute(q);
    texts.set(name, Buffer.from(rows.map(({ text }) => text).join("\n")));
  }
  return texts;
}
