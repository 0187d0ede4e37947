import { once } from "node:events";
import { writeSync } from "node:fs";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { purgeDeletedStudios } from "#domain/studios/purge-studio.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";

/** Child process: purges deleted studios and prints a line after each batch. */

const { shouldPauseAfterBatch, ...options } = JSON.parse(process.argv[2] ?? "") as Omit<OpenDatabaseOptions, "log"> & {
  /** Whether the process waits for a call of `letRun` after each batch. */
  shouldPauseAfterBatch: boolean;
};
const printLine = (line: string) => writeSync(1, `${line}\n`); // synchronous, because the process may be killed

const database = await openDatabase({ ...options, log: silentLog });
printLine("loaded");
await once(process.stdin, "data");
const pause = async (): Promise<void> => {
  printLine("batch");
  if (shouldPauseAfterBatch) await once(process.stdin, "data");
};
await purgeDeletedStudios(createDeps(database, systemClock), { pause, shouldStop: () => false });
printLine("done");
await database.close();
process.exit();
