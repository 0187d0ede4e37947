import { RequestError } from "./client.ts";
import type { StoredFile } from "./stored-files.ts";
import { createSpeedMeter, type SpeedMeter } from "./speed-meter.ts";
import type { ConnectionState, Retrier } from "./retrier.ts";

/**
 * - `waiting`: queued;
 * - `checking`: all bytes are sent, and the server checks the content;
 * - `done`: on the post or in the library;
 * - `missing`: started before a reload, and the page cannot open the file: the user must choose it again, or resume if
 *   the browser stored it (`storedFile`).
 */
export type UploadStatus = "waiting" | "sending" | "paused" | "checking" | "done" | "failed" | "missing";

export interface UploadItem {
  readonly key: string;
  /** The id of the asset, once the server has accepted the upload. */
  id: string | undefined;
  /** The token of the upload link that the file is sent through; undefined until the upload starts. */
  token: string | undefined;
  name: string;
  size: number;
  type: string;
  status: UploadStatus;
  sentBytes: number;
  /** Bytes per second. Undefined while the speed is unknown. */
  speed: number | undefined;
  secondsLeft: number | undefined;
  error: UploadFailure | undefined;
  /** As the user entered it, even if the server rejected it. */
  altText: string;
  /** Why the server rejected the alt text. */
  altTextError: UploadFailure | undefined;
  thumbnailUrl: string | undefined;
  file: File | undefined;
  /** The file as the browser stored it before a reload; opening it may need the user's permission. */
  storedFile: StoredFile | undefined;
}

export interface UploadFailure {
  message: string;
  hint: string;
  code?: string | undefined;
  /** Whether a retry with the same file would fail again. */
  isPermanent: boolean;
}

export interface UploadSummary {
  fileCount: number;
  doneCount: number;
  failedCount: number;
  /** How many files are neither done nor stopped by a problem. */
  unfinishedCount: number;
  sentBytes: number;
  totalBytes: number;
  speed: number | undefined;
  secondsLeft: number | undefined;
  connection: ConnectionState;
  /** The server's message, if the server and not the network is the cause. */
  reason: string | undefined;
  /** `stuck`: the files that are not done have failed or are missing, so the user must act. */
  state: "empty" | "sending" | "paused" | "stuck" | "done";
}

export interface ChosenFile {
  file: File;
  handle?: FileSystemFileHandle | undefined;
}

/** An item, with internal state of the uploader. */
export interface UploadTask extends UploadItem {
  /** Pauses the current run. */
  pauseController: AbortController | undefined;
  /** Also aborts the parts that a paused run is still sending. */
  abortController: AbortController;
  /** The current run, or a paused one that is still finishing its requests. Settles when it has ended. */
  run: Promise<void> | undefined;
  speedMeter: SpeedMeter;
}

export function createUploadTask(
  key: string,
  initialValues: Pick<UploadTask, "name" | "size" | "type"> & Partial<UploadTask>,
): UploadTask {
  return {
    key,
    status: "waiting",
    sentBytes: 0,
    speed: undefined,
    secondsLeft: undefined,
    error: undefined,
    altText: "",
    altTextError: undefined,
    thumbnailUrl: undefined,
    file: undefined,
    storedFile: undefined,
    token: undefined,
    id: undefined,
    pauseController: undefined,
    abortController: new AbortController(),
    run: undefined,
    speedMeter: createSpeedMeter(),
    ...initialValues,
  };
}

export function summarizeUploads(
  tasks: readonly UploadTask[],
  speedMeter: SpeedMeter,
  retrier: Retrier,
): UploadSummary {
  const unfinishedTasks = tasks.filter(({ status }) => !["done", "failed", "missing"].includes(status));
  const connection = retrier.getConnection();
  const speed = speedMeter.getSpeed(performance.now());
  const isTransferring =
    connection === "good" && speed > 0 && unfinishedTasks.some(({ status }) => status === "sending");
  const remainingBytes = unfinishedTasks.reduce((bytes, { size, sentBytes }) => bytes + size - sentBytes, 0);
  return {
    fileCount: tasks.length,
    doneCount: tasks.filter(({ status }) => status === "done").length,
    failedCount: tasks.filter(({ status }) => status === "failed").length,
    unfinishedCount: unfinishedTasks.length,
    sentBytes: tasks.reduce((bytes, { sentBytes }) => bytes + sentBytes, 0),
    totalBytes: tasks.reduce((bytes, { size }) => bytes + size, 0),
    speed: isTransferring ? speed : undefined,
    secondsLeft: isTransferring ? remainingBytes / speed : undefined,
    connection,
    reason: retrier.getReason(),
    state: getOverallState(tasks, unfinishedTasks),
  };
}

function getOverallState(tasks: readonly UploadTask[], unfinishedTasks: readonly UploadTask[]): UploadSummary["state"] {
  if (tasks.length === 0) return "empty";
  if (unfinishedTasks.some(({ status }) => status !== "paused")) return "sending";
  if (unfinishedTasks.length > 0) return "paused";
  return tasks.every(({ status }) => status === "done") ? "done" : "stuck";
}

/** Compares name, size and date. For a file from before a reload, only name and size are available. */
export function isSameFile(task: UploadTask, file: File): boolean {
  if (task.size !== file.size) return false;
  if (!task.file) return task.status === "missing" && task.name === file.name;
  return task.file.name === file.name && task.file.lastModified === file.lastModified;
}

export function toFailure(error: unknown): UploadFailure {
  if (error instanceof RequestError) {
    const { message, hint, code, status } = error;
    return { message, hint, code, isPermanent: [400, 410, 413, 415].includes(status) };
  }
  if (error instanceof DOMException) {
    return {
      message: "The file can no longer be read.",
      hint: "It was changed, moved or deleted. Choose it again.",
      isPermanent: true,
    };
  }
  return {
    message: "Something went wrong on this page.",
    hint: "Reload the page. Files that were already uploaded are kept.",
    isPermanent: false,
  };
}
