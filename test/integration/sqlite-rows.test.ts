import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { statement } from "#db/database.ts";
import { openSqlite } from "#db/sqlite.ts";
import { createTempFolder } from "../support/temp-folder.ts";

test("rows keep their column names when another process adds columns (RUN-7)", async () => {
  const folder = createTempFolder();
  const path = join(folder.path, "rows.db");
  const newerProcess = new DatabaseSync(path);
  newerProcess.exec("CREATE TABLE files (id TEXT, bytes INTEGER); INSERT INTO files VALUES ('a', 5)");
  const database = openSqlite(path);
  const queries = [
    statement<object>("all_of_one_table", "SELECT f.*, 7 AS part_bytes FROM files f WHERE f.id = $1"),
    statement<object>("all", "SELECT * FROM files WHERE id = $1"),
    statement<object>("named", "SELECT bytes, 7 AS part_bytes FROM files WHERE id = $1"),
  ];
  const readRows = async () => {
    const rows = [];
    for (const query of queries) rows.push({ ...(await database.run(query, ["a"]))[0] });
    return rows;
  };
  const expectedRows = [
    { id: "a", bytes: 5, part_bytes: 7 },
    { id: "a", bytes: 5 },
    { bytes: 5, part_bytes: 7 },
  ];
  assert.deepEqual(await readRows(), expectedRows);
  newerProcess.exec("ALTER TABLE files ADD COLUMN name TEXT DEFAULT 'new'");
  const rows = await readRows();
  assert.deepEqual(rows, [{ id: "a", bytes: 5, name: "new", part_bytes: 7 }, ...expectedRows.slice(1)]);
  await database.close();
  newerProcess.close();
  folder.remove();
});
