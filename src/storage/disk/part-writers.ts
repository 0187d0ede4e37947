import { existsSync } from "node:fs";
import { open, readdir, stat, unlink, utimes, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, notFoundError } from "#lib/errors.ts";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";
import { writeAll } from "./write-file.ts";
import { readBatches, type Batch } from "../read-batches.ts";

export interface PartWriters {
  /** Writes a body of exactly `bytes` bytes at `offset` of the folder's data file, durably. */
  write(partWrite: PartWrite): Promise<void>;
  /** Aborts the writers of this process and waits for them to end. */
  stop(folder: string): Promise<void>;
  /**
   * Aborts the writers of this process, then waits until no other process writes to the closed folder. Resolves to
   * false after a timeout.
   */
  waitUntilIdle(folder: string): Promise<boolean>;
}

export interface PartWrite {
  folder: string;
  part: number;
  body: AsyncIterable<Uint8Array>;
  offset: number;
  bytes: number;
  /** Called when no other request of this process writes the part. Resolves to false if the part is already complete. */
  onStart(): Promise<boolean>;
  /** Called when the bytes are durable. */
  onFinish(): Promise<void>;
}

/** Received bytes are synced in the background after this many, so that the sync at the end of a part is short. */
const syncBytes = 8 * 1024 * 1024;
const heartbeatMs = 2000;
/** A marker without a heartbeat for this long belongs to a process that died. */
const staleMs = 10_000;
const idleTimeoutMs = 12_000;

interface ActiveWriter {
  controller: AbortController;
  completion: Promise<unknown>;
}

/**
 * Coordinates part writers across processes. A writer creates a marker file before it checks whether the folder is
 * closed, and checks again before every write. Once a process has closed the folder and finds no marker, the data can
 * no longer change.
 */
export function createPartWriters(newName: () => string): PartWriters {
  const activeWriters = new Map<string, ActiveWriter>();

  async function stop(
    folder: string,
    slots = [...activeWriters.keys()].filter((slot) => slot.startsWith(`${folder}#`)),
  ): Promise<void> {
    const writers = slots.flatMap((slot) => activeWriters.get(slot) ?? []);
    for (const { controller } of writers) controller.abort(new AppError("invalid_input:part_superseded"));
    await Promise.all(writers.map(({ completion }) => completion));
  }

  return {
    stop: (folder) => stop(folder),

    async write(partWrite) {
      const { folder, part } = partWrite;
      const slot = `${folder}#${part}`;
      // A client may retry before the server notices the broken connection, so the newer request wins.
      while (activeWriters.has(slot)) await stop(folder, [slot]);
      const controller = new AbortController();
      const work = writePart(partWrite, join(folder, `w-${part}-${newName()}`), controller);
      activeWriters.set(slot, {
        controller,
        completion: work.catch(() => {}).then(() => void activeWriters.delete(slot)),
      });
      await work;
    },

    async waitUntilIdle(folder) {
      await stop(folder);
      for (const end = Date.now() + idleTimeoutMs; Date.now() < end; await sleep(100)) {
        if ((await countFreshMarkers(folder)) === 0) return true;
      }
      return false;
    },
  };
}

async function countFreshMarkers(folder: string): Promise<number> {
  const markers = ((await undefinedIfMissing(readdir(folder))) ?? []).filter((name) => name.startsWith("w-"));
  const markerStats = await Promise.all(markers.map((name) => undefinedIfMissing(stat(join(folder, name)))));
  return markerStats.filter((stats) => stats && stats.mtimeMs > Date.now() - staleMs).length;
}

async function writePart(partWrite: PartWrite, markerPath: string, controller: AbortController): Promise<void> {
  const { folder, body, bytes } = partWrite;
  const markerFile = await undefinedIfMissing(open(markerPath, "wx", 0o600));
  if (!markerFile) throw uploadClosedError();
  await markerFile.close();
  // Synchronous: nothing may run between the check and the write. existsSync also avoids an ENOENT error per check.
  const assertOpen = () => {
    if (existsSync(join(folder, "closed"))) throw uploadClosedError();
  };
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(markerPath, now, now)
      .then(assertOpen)
      .catch((error: unknown) => controller.abort(error));
  }, heartbeatMs).unref();
  let file: FileHandle | undefined;
  try {
    assertOpen();
    const batches = readBatches(body, { maxBytes: bytes, signal: controller.signal });
    if (!(await partWrite.onStart())) return await drainBody(batches);
    file = await withDiskErrors(open(join(folder, "data"), "r+"));
    await copyBody(file, batches, partWrite, assertOpen);
    await withDiskErrors(file.datasync());
    await partWrite.onFinish();
  } finally {
    clearInterval(heartbeat);
    await file?.close().catch(() => {});
    await unlink(markerPath).catch(() => {});
  }
}

/** Receives one batch while the previous one is written, so at most two batches are in memory. */
async function copyBody(
  file: FileHandle,
  batches: AsyncIterable<Batch>,
  { offset, bytes }: PartWrite,
  assertOpen: () => void,
): Promise<void> {
  let receivedBytes = 0;
  let pendingWrite = Promise.resolve();
  let pendingSync: Promise<void> | undefined;
  let syncStart = 0;
  const syncInBackground = (): void => {
    if (pendingSync || receivedBytes - syncStart < syncBytes) return;
    syncStart = receivedBytes;
    pendingSync = withDiskErrors(file.datasync()).then(() => (pendingSync = undefined));
    // Only prevents an unhandled rejection: `await pendingSync` at the end of copyBody throws the error.
    pendingSync.catch(() => {});
  };
  try {
    for await (const batch of batches) {
      await pendingWrite;
      syncInBackground();
      assertOpen();
      pendingWrite = writeAll(file, batch.chunks, offset + receivedBytes);
      // Only prevents an unhandled rejection: the next `await pendingWrite` throws the error.
      pendingWrite.catch(() => {});
      receivedBytes += batch.bytes;
    }
    if (receivedBytes < bytes) throw tooShortError();
  } finally {
    await Promise.allSettled([pendingWrite, pendingSync]); // never close the file during a write
  }
  await pendingWrite;
  await pendingSync;
}

/** The part is already complete. Reads the body to its end, so that the client receives the response. */
async function drainBody(batches: AsyncIterable<Batch>): Promise<void> {
  for await (const _ of batches);
}

const uploadClosedError = (): AppError => notFoundError("upload");

export const tooShortError = (): AppError => new AppError("invalid_input:part_too_short");
