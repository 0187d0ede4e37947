import { once } from "node:events";
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** Child process: holds the write lock of a SQLite file for a while. */

const { file, ms } = JSON.parse(process.argv[2] ?? "") as { file: string; ms: number };
const printLine = (line: string) => writeSync(1, `${line}\n`);

printLine("loaded");
await once(process.stdin, "data");
const db = new DatabaseSync(file, { timeout: 5000 });
db.exec("BEGIN IMMEDIATE");
printLine("locked");
await sleep(ms);
db.exec("ROLLBACK");
db.close();
printLine("unlocked");
process.exit();
