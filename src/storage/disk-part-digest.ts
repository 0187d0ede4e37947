import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { ifThere, io } from "./disk-faults.ts";

/** The digest of a file that grows in parts, taken while it grows. */
export interface RunningDigest {
  /** Everything before `end` is written for good: goes on up to there, in its own time. */
  reach(end: number): void;
  /** Goes on to the end, and answers. Undefined where the file is gone, or shorter. */
  finish(bytes: number): Promise<string | undefined>;
}

const chunkBytes = 1024 * 1024;
const keptBuffers = 4;

/** Buffers to read into, of which a few are kept: a new one for each part would cost more than the reading. */
export interface Buffers {
  take(): Buffer;
  giveBack(buffer: Buffer): void;
}

export function createBuffers(): Buffers {
  const kept: Buffer[] = [];
  return {
    take: () => kept.pop() ?? Buffer.allocUnsafeSlow(chunkBytes),
    giveBack: (buffer) => void (kept.length < keptBuffers && kept.push(buffer)),
  };
}

/**
 * A large file would take long to read through when its last part has come. So it is read behind the senders, while
 * its bytes are still in memory: when the last part has come, little is left. Holds no file between two parts.
 */
export function createRunningDigest(path: string, buffers: Buffers): RunningDigest {
  const hash = createHash("sha256");
  let at = 0;
  let goal = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const file = await ifThere(open(path, "r"));
    if (!file) return;
    const buffer = buffers.take();
    try {
      while (at < goal) {
        const { bytesRead } = await io(file.read(buffer, 0, Math.min(buffer.length, goal - at), at));
        if (bytesRead === 0) return;
        hash.update(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
    } finally {
      buffers.giveBack(buffer);
      await file.close();
    }
  }

  function advance(): Promise<void> {
    running ??= run().finally(() => (running = undefined));
    return running;
  }

  return {
    reach(end) {
      goal = Math.max(goal, end);
      advance().catch(() => {}); // whoever finishes comes to the same place, and hears of it
    },
    async finish(bytes) {
      goal = Math.max(goal, bytes);
      // A run under way may have looked at the goal before it moved.
      for (let before = -1, now = at; now < bytes && now > before; before = now, now = at) await advance();
      return at === bytes ? hash.digest("hex") : undefined;
    },
  };
}
