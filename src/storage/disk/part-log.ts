import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";

/** Which parts are there, and which processes wrote any: lines at the end of one file. */
export interface PartLog {
  completedParts: Set<number>;
  /** Whether this process has a line in it: another one that says no more would only make it longer. */
  hasOwnEntry: boolean;
  /** Whether every line is of this process: then nobody else ever touched the data. */
  isExclusive: boolean;
}

const logFileName = "log";
const linePattern = /^([+=])(\d{5}) ([0-9a-f]{12})\n/gm;

export async function createPartLog(folder: string): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "wx", 0o600));
  await log.close();
}

/** Undefined where there is no such folder. A line that a power cut left half written is none. */
export async function readPartLog(folder: string, instance: string): Promise<PartLog | undefined> {
  const text = await undefinedIfMissing(readFile(join(folder, logFileName), "latin1"));
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(linePattern)];
  return {
    completedParts: new Set(lines.flatMap(([, marker, part]) => (marker === "=" ? [Number(part)] : []))),
    hasOwnEntry: lines.some(([, , , writer]) => writer === instance),
    isExclusive: lines.every(([, , , writer]) => writer === instance),
  };
}

/** `+`: this process is about to write its first part. `=`: the part is there; durable when this resolves. */
export async function appendPartLog(folder: string, marker: "+" | "=", part: number, instance: string): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "a", 0o600));
  try {
    await withDiskErrors(log.write(`${marker}${String(part).padStart(5, "0")} ${instance}\n`));
    if (marker === "=") await withDiskErrors(log.datasync());
  } finally {
    await log.close();
  }
}

/** The digest of a file that grows in parts, taken while it grows. */
export interface RunningDigest {
  /** Everything before `end` is written for good: goes on up to there, in its own time. */
  advanceTo(end: number): void;
  /** Goes on to the end, and answers. Undefined where the file is gone, or shorter. */
  finish(bytes: number): Promise<string | undefined>;
}

const chunkBytes = 1024 * 1024;
const maxPooledBuffers = 4;

/** Buffers to read into, of which a few are kept: a new one for each part would cost more than the reading. */
export interface BufferPool {
  acquire(): Buffer;
  release(buffer: Buffer): void;
}

export function createBufferPool(): BufferPool {
  const pool: Buffer[] = [];
  return {
    acquire: () => pool.pop() ?? Buffer.allocUnsafeSlow(chunkBytes),
    release: (buffer) => void (pool.length < maxPooledBuffers && pool.push(buffer)),
  };
}

/**
 * A large file would take long to read through when its last part has come. So it is read behind the senders, while
 * its bytes are still in memory: when the last part has come, little is left. Holds no file between two parts.
 */
export function createRunningDigest(path: string, bufferPool: BufferPool): RunningDigest {
  const hash = createHash("sha256");
  let offset = 0;
  let targetOffset = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const file = await undefinedIfMissing(open(path, "r"));
    if (!file) return;
    const buffer = bufferPool.acquire();
    try {
      while (offset < targetOffset) {
        const { bytesRead } = await withDiskErrors(
          file.read(buffer, 0, Math.min(buffer.length, targetOffset - offset), offset),
        );
        if (bytesRead === 0) return;
        hash.update(buffer.subarray(0, bytesRead));
        offset += bytesRead;
      }
    } finally {
      bufferPool.release(buffer);
      await file.close();
    }
  }

  function advance(): Promise<void> {
    running ??= run().finally(() => (running = undefined));
    return running;
  }

  return {
    advanceTo(end) {
      targetOffset = Math.max(targetOffset, end);
      advance().catch(() => {}); // whoever finishes comes to the same place, and hears of it
    },
    async finish(bytes) {
      targetOffset = Math.max(targetOffset, bytes);
      // A run under way may have looked at the goal before it moved.
      for (let before = -1, now = offset; now < bytes && now > before; before = now, now = offset) await advance();
      return offset === bytes ? hash.digest("hex") : undefined;
    },
  };
}
