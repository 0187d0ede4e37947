import type { RemoteFile, UploadClient } from "./client.ts";
import { createSemaphore } from "./semaphore.ts";
import { toFailure, type UploadTask } from "./upload-task.ts";
import type { StoredFiles } from "./stored-files.ts";
import type { LinkPool } from "./link-pool.ts";
import type { SpeedMeter } from "./speed-meter.ts";
import type { Retrier } from "./retrier.ts";
import { transfer } from "./transfer.ts";

// A browser opens six connections per host; some must stay free for API requests.
const maxParallelParts = 4;
const maxParallelFiles = 3;
const maxStartMs = 10_000;
/** How often a paused file shows the progress of its last parts. */
const progressIntervalMs = 400;

export interface FileSenderOptions {
  /** All files of the page. */
  tasks: UploadTask[];
  linkPool: LinkPool;
  storedFiles: StoredFiles;
  retrier: Retrier;
  /** The speed of all files together. */
  totalSpeed: SpeedMeter;
  /** Call after every change of a task. */
  notify: () => void;
  onUploaded: ((file: RemoteFile) => void) | undefined;
}

/** Uploads one file and updates its task until the file is attached, has failed or is paused. */
export type SendFile = (task: UploadTask, file: File) => Promise<void>;

export function createFileSender({
  tasks,
  linkPool,
  storedFiles,
  retrier,
  totalSpeed,
  notify,
  onUploaded,
}: FileSenderOptions): SendFile {
  const connectionSlots = createSemaphore(maxParallelParts);
  const fileSlots = createSemaphore(maxParallelFiles);
  // A file gets its position on the post when it is started, so files are started in the order of their selection. A file
  // whose first attempt fails or takes long does not hold up the others.
  const startSlots = createSemaphore(1);
  const getTotalSentBytes = () => tasks.reduce((bytes, { sentBytes }) => bytes + sentBytes, 0);

  /** Saves the text that the user entered before the upload started. Without one, takes the server's text. */
  function syncAltText(task: UploadTask, remote: RemoteFile, client: UploadClient): void {
    const { altText } = task;
    if (altText === "") task.altText = remote.altText;
    if (task.altText === remote.altText) return;
    retrier
      .run(() => client.setAltText(remote.id, task.altText), new AbortController().signal)
      .catch((error: unknown) => {
        // Unless the user has entered another text meanwhile.
        if (task.altText === altText) task.altTextError = toFailure(error);
        notify();
      });
  }

  async function send(task: UploadTask, file: File, previousRun: Promise<void> | undefined): Promise<void> {
    const pauseController = new AbortController();
    task.pauseController = pauseController;
    const signals = { pause: pauseController.signal, abort: task.abortController.signal };
    const signal = AbortSignal.any([signals.pause, signals.abort]);
    task.status = previousRun ? "sending" : "waiting";
    task.error = undefined;
    task.speedMeter.reset();
    notify();
    let release = () => {};
    let releaseStart = () => {};
    let notifiedAt = 0;
    try {
      // A paused run finishes its parts, so that none is sent twice.
      await previousRun;
      signal.throwIfAborted();
      task.status = "waiting";
      release = await fileSlots.acquire(signal);
      releaseStart = await startSlots.acquire(signal);
      setTimeout(releaseStart, maxStartMs);
      signal.addEventListener("abort", releaseStart, { once: true });
      // Idle time would lower the measured speed.
      if (!tasks.some(({ status }) => status === "sending")) totalSpeed.reset();
      task.status = "sending";
      notify();
      // A file that the server has not accepted needs a link that still accepts new files.
      if (task.id === undefined || task.token === undefined) task.token = await linkPool.getCurrentToken();
      const { token } = task;
      const client = linkPool.getClient(token);
      const uploadedFile = await transfer(file, { client, retrier, connectionSlots, maxParallelParts }, signals, {
        onStartAttempted: releaseStart,
        onStarted({ file: remote }) {
          if (!tasks.includes(task)) {
            // Canceled while the request was running.
            void retrier.run(() => client.cancelFile(remote.id), new AbortController().signal).catch(() => {});
            return;
          }
          // Not if the upload is paused: the request runs on.
          if (!signal.aborted) task.status = "sending";
          if (task.id === undefined) syncAltText(task, remote, client);
          task.id = remote.id;
          task.type = remote.mimeType; // The server detects the type; the browser derives it from the file name.
          // The server resumed an upload that the list already shows: replace that row.
          const duplicateIndex = tasks.findIndex((other) => other !== task && other.id === remote.id);
          if (duplicateIndex >= 0) tasks.splice(duplicateIndex, 1);
          void storedFiles.save(token, file, task.storedFile?.handle);
          notify();
        },
        onProgress(sentBytes) {
          task.sentBytes = sentBytes;
          task.speedMeter.record(sentBytes, performance.now());
          totalSpeed.record(getTotalSentBytes(), performance.now());
          // The progress of a paused file is not polled.
          if (task.status === "paused" && performance.now() - notifiedAt >= progressIntervalMs) {
            notifiedAt = performance.now();
            notify();
          }
        },
        onChecking() {
          task.status = "checking";
          notify();
        },
      });
      markDone(task, uploadedFile);
      void storedFiles.delete(token, file);
      onUploaded?.(uploadedFile);
    } catch (error) {
      if (signal.aborted) return;
      task.status = "failed";
      task.error = toFailure(error);
    } finally {
      releaseStart();
      release();
      notify();
    }
  }

  return (task, file) => {
    const run = send(task, file, task.run).finally(() => {
      if (task.run === run) task.run = undefined;
    });
    task.run = run;
    return run;
  };
}

function markDone(task: UploadTask, remote: RemoteFile): void {
  task.status = "done";
  task.id = remote.id;
  task.name = remote.filename;
  task.sentBytes = task.size;
  task.thumbnailUrl = remote.thumbnailUrl;
}
