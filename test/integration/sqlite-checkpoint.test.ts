import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { openSqlite } from "#db/sqlite.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait-until.ts";

test("a thread copies the write-ahead log into the database file before SQLite would do so in a commit (X4)", async () => {
  const folder = createTempFolder();
  const path = join(folder.path, "rows.db");
  const database = openSqlite(path);
  const { q } = database;
  const isInFile = (text: string): boolean => readFileSync(path, "latin1").includes(text);
  const insert = (text: string, bytes = 0) => sql`INSERT INTO notes VALUES (${text.padEnd(bytes)})`.execute(q);
  await sql`CREATE TABLE notes (text TEXT)`.execute(q);
  for (let i = 0; i < 10; i++) await insert(`early ${i}`);
  assert.ok(!isInFile("early 0"), "a few rows stay in the log");
  for (let i = 0; i < 5; i++) await insert(`long ${i}`, 1_000_000);
  await waitUntil(() => isInFile("long 0"), { description: "a few long rows are in the database file" });
  await insert("last");
  assert.ok(!isInFile("last"), "the log is copied only when it is long again");
  await database.close();
  assert.ok(isInFile("last"));
  folder.remove();
});
