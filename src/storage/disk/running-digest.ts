import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";

/** The digest of a file, computed while its parts arrive. */
export interface RunningDigest {
  /** Hashes the bytes before `end`, which must be final, in the background. */
  advanceTo(end: number): void;
  /** Hashes the remaining bytes; resolves to the digest, or undefined if the file is missing or shorter than `bytes`. */
  finish(bytes: number): Promise<string | undefined>;
}

const chunkBytes = 1024 * 1024;
const maxPooledBuffers = 4;
/** A few read buffers to use again: allocating one per part would cost more than reading. */
const pooledBuffers: Buffer[] = [];

/**
 * Hashing a large file after its last part has arrived would take long. Reads the parts as they complete instead, while
 * they are still in the page cache. Keeps no file open between parts.
 */
export function createRunningDigest(path: string): RunningDigest {
  const hash = createHash("sha256");
  let digest: string | undefined;
  let offset = 0;
  let targetOffset = 0;
  let pendingRun: Promise<void> | undefined;

  async function run(): Promise<void> {
    const file = await undefinedIfMissing(open(path, "r"));
    if (!file) return;
    const buffer = pooledBuffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
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
      if (pooledBuffers.length < maxPooledBuffers) pooledBuffers.push(buffer);
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
      if (offset !== bytes) return undefined;
      // `finish` is called again if storing the file failed, but a hash can be finished only once.
      digest ??= hash.digest("hex");
      return digest;
    },
  };
}
