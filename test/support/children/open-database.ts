import { once } from "node:events";
import { writeSync } from "node:fs";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { createLog } from "#lib/log.ts";

/** Child process: opens and migrates a database, as the service does at start, and prints the result. */

const options = JSON.parse(process.argv[2] ?? "") as Omit<OpenDatabaseOptions, "log">;
const printLine = (line: string) => writeSync(1, `${line}\n`); // synchronous, because the process may be killed

printLine("loaded");
await once(process.stdin, "data");
try {
  const database = await openDatabase({ ...options, log: createLog("silent") });
  await database.ping();
  printLine("ready");
  await database.close();
} catch (error) {
  printLine(`failed: ${String(error)}`);
}
process.exit();
