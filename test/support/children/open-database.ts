import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { createLog } from "#lib/log.ts";
import { printLine, readOptions, waitForStart } from "./child.ts";

/** Child process: opens and migrates a database, as the service does at start, and prints the result. */

const options = readOptions<Omit<OpenDatabaseOptions, "log">>();

await waitForStart();
try {
  const database = await openDatabase({ ...options, log: createLog("silent") });
  await database.ping();
  printLine("ready");
  await database.close();
} catch (error) {
  printLine(`failed: ${String(error)}`);
}
process.exit();
