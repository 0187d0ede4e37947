import { Worker } from "node:worker_threads";

/** Together they change about 1,000 pages, after which SQLite itself would copy them. */
const statementsPerCheckpoint = 500;

/** If the thread does not keep up, commits do the rest, which is little by then. Limits the log to about 40 MB. */
export const maxLogPages = 10_000;

export interface Checkpointer {
  /** Call after each statement of the writing connection. */
  countStatement(): void;
  close(): Promise<void>;
}

/**
 * Copies the pages of the write-ahead log into the database file in a thread of its own. SQLite would do so within a
 * commit, which would hold the event loop until the disk has written pages from all over the file.
 */
export function createCheckpointer(path: string): Checkpointer {
  let statementCount = 0;
  let worker: Worker | undefined;
  let isRunning = false;

  function startWorker(): Worker {
    const newWorker = new Worker(new URL("checkpoint-thread.ts", import.meta.url), { workerData: path, execArgv: [] });
    newWorker.unref();
    newWorker.on("message", () => (isRunning = false));
    // The next checkpoint starts another one. Until then the log grows, or commits shorten it.
    newWorker.on("error", () => {
      worker = undefined;
      isRunning = false;
    });
    return newWorker;
  }

  return {
    countStatement() {
      statementCount++;
      if (isRunning || statementCount < statementsPerCheckpoint) return;
      statementCount = 0;
      isRunning = true;
      worker ??= startWorker();
      worker.postMessage("checkpoint", []);
    },
    async close() {
      await worker?.terminate();
    },
  };
}
