import type { RemoteFile, UploadClient } from "./client.ts";
import {
  isSameFile,
  createUploadTask,
  summarizeUploads,
  toFailure,
  type ChosenFile,
  type UploadItem,
  type UploadSummary,
  type UploadTask,
} from "./upload-task.ts";
import { createStoredFiles } from "./stored-files.ts";
import { createLinkPool } from "./link-pool.ts";
import { createSpeedMeter } from "./speed-meter.ts";
import { createRetrier } from "./retrier.ts";
import { createFileSender } from "./send-file.ts";

export interface Uploader {
  getItems(): readonly UploadItem[];
  getSummary(): UploadSummary;
  /**
   * Starts uploading the files. Skips files that are already in the list, unless they failed or are missing, and
   * returns the names of the skipped files.
   */
  add(chosenFiles: readonly ChosenFile[]): string[];
  /** Without a key, pauses all files. */
  pause(key?: string): void;
  /** Without a key, resumes all files. */
  resume(key?: string): void;
  cancel(key: string): void;
  /** Resolves to false if the server did not save the text. */
  setAltText(key: string, altText: string): Promise<boolean>;
  /** After a reload, adds the upload link's files to the list again and resumes those that the browser can open. */
  restore(token: string, files: readonly RemoteFile[]): Promise<void>;
  subscribe(listener: () => void): () => void;
  destroy(): void;
}

export interface UploaderOptions {
  /** Returns the token of an upload link that accepts new files; creates a link if necessary. */
  getUploadLinkToken: () => Promise<string>;
  onUploaded?: ((file: RemoteFile) => void) | undefined;
  /** Creates the API client of an upload link; by default, one that uses HTTP. */
  createClient?: ((token: string) => UploadClient) | undefined;
}

export function createUploader({ getUploadLinkToken, onUploaded, createClient }: UploaderOptions): Uploader {
  const tasks: UploadTask[] = [];
  const listeners = new Set<() => void>();
  const notify = () => listeners.forEach((listener) => listener());
  const retrier = createRetrier(notify);
  const storedFiles = createStoredFiles();
  const totalSpeed = createSpeedMeter();
  const linkPool = createLinkPool(getUploadLinkToken, createClient);
  const sendFile = createFileSender({
    tasks,
    linkPool,
    storedFiles,
    retrier,
    totalSpeed,
    notify,
    onUploaded,
  });
  let createdCount = 0;

  const findTask = (key: string) => tasks.find((task) => task.key === key);
  const selectTasks = (key: string | undefined) =>
    key === undefined ? tasks : tasks.filter((task) => task.key === key);

  function addTask(values: Pick<UploadTask, "name" | "size" | "type"> & Partial<UploadTask>): UploadTask {
    const task = createUploadTask(`file-${++createdCount}`, values);
    tasks.push(task);
    return task;
  }

  /** Opening a file takes a while: meanwhile, the user may have resumed or canceled it, or chosen it again. */
  const isStillMissing = (task: UploadTask) => task.status === "missing" && tasks.includes(task);

  async function resumeStoredFile(task: UploadTask): Promise<void> {
    const file = await task.storedFile?.open({ promptUser: true });
    if (!file || !isStillMissing(task)) return;
    task.file = file;
    await sendFile(task, file);
  }

  const uploader: Uploader = {
    getItems() {
      const now = performance.now();
      for (const task of tasks) {
        const speed =
          task.status === "sending" && retrier.getConnection() === "good" ? task.speedMeter.getSpeed(now) : 0;
        task.speed = speed > 0 ? speed : undefined;
        task.secondsLeft = task.speed === undefined ? undefined : (task.size - task.sentBytes) / task.speed;
      }
      return tasks;
    },
    getSummary: () => summarizeUploads(tasks, totalSpeed, retrier),
    add(chosenFiles) {
      const duplicateNames: string[] = [];
      for (const { file, handle } of chosenFiles) {
        const existingTask = tasks.find((task) => isSameFile(task, file));
        if (existingTask && existingTask.status !== "missing" && existingTask.status !== "failed") {
          duplicateNames.push(file.name);
          continue;
        }
        const task = existingTask ?? addTask({ name: file.name, size: file.size, type: file.type });
        task.file = file;
        task.storedFile = handle && { handle, open: async () => file };
        void sendFile(task, file);
      }
      notify();
      return duplicateNames;
    },
    pause(key) {
      for (const task of selectTasks(key)) {
        if (task.status !== "waiting" && task.status !== "sending") continue;
        task.status = "paused";
        task.pauseController?.abort(new DOMException("paused", "AbortError"));
      }
      notify();
    },
    resume(key) {
      for (const task of selectTasks(key)) {
        if (task.status === "missing" && task.storedFile) void resumeStoredFile(task);
        else if ((task.status === "paused" || task.status === "failed") && task.file) void sendFile(task, task.file);
      }
      notify();
    },
    cancel(key) {
      const task = findTask(key);
      if (!task) return;
      task.abortController.abort(new DOMException("canceled", "AbortError"));
      tasks.splice(tasks.indexOf(task), 1);
      if (task.token !== undefined && task.status !== "done") {
        const client = linkPool.getClient(task.token);
        const { id } = task;
        if (id !== undefined)
          void retrier.run(() => client.cancelFile(id), new AbortController().signal).catch(() => {});
        if (task.file) void storedFiles.delete(task.token, task.file);
      }
      notify();
    },
    async setAltText(key, altText) {
      const task = findTask(key);
      if (!task || (task.altText === altText && !task.altTextError)) return true;
      task.altText = altText;
      task.altTextError = undefined;
      notify();
      const { token, id } = task;
      if (token === undefined || id === undefined) return true; // `sendFile` sends the text when the upload has started.
      try {
        await retrier.run(() => linkPool.getClient(token).setAltText(id, altText), new AbortController().signal);
        return true;
      } catch (error) {
        if (task.altText === altText) task.altTextError = toFailure(error);
        notify();
        return false;
      }
    },
    async restore(token, remoteFiles) {
      const candidates = await storedFiles.list(token);
      for (const file of remoteFiles) {
        if (tasks.some(({ id }) => id === file.id)) continue;
        const commonValues = {
          name: file.filename,
          size: file.bytes,
          type: file.mimeType,
          altText: file.altText,
          token,
          id: file.id,
        };
        if (file.status === "ready") {
          addTask({ ...commonValues, status: "done", sentBytes: file.bytes, thumbnailUrl: file.thumbnailUrl });
          continue;
        }
        const storedFile = candidates.find(({ name, size }) => size === file.bytes && name === file.filename);
        const task = addTask({ ...commonValues, status: "missing", storedFile });
        const openedFile = await storedFile?.open({ promptUser: false });
        if (!openedFile || !isStillMissing(task)) continue;
        task.file = openedFile;
        void sendFile(task, openedFile);
      }
      notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    destroy() {
      uploader.pause();
      // A file that the server is checking has been sent, so its last request runs on.
      for (const { status, abortController } of tasks)
        if (status === "paused") abortController.abort(new DOMException("ended", "AbortError"));
      retrier.destroy();
      listeners.clear();
    },
  };
  return uploader;
}
