import assert from "node:assert/strict";
import type { Fixture } from "./engines.ts";

/** The search index contains no text, and on SQLite its row numbers are 64-bit integers, which the client rejects. */
const searchIndexPattern = /^(post|asset)_(search|tokens)/;

/** The rows of all tables except the search index, as JSON. */
export async function dumpTables({ database: { q } }: Pick<Fixture, "database">): Promise<string> {
  const tables = await q.introspection.getTables();
  const names = tables.map(({ name }) => name as "grants").filter((name) => !searchIndexPattern.test(name));
  assert.ok(names.includes("grants") && names.length >= 10, names.join(" "));
  const rows = await Promise.all(names.map((name) => q.selectFrom(name).selectAll().execute()));
  return JSON.stringify(rows);
}
