import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Runs in a thread of `createWriteAheadLog`. A failure ends the thread. */
const db = new DatabaseSync(workerData as string);

parentPort?.on("message", () => {
  // Does not wait for writers or readers, nor do they wait for it.
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort?.postMessage("done", []);
});
