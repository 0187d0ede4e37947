import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { undefinedIfMissing, withDiskErrors } from "./disk-faults.ts";

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
