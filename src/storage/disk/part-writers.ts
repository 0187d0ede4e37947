import { existsSync } from "node:fs";
import { open, readdir, stat, unlink, utimes, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/errors.ts";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";
import { writeAll } from "./write-file.ts";
import { tooLargeError } from "../check-key.ts";
import { untilAborted } from "../until-aborted.ts";

export interface PartWriters {
  /** Writes a body of exactly `bytes` to `offset` of the folder's data, durably. */
  write(
    folder: string,
    part: number,
    body: AsyncIterable<Uint8Array>,
    range: { offset: number; bytes: number },
    steps: WriteSteps,
  ): Promise<void>;
  /** Ends the writers of this process. */
  stop(folder: string): Promise<void>;
  /** Waits, after the folder was closed, until no process writes to it any more; false where one still does. */
  waitUntilIdle(folder: string): Promise<boolean>;
}

export interface WriteSteps {
  /** Called when nobody else of this process writes the part; false where it has come meanwhile. */
  onStart(): Promise<boolean>;
  /** Called when the bytes are durable. */
  onFinish(): Promise<void>;
}

const batchBytes = 1024 * 1024;
const heartbeatMs = 2000;
/** A mark that nobody touched for so long is that of a process that died. */
const staleMs = 10_000;
const idleTimeoutMs = 12_000;

interface ActiveWriter {
  control: AbortController;
  completion: Promise<unknown>;
}

/**
 * Who writes parts right now. A writer leaves a mark beside the data before it looks whether the folder is closed, and
 * looks again before every write: whoever closes the folder and then sees no mark knows that nothing changes any more,
 * also where the writer is another process.
 */
export function createPartWriters(newName: () => string): PartWriters {
  const active = new Map<string, ActiveWriter>();

  async function stop(
    folder: string,
    slots = [...active.keys()].filter((slot) => slot.startsWith(`${folder}#`)),
  ): Promise<void> {
    const writers = slots.flatMap((slot) => active.get(slot) ?? []);
    for (const { control } of writers) control.abort(new AppError("invalid_input:part_superseded"));
    await Promise.all(writers.map(({ completion }) => completion));
  }

  return {
    stop: (folder) => stop(folder),

    async write(folder, part, body, range, steps) {
      const slot = `${folder}#${part}`;
      // A sender whose connection broke begins again before we have noticed: the newer one is right.
      while (active.has(slot)) await stop(folder, [slot]);
      const control = new AbortController();
      const work = writePart({
        folder,
        mark: join(folder, `w-${part}-${newName()}`),
        body,
        range,
        steps,
        control,
      });
      active.set(slot, { control, completion: work.catch(() => {}).then(() => void active.delete(slot)) });
      await work;
    },

    async waitUntilIdle(folder) {
      await stop(folder);
      for (const end = Date.now() + idleTimeoutMs; Date.now() < end; await sleep(100)) {
        if ((await countFreshMarks(folder)) === 0) return true;
      }
      return false;
    },
  };
}

async function countFreshMarks(folder: string): Promise<number> {
  const marks = ((await undefinedIfMissing(readdir(folder))) ?? []).filter((name) => name.startsWith("w-"));
  const entries = await Promise.all(marks.map((name) => undefinedIfMissing(stat(join(folder, name)))));
  return entries.filter((entry) => entry && entry.mtimeMs > Date.now() - staleMs).length;
}

interface PartWrite {
  folder: string;
  mark: string;
  body: AsyncIterable<Uint8Array>;
  range: { offset: number; bytes: number };
  steps: WriteSteps;
  control: AbortController;
}

async function writePart({ folder, mark, body, range, steps, control }: PartWrite): Promise<void> {
  const markFile = await undefinedIfMissing(open(mark, "wx", 0o600));
  if (!markFile) throw uploadClosedError();
  await markFile.close();
  // Not awaited: nothing may come between the look and the write, and a look that finds nothing costs no error so.
  const checkOpen = () => {
    if (existsSync(join(folder, "closed"))) throw uploadClosedError();
  };
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(mark, now, now)
      .then(checkOpen)
      .catch((error: unknown) => control.abort(error));
  }, heartbeatMs).unref();
  let file: FileHandle | undefined;
  try {
    checkOpen();
    if (!(await steps.onStart())) return await drainBody(body, range.bytes);
    file = await withDiskErrors(open(join(folder, "data"), "r+"));
    await copyBody(file, untilAborted(body, control.signal), range, checkOpen);
    await withDiskErrors(file.datasync());
    await steps.onFinish();
  } finally {
    clearInterval(heartbeat);
    await file?.close().catch(() => {});
    await unlink(mark).catch(() => {});
  }
}

/** Gathers one batch while the one before is written: two batches in memory, whatever the size. */
async function copyBody(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { offset, bytes }: PartWrite["range"],
  checkOpen: () => void,
): Promise<void> {
  let receivedBytes = 0;
  let writtenBytes = 0;
  let batch: Uint8Array[] = [];
  let writing = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    const chunks = batch;
    const position = offset + writtenBytes;
    writtenBytes = receivedBytes;
    batch = [];
    checkOpen();
    writing = writeAll(file, chunks, position);
    writing.catch(() => {}); // seen by the next await
  };
  try {
    for await (const chunk of body) {
      receivedBytes += chunk.length;
      if (receivedBytes > bytes) throw tooLargeError();
      batch.push(chunk);
      if (receivedBytes - writtenBytes >= batchBytes) await flush();
    }
    if (receivedBytes < bytes) throw tooShortError();
    await flush();
  } finally {
    await writing.catch(() => {}); // never close a file under a write
  }
  await writing;
}

/** The part is there already. The sender gets to the end of what it sends, and its answer. */
async function drainBody(body: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
  let receivedBytes = 0;
  for await (const chunk of body) {
    receivedBytes += chunk.length;
    if (receivedBytes > bytes) throw tooLargeError();
  }
}

const uploadClosedError = (): AppError => new AppError("forbidden:file_url");

export const tooShortError = (): AppError => new AppError("invalid_input:part_too_short");
