import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { MigrationError } from "#db/migrate.ts";
import { openDatabase } from "#db/open-database.ts";
import {
  createEmptyDatabase,
  listEngines,
  silentLog,
  type DatabaseLocation,
  type TemporaryDatabase,
} from "../support/engines.ts";
import { queryDatabase, createMigrationFolder, listTables, type MigrationFolder } from "../support/migrations.ts";
import { startHelper } from "../support/helper-process.ts";

const firstMigration = {
  "0001-one.sql": "CREATE TABLE a (x TEXT);\nCREATE TABLE b (x TEXT);\nINSERT INTO a VALUES ('ü;--''');",
};
const bothMigrations = {
  ...firstMigration,
  "0002-two.sql": "ALTER TABLE a ADD COLUMN y BIGINT;\nUPDATE a SET y = 7;\n",
};

for (const engine of listEngines()) {
  describe(`migrations (${engine})`, () => {
    const databases: TemporaryDatabase[] = [];
    let folder: MigrationFolder;
    before(() => void (folder = createMigrationFolder({})));
    after(async () => {
      folder.remove();
      await Promise.all(databases.map((database) => database.remove()));
    });

    async function newDatabase(): Promise<DatabaseLocation> {
      const database = await createEmptyDatabase(engine);
      databases.push(database);
      return database;
    }

    async function open(location: DatabaseLocation, files: Record<string, string>): Promise<void> {
      folder.write(files);
      await (await openDatabase({ ...location, migrations: folder.path, log: silentLog })).close();
    }

    const listAppliedMigrations = (location: DatabaseLocation) =>
      queryDatabase(location, "SELECT name, checksum FROM schema_migrations ORDER BY name");
    const dumpDatabase = async (location: DatabaseLocation) =>
      JSON.stringify([
        await listTables(location),
        await listAppliedMigrations(location),
        await queryDatabase(location, "SELECT * FROM a"),
      ]);

    test("applies files in order, once, and records their checksums (RUN-7)", async () => {
      const location = await newDatabase();
      await open(location, firstMigration);
      await open(location, { ...bothMigrations, "README.md": "not a migration", "3-bad-name.sql": "SELECT nonsense" });
      await open(location, bothMigrations);
      assert.deepEqual(await listTables(location), ["a", "b", "schema_migrations"]);
      const [row] = await queryDatabase(location, "SELECT x, y FROM a");
      assert.deepEqual([row?.["x"], Number(row?.["y"])], ["ü;--'", 7]);
      assert.deepEqual(
        (await listAppliedMigrations(location)).map(({ name, checksum }) => [name, checksum]),
        Object.entries(bothMigrations).map(([name, sql]) => [name, createHash("sha256").update(sql).digest("hex")]),
      );
    });

    const rejections: [
      title: string,
      applied: Record<string, string>,
      files: Record<string, string>,
      message: RegExp,
    ][] = [
      [
        "a file that was edited after it was applied",
        firstMigration,
        { ...bothMigrations, "0001-one.sql": `${firstMigration["0001-one.sql"]} ` },
        /0001-one\.sql was edited/,
      ],
      [
        "a database that a newer version created",
        bothMigrations,
        { ...firstMigration, "0003-three.sql": "CREATE TABLE c (x TEXT)" },
        /newer version: it has 0002-two\.sql/,
      ],
    ];
    for (const [title, applied, files, message] of rejections)
      test(`rejects ${title}, without changing the database (RUN-7)`, async () => {
        const location = await newDatabase();
        await open(location, applied);
        const before = await dumpDatabase(location);
        await assert.rejects(
          open(location, files),
          (error) => error instanceof MigrationError && message.test(error.message),
        );
        assert.equal(await dumpDatabase(location), before);
        await open(location, bothMigrations);
      });

    test("rejects a database with tables but no migration history, without changing it (RUN-7, D6)", async () => {
      const location = await newDatabase();
      if (engine === "sqlite") mkdirSync(location.dataDir);
      await queryDatabase(location, "CREATE TABLE users (id TEXT)");
      await assert.rejects(
        open(location, firstMigration),
        (error) => error instanceof MigrationError && /no migration history/.test(error.message),
      );
      assert.deepEqual(await listTables(location), ["users"]);
    });

    test("rolls back a file that fails halfway, and applies the corrected file later (RUN-7)", async () => {
      const location = await newDatabase();
      await open(location, firstMigration);
      const before = await dumpDatabase(location);
      for (const failingStatement of ["CREATE TABLE a (x TEXT)", "nonsense", "INSERT INTO nowhere VALUES (1)"]) {
        const brokenMigrations = {
          ...firstMigration,
          "0002-two.sql": `CREATE TABLE c (x TEXT);\nDELETE FROM a;\n${failingStatement};\nCREATE TABLE d (x TEXT);`,
        };
        await assert.rejects(open(location, brokenMigrations));
        assert.equal(await dumpDatabase(location), before, failingStatement);
      }
      await open(location, bothMigrations);
    });

    test("our migrations are all applied and create exactly the tables that they declare (RUN-7)", async () => {
      const location = await newDatabase();
      await (await openDatabase({ ...location, log: silentLog })).close();
      const otherEngine = engine === "sqlite" ? "postgres" : "sqlite";
      const files = readdirSync(join(import.meta.dirname, "../../migrations"))
        .filter((file) => !file.includes(`.${otherEngine}.`))
        .toSorted();
      assert.deepEqual(
        (await listAppliedMigrations(location)).map(({ name }) => name),
        files.map((file) => file.replace(`.${engine}.`, ".")),
      );
      const declaredTables = new Set(["schema_migrations"]);
      for (const file of files) {
        const migrationSql = readFileSync(join(import.meta.dirname, "../../migrations", file), "utf8");
        for (const [, verb, table = "", newName = ""] of migrationSql.matchAll(
          /^(CREATE|DROP|ALTER) TABLE (\w+)(?: RENAME TO (\w+))?/gm,
        )) {
          if (verb === "ALTER" && newName === "") continue;
          if (verb !== "CREATE") declaredTables.delete(table);
          if (verb !== "DROP") declaredTables.add(newName || table);
        }
      }
      assert.deepEqual(await listTables(location), [...declaredTables].toSorted());
    });

    test("a migration with a file for each engine is applied under one name (RUN-7)", async () => {
      const location = await newDatabase();
      const files = {
        ...firstMigration,
        "0002-two.sqlite.sql": "CREATE TABLE only_sqlite (x TEXT);",
        "0002-two.postgres.sql": "CREATE TABLE only_postgres (x TEXT);",
        "0003-three.sql": "CREATE TABLE c (x TEXT);",
      };
      await open(location, files);
      await open(location, files);
      assert.deepEqual(await listTables(location), ["a", "b", "c", `only_${engine}`, "schema_migrations"]);
      assert.deepEqual(
        (await listAppliedMigrations(location)).map(({ name }) => name),
        ["0001-one.sql", "0002-two.sql", "0003-three.sql"],
      );
    });
  });
}

test("processes that start at the same time on an empty database all become ready (RUN-5, RUN-7)", async (t) => {
  const steps = Array.from({ length: 6 }, (_, i): [string, string] => [
    `000${i + 1}-step.sql`,
    `CREATE TABLE t${i} (x TEXT);\nINSERT INTO t${i} VALUES ('once');`,
  ]);
  const folder = createMigrationFolder(Object.fromEntries(steps));
  t.after(() => folder.remove());
  const databases = await Promise.all(["sqlite" as const, ...listEngines()].map(createEmptyDatabase));
  t.after(() => Promise.all(databases.map((database) => database.remove())));
  const options = databases.map((location) => ({ ...location, migrations: folder.path }));
  const helpers = Array.from({ length: 3 }, () => startHelper("open-database.ts", options));
  await Promise.all(helpers.map((helper) => helper.waitForLine("loaded")));
  for (const [i, location] of databases.entries()) {
    for (const helper of helpers) helper.letRun();
    await Promise.all(helpers.map((helper) => helper.waitForLine("ready", i + 1)));
    for (let table = 0; table < steps.length; table++)
      assert.equal((await queryDatabase(location, `SELECT x FROM t${table}`)).length, 1);
  }
  await Promise.all(helpers.map((helper) => helper.exited));
});
