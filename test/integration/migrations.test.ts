import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { MigrationError } from "#db/migrate.ts";
import { openDatabase } from "#db/open-database.ts";
import {
  createTemporaryDatabase,
  listEngines,
  silentLog,
  type DatabaseLocation,
  type TemporaryDatabase,
} from "../support/engines.ts";
import { queryDatabase, createMigrationFolder, listTables, type MigrationFolder } from "../support/migrations.ts";
import { startHelper } from "../support/helper-process.ts";

const one = { "0001-one.sql": "CREATE TABLE a (x TEXT);\nCREATE TABLE b (x TEXT);\nINSERT INTO a VALUES ('ü;--''');" };
const two = { ...one, "0002-two.sql": "ALTER TABLE a ADD COLUMN y BIGINT;\nUPDATE a SET y = 7;\n" };

for (const engine of listEngines()) {
  describe(`migrations (${engine})`, () => {
    const places: TemporaryDatabase[] = [];
    let folder: MigrationFolder;
    before(() => void (folder = createMigrationFolder({})));
    after(async () => {
      folder.remove();
      await Promise.all(places.map((location) => location.remove()));
    });

    async function newPlace(): Promise<DatabaseLocation> {
      const location = await createTemporaryDatabase(engine);
      places.push(location);
      return location;
    }

    async function open(location: DatabaseLocation, files: Record<string, string>): Promise<void> {
      folder.write(files);
      await (await openDatabase({ ...location, migrations: folder.path, log: silentLog })).close();
    }

    const history = (location: DatabaseLocation) =>
      queryDatabase(location, "SELECT name, checksum FROM schema_migrations ORDER BY name");
    const contents = async (location: DatabaseLocation) =>
      JSON.stringify([
        await listTables(location),
        await history(location),
        await queryDatabase(location, "SELECT * FROM a"),
      ]);

    test("files are applied in order, once, and remembered with their checksum (RUN-7)", async () => {
      const location = await newPlace();
      await open(location, one);
      await open(location, { ...two, "README.md": "no migration", "3-bad-name.sql": "SELECT nonsense" });
      await open(location, two);
      assert.deepEqual(await listTables(location), ["a", "b", "schema_migrations"]);
      assert.deepEqual(
        (await queryDatabase(location, "SELECT x, y FROM a")).map(({ x, y }) => [x, Number(y)]),
        [["ü;--'", 7]],
      );
      const expected = Object.entries(two).map(([name, sql]) => ({
        name,
        checksum: createHash("sha256").update(sql).digest("hex"),
      }));
      assert.deepEqual(
        (await history(location)).map((row) => ({ ...row })),
        expected,
      );
    });

    test("a file that was changed after it had been applied is refused, and nothing happens (RUN-7)", async () => {
      const location = await newPlace();
      await open(location, one);
      const before = await contents(location);
      const changed = { ...two, "0001-one.sql": `${one["0001-one.sql"]} ` };
      await assert.rejects(
        open(location, changed),
        (error) => error instanceof MigrationError && /0001-one\.sql was edited/.test(error.message),
      );
      assert.equal(await contents(location), before);
      await open(location, two);
    });

    test("a database of a newer version is refused, and nothing happens (RUN-7)", async () => {
      const location = await newPlace();
      await open(location, two);
      const before = await contents(location);
      const older = { ...one, "0003-three.sql": "CREATE TABLE c (x TEXT)" };
      await assert.rejects(
        open(location, older),
        (error) => error instanceof MigrationError && /newer version: it has 0002-two\.sql/.test(error.message),
      );
      assert.equal(await contents(location), before);
    });

    test("tables without a history are refused, and nothing happens (RUN-7, D6)", async () => {
      const location = await newPlace();
      if (engine === "sqlite") mkdirSync(location.dataDir);
      await queryDatabase(location, "CREATE TABLE users (id TEXT)");
      await assert.rejects(
        open(location, one),
        (error) => error instanceof MigrationError && /no migration history/.test(error.message),
      );
      assert.deepEqual(await listTables(location), ["users"]);
    });

    test("a file that fails in its middle leaves nothing of itself, and can be mended (RUN-7)", async () => {
      const location = await newPlace();
      await open(location, one);
      const before = await contents(location);
      for (const middle of ["CREATE TABLE a (x TEXT)", "nonsense", "INSERT INTO nowhere VALUES (1)"]) {
        const broken = {
          ...one,
          "0002-two.sql": `CREATE TABLE c (x TEXT);\nDELETE FROM a;\n${middle};\nCREATE TABLE d (x TEXT);`,
        };
        await assert.rejects(open(location, broken));
        assert.equal(await contents(location), before, middle);
      }
      await open(location, two);
    });

    test("four processes that start at the same moment on a fresh database are all ready (RUN-5, RUN-7)", async () => {
      const many = Object.fromEntries(
        Array.from({ length: 6 }, (_, i) => [
          `000${i + 1}-step.sql`,
          `CREATE TABLE t${i} (x TEXT);\nINSERT INTO t${i} VALUES ('once');`,
        ]),
      );
      folder.write(many);
      for (let round = 0; round < (engine === "sqlite" ? 4 : 1); round++) {
        const location = await newPlace();
        const helpers = Array.from({ length: 4 }, () =>
          startHelper("open-database.ts", { ...location, migrations: folder.path }),
        );
        await Promise.all(helpers.map((helper) => helper.waitForLine("started")));
        for (const helper of helpers) helper.signalStart();
        await Promise.all(helpers.map((helper) => helper.exited));
        assert.deepEqual(
          helpers.map(({ lines }) => lines.at(-1)),
          Array.from({ length: 4 }, () => "ready"),
        );
        for (let i = 0; i < 6; i++) assert.equal((await queryDatabase(location, `SELECT x FROM t${i}`)).length, 1);
      }
    });

    test("our own files make the tables that the code knows (RUN-7)", async () => {
      const location = await newPlace();
      await (await openDatabase({ ...location, log: silentLog })).close();
      const own = readdirSync(join(import.meta.dirname, "../../migrations")).toSorted();
      assert.deepEqual(
        (await history(location)).map(({ name }) => name),
        own,
      );
      const made = own.flatMap((name) =>
        [
          ...readFileSync(join(import.meta.dirname, "../../migrations", name), "utf8").matchAll(
            /^CREATE TABLE (\w+)/gm,
          ),
        ].map((match) => match[1] ?? ""),
      );
      assert.deepEqual(await listTables(location), [...made, "schema_migrations"].toSorted());
    });
  });
}
