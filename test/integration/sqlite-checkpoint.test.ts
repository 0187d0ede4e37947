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
  const insert = async (text: string, count: number): Promise<void> => {
    await q.transaction().execute(async (tx) => {
      for (let i = 0; i < count; i++) await sql`INSERT INTO notes VALUES (${`${text} ${i}`})`.execute(tx);
    });
  };
  await sql`CREATE TABLE notes (text TEXT)`.execute(q);
  await insert("early", 10);
  assert.ok(!isInFile("early 0"), "a few rows stay in the log");
  await insert("late", 1000); // fewer than 1,000 pages
  await insert("last", 1);
  await waitUntil(() => isInFile("late 0"), { description: "the rows are in the database file" });
  await database.close();
  assert.ok(isInFile("last 0"));
  folder.remove();
});
