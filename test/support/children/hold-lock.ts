import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { printLine, readOptions, waitForStart } from "./child.ts";

/** Child process: holds the write lock of a SQLite file for a while. */

const { file, ms } = readOptions<{ file: string; ms: number }>();

await waitForStart();
const db = new DatabaseSync(file, { timeout: 5000 });
db.exec("BEGIN IMMEDIATE");
printLine("locked");
await sleep(ms);
db.exec("ROLLBACK");
db.close();
printLine("unlocked");
process.exit();
