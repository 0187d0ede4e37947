import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { createLog } from "#lib/log.ts";
import { printLine, readOptions } from "./child.ts";

/**
 * Child process: opens and migrates a database, or the next of several whenever it may continue, as the service does at
 * start, and prints the result.
 */

type Options = Omit<OpenDatabaseOptions, "log">;

const signals = process.stdin[Symbol.asyncIterator]();
printLine("loaded");
for (const options of [readOptions<Options | Options[]>()].flat()) {
  await signals.next();
  try {
    const database = await openDatabase({ ...options, log: createLog("silent") });
    await database.ping();
    printLine("ready");
    await database.close();
  } catch (error) {
    printLine(`failed: ${String(error)}`);
  }
}
process.exit();
