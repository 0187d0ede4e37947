import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";

/** The append-only log of a multipart file: which parts are complete, and which processes wrote parts. */
export interface PartLog {
  completedParts: Set<number>;
  /** Whether this process has appended a line before, so that it need not append a `started` line. */
  hasOwnEntry: boolean;
  /** Whether every line is from this process, so that no other process can have written to the data. */
  isExclusive: boolean;
}

const logFileName = "log";
/** The first character of a line. */
const markers = { started: "+", complete: "=" } as const;
const linePattern = /^([+=])(\d{5}) ([0-9a-f]{12})\n/gm;

export async function createPartLog(folder: string): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "wx", 0o600));
  await log.close();
}

/** Resolves to undefined if the folder does not exist. Ignores a line that a power loss left incomplete. */
export async function readPartLog(folder: string, instanceId: string): Promise<PartLog | undefined> {
  const text = await undefinedIfMissing(readFile(join(folder, logFileName), "latin1"));
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(linePattern)];
  return {
    completedParts: new Set(lines.flatMap(([, marker, part]) => (marker === markers.complete ? [Number(part)] : []))),
    hasOwnEntry: lines.some(([, , , writer]) => writer === instanceId),
    isExclusive: lines.every(([, , , writer]) => writer === instanceId),
  };
}

/**
 * `started`: this process is about to write its first part. `complete`: the part is complete; durable when this
 * resolves.
 */
export async function appendPartLog(
  folder: string,
  event: keyof typeof markers,
  part: number,
  instanceId: string,
): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "a", 0o600));
  try {
    await withDiskErrors(log.write(`${markers[event]}${String(part).padStart(5, "0")} ${instanceId}\n`));
    if (event === "complete") await withDiskErrors(log.datasync());
  } finally {
    await log.close();
  }
}

/** The digest of a file, computed while its parts arrive. */
export interface RunningDigest {
  /** Hashes the bytes before `end`, which must be final, in the background. */
  advanceTo(end: number): void;
  /** Hashes the remaining bytes; resolves to the digest, or undefined if the file is missing or shorter than `bytes`. */
  finish(bytes: number): Promise<string | undefined>;
}

const chunkBytes = 1024 * 1024;
const maxPooledBuffers = 4;

/** Reuses a few read buffers: allocating one per part would cost more than reading. */
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
 * Hashing a large file only after its last part arrived would take long. This reads the parts as they complete, while
 * they are still in the page cache, so little is left at the end. Keeps no file open between parts.
 */
export function createRunningDigest(path: string, bufferPool: BufferPool): RunningDigest {
  const hash = createHash("sha256");
  let offset = 0;
  let targetOffset = 0;
  let pendingRun: Promise<void> | undefined;

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
    pendingRun ??= run().finally(() => (pendingRun = undefined));
    return pendingRun;
  }

  return {
    advanceTo(end) {
      targetOffset = Math.max(targetOffset, end);
      advance().catch(() => {}); // `finish` reads from the same offset and reports the error
    },
    async finish(bytes) {
      targetOffset = Math.max(targetOffset, bytes);
      // A pending run may have read the old target. Repeat until the end, or until a run makes no progress.
      for (let previous = -1, current = offset; current < bytes && current > previous;) {
        await advance();
        previous = current;
        current = offset;
      }
      return offset === bytes ? hash.digest("hex") : undefined;
    },
  };
}
