import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { indexExistingRows } from "#domain/jobs/index-existing.ts";
import { purgeDeletedStudios } from "#domain/steps/purge-studio.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { printLine, readOptions, waitForStart, waitForTest } from "./child.ts";

/** Child process: runs a background job and prints a line after each batch. */

const { job, shouldPauseAfterBatch, ...options } = readOptions<
  Omit<OpenDatabaseOptions, "log"> & {
    job: "index existing rows" | "purge studios";
    /** Whether the process waits for a call of `letRun` after each batch. */
    shouldPauseAfterBatch: boolean;
  }
>();
const database = await openDatabase({ ...options, log: silentLog });
const deps = createDeps(database, systemClock);
const batches = {
  shouldStop: () => false,
  async pause() {
    printLine("batch");
    if (shouldPauseAfterBatch) await waitForTest();
  },
};
await waitForStart();
if (job === "purge studios") await purgeDeletedStudios(deps, batches);
else await indexExistingRows(deps, batches, silentLog);
printLine("done");
await database.close();
process.exit();
