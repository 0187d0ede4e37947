import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createEmptyDatabase, listEngines, silentLog } from "../support/engines.ts";
import { queryDatabase, createMigrationFolder, listTables, type MigrationFolder } from "../support/migrations.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";

const fileCount = 12;
const tablesPerFile = 6;
const rounds = isLongRun ? 20 : 4;

/** Migrations that create tables and increment a counter, so that a statement that ran twice or never is detected. */
const migrations = Object.fromEntries(
  Array.from({ length: fileCount }, (_, file) => {
    const tables = Array.from(
      { length: tablesPerFile },
      (__, i) =>
        `CREATE TABLE t${file}_${i} (id TEXT PRIMARY KEY, n BIGINT NOT NULL);\nINSERT INTO t${file}_${i} VALUES ('row', ${i});`,
    );
    const counterTable = file === 0 ? "CREATE TABLE counter (n BIGINT NOT NULL);\nINSERT INTO counter VALUES (0);" : "";
    return [
      `${String(file + 1).padStart(4, "0")}-step.sql`,
      `${counterTable}\n${tables.join("\n")}\nUPDATE counter SET n = n + 1;\n`,
    ];
  }),
);

for (const engine of listEngines()) {
  describe(`kill -9 during migrations (${engine})`, () => {
    let folder: MigrationFolder;
    before(() => void (folder = createMigrationFolder(migrations)));
    after(() => folder.remove());

    /** Kills a process that migrates a new database, after `delayMs` or when it is done. Counts the applied files. */
    async function killDuringMigration(delayMs: number | undefined): Promise<{ appliedCount: number; ms: number }> {
      const location = await createEmptyDatabase(engine);
      try {
        const helper = startHelper("open-database.ts", { ...location, migrations: folder.path });
        await helper.waitForLine("loaded");
        const startedAt = performance.now();
        helper.letRun();
        await (delayMs === undefined ? helper.waitForLine("ready") : sleep(delayMs));
        const ms = performance.now() - startedAt;
        await helper.kill();
        assert.ok(!helper.lines.some((line) => line.startsWith("failed")), helper.lines.at(-1));

        const tables = await listTables(location).catch((): string[] => []); // killed before the database file existed
        const [counter] = tables.includes("counter") ? await queryDatabase(location, "SELECT n FROM counter") : [];
        const appliedCount = Number(counter?.["n"] ?? 0);
        assert.equal(
          tables.filter((name) => name.startsWith("t")).length,
          appliedCount * tablesPerFile,
          "only complete files are applied",
        );

        await (await openDatabase({ ...location, migrations: folder.path, log: silentLog })).close();
        assert.equal((await listTables(location)).length, fileCount * tablesPerFile + 2);
        assert.equal(
          Number((await queryDatabase(location, "SELECT n FROM counter"))[0]?.["n"]),
          fileCount,
          "each file is applied once",
        );
        assert.equal((await queryDatabase(location, "SELECT name FROM schema_migrations")).length, fileCount);
        return { appliedCount, ms };
      } finally {
        await location.remove();
      }
    }

    test(`${rounds} kills at random moments: each file is applied completely or not at all, and the next start completes the migration (RUN-7, D7)`, async () => {
      // Adapts the delay, because the duration of a run depends on the load of the machine.
      let { ms: maxDelayMs } = await killDuringMigration(undefined);
      const appliedCounts: number[] = [];
      const countPartialRuns = (): number => appliedCounts.filter((count) => count > 0 && count < fileCount).length;
      const worker = async (): Promise<void> => {
        while (appliedCounts.length < rounds || (countPartialRuns() < 3 && appliedCounts.length < rounds * 15)) {
          const { appliedCount } = await killDuringMigration(Math.random() * maxDelayMs * 1.2);
          if (appliedCount === 0) maxDelayMs *= 1.15;
          if (appliedCount === fileCount) maxDelayMs *= 0.85;
          appliedCounts.push(appliedCount);
        }
      };
      await Promise.all([worker(), worker()]);
      assert.ok(countPartialRuns() >= 3, `too few kills during the migrations: ${appliedCounts.join(" ")}`);
    });
  });
}
