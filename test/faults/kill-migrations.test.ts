import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createTemporaryDatabase, listEngines, silentLog } from "../support/engines.ts";
import { queryDatabase, createMigrationFolder, listTables, type MigrationFolder } from "../support/migrations.ts";
import { startHelper } from "../support/helper-process.ts";

const fileCount = 12;
const tablesEach = 6;
const rounds = 20;

/** Files that do, undo and count, so that a statement that ran twice or not at all shows. */
const files = Object.fromEntries(
  Array.from({ length: fileCount }, (_, file) => {
    const tables = Array.from(
      { length: tablesEach },
      (__, i) =>
        `CREATE TABLE t${file}_${i} (id TEXT PRIMARY KEY, n BIGINT NOT NULL);\nINSERT INTO t${file}_${i} VALUES ('row', ${i});`,
    );
    const first = file === 0 ? "CREATE TABLE counter (n BIGINT NOT NULL);\nINSERT INTO counter VALUES (0);" : "";
    return [
      `${String(file + 1).padStart(4, "0")}-step.sql`,
      `${first}\n${tables.join("\n")}\nUPDATE counter SET n = n + 1;\n`,
    ];
  }),
);

for (const engine of listEngines()) {
  describe(`kill -9 during migrations (${engine})`, () => {
    let folder: MigrationFolder;
    before(() => void (folder = createMigrationFolder(files)));
    after(() => folder.remove());

    /** Starts on a fresh database and kills after `delay`; answers how many files had been applied, and how long a whole run takes. */
    async function round(delay: number | undefined): Promise<{ applied: number; ms: number }> {
      const location = await createTemporaryDatabase(engine);
      try {
        const helper = startHelper("open-database.ts", { ...location, migrations: folder.path });
        await helper.waitForLine("started");
        const started = performance.now();
        helper.signalStart();
        await (delay === undefined ? helper.waitForLine("ready") : sleep(delay));
        const ms = performance.now() - started;
        await helper.kill();
        assert.ok(!helper.lines.some((line) => line.startsWith("failed")), helper.lines.at(-1));

        const tables = await listTables(location).catch((): string[] => []); // killed before there was a file
        const [counted] = tables.includes("counter") ? await queryDatabase(location, "SELECT n FROM counter") : [];
        const applied = Number(counted?.["n"] ?? 0);
        assert.equal(tables.filter((name) => name.startsWith("t")).length, applied * tablesEach, "whole files only");

        await (await openDatabase({ ...location, migrations: folder.path, log: silentLog })).close();
        assert.equal((await listTables(location)).length, fileCount * tablesEach + 2);
        assert.equal(
          Number((await queryDatabase(location, "SELECT n FROM counter"))[0]?.["n"]),
          fileCount,
          "each file once",
        );
        assert.equal((await queryDatabase(location, "SELECT name FROM schema_migrations")).length, fileCount);
        return { applied, ms };
      } finally {
        await location.remove();
      }
    }

    test(`${rounds} kills at any moment: whole files or nothing, and the next start completes (RUN-7, D7)`, async () => {
      // How long a run takes changes with whatever else the machine does: the moment is sought, not computed.
      let { ms: span } = await round(undefined);
      const seen: number[] = [];
      const amid = (): number => seen.filter((applied) => applied > 0 && applied < fileCount).length;
      const lane = async (): Promise<void> => {
        while (seen.length < rounds || (amid() < 3 && seen.length < rounds * 5)) {
          const { applied } = await round(Math.random() * span * 1.2);
          if (applied === 0) span *= 1.15;
          if (applied === fileCount) span *= 0.85;
          seen.push(applied);
        }
      };
      await Promise.all([lane(), lane()]);
      assert.ok(amid() >= 3, `too few kills struck amid the run to mean anything: ${seen.join(" ")}`);
    });
  });
}
