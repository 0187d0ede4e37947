import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { syncFolder } from "#lib/sync-folder.ts";

/** SQLite itself would copy them after as many. One long post changes hundreds, so statements say little about pages. */
const pagesPerCheckpoint = 1000;

/** If the thread does not keep up, commits do the rest, which is little by then. Limits the log to about 40 MB. */
export const maxLogPages = 10_000;

/** Does in other threads what waits for the disk, and what SQLite would do within a commit, in the event loop. */
export interface WriteAheadLog {
  /** Call after each commit. Starts to copy the log into the database file if it is long. */
  copyIfLong(): void;
  /** Call after each commit. Resolves when what was committed survives a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export function createWriteAheadLog(path: string, db: DatabaseSync): WriteAheadLog {
  const readPageCounts = db.prepare("PRAGMA wal_checkpoint(NOOP)"); // copies nothing, and takes about 2 µs
  let thread: Worker | undefined;
  let isCopying = false;
  let file: FileHandle | undefined;
  let hasSyncFailed = false;

  function startThread(): Worker {
    const newThread = new Worker(new URL("checkpoint-thread.ts", import.meta.url), { workerData: path, execArgv: [] });
    newThread.unref();
    newThread.on("message", () => (isCopying = false));
    // The next checkpoint starts another one. Until then the log grows, or commits shorten it.
    newThread.on("error", () => {
      thread = undefined;
      isCopying = false;
    });
    return newThread;
  }

  function countUncopiedPages(): number {
    const { log, checkpointed } = readPageCounts.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  /** Throws if another connection is copying or writing; the call fails then, and the next one tries again. */
  function copyAll(): void {
    const result = db.prepare("PRAGMA wal_checkpoint(FULL)").get();
    if (result?.["busy"] !== 0) throw new Error("the log could not be copied after a failed sync");
  }

  /** SQLite keeps the file while a connection is open. */
  async function openFile(): Promise<FileHandle> {
    await syncFolder(dirname(path)); // the file may be new
    return open(`${path}-wal`);
  }

  return {
    copyIfLong() {
      if (isCopying || countUncopiedPages() < pagesPerCheckpoint) return;
      isCopying = true;
      thread ??= startThread();
      thread.postMessage("checkpoint", []);
    },
    async sync() {
      try {
        // The system may report the next sync as successful without the pages of a failed one, so write them elsewhere.
        if (hasSyncFailed) copyAll();
        hasSyncFailed = false;
        file ??= await openFile();
        await file.datasync();
      } catch (error) {
        hasSyncFailed = true;
        throw error;
      }
    },
    async close() {
      await thread?.terminate();
      await file?.close();
    },
  };
}
