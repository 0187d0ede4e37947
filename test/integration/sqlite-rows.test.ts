import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { toColumnName, toPropertyName } from "#db/columns.ts";
import { statement } from "#db/database.ts";
import { migrateSqlite } from "#db/migrate.ts";
import { migrationsFolder } from "#db/open-database.ts";
import { openSqlite } from "#db/sqlite.ts";
import { createTempFolder } from "../support/temp-folder.ts";

test("rows keep their column names when another process adds columns (RUN-7)", async () => {
  const folder = createTempFolder();
  const path = join(folder.path, "rows.db");
  const newerProcess = new DatabaseSync(path);
  newerProcess.exec("CREATE TABLE files (id TEXT, bytes INTEGER); INSERT INTO files VALUES ('a', 5)");
  const database = openSqlite(path);
  const queries = [
    statement<object>("SELECT 7 AS part_bytes, f.* FROM files f WHERE f.id = $1"),
    statement<object>("SELECT * FROM files WHERE id = $1"),
    statement<object>("SELECT bytes, 7 AS part_bytes FROM files WHERE id = $1"),
  ];
  const readRows = async () => {
    const rows = [];
    for (const query of queries) rows.push({ ...(await database.run(query, ["a"]))[0] });
    return rows;
  };
  const expectedRows = [
    { partBytes: 7, id: "a", bytes: 5 },
    { id: "a", bytes: 5 },
    { bytes: 5, partBytes: 7 },
  ];
  assert.deepEqual(await readRows(), expectedRows);
  newerProcess.exec("ALTER TABLE files ADD COLUMN name TEXT DEFAULT 'new'");
  assert.deepEqual(await readRows(), expectedRows);
  const misplaced = statement<object>("SELECT f.*, 7 AS part_bytes FROM files f WHERE f.id = $1");
  await assert.rejects(database.run(misplaced, ["a"]), /other columns follow/);
  await database.close();
  newerProcess.close();
  folder.remove();
});

test("every column has a property of its own, whose name leads back to the column (RUN-7)", async () => {
  const folder = createTempFolder();
  const path = join(folder.path, "columns.db");
  await migrateSqlite(path, migrationsFolder);
  const database = new DatabaseSync(path);
  const columns = database
    .prepare(
      "SELECT t.name AS \"table\", c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .all()
    .map(({ table, name }) => ({ table: String(table), name: String(name) }));
  assert.ok(columns.length > 200);
  for (const { table, name } of columns) {
    assert.equal(toColumnName(toPropertyName(name)), name);
    assert.equal(toColumnName(toPropertyName(table)), table);
  }
  for (const [table, names] of Map.groupBy(columns, (column) => column.table))
    assert.equal(new Set(names.map(({ name }) => toPropertyName(name))).size, names.length, table);
  database.close();
  folder.remove();
});
