import { Worker } from "node:worker_threads";
import type { MediaFacts } from "#domain/assets/asset.ts";
import type { ByteSource } from "#domain/assets/byte-source.ts";
import { unknownFacts } from "#domain/assets/media.ts";
import type { FromWorker, ToWorker } from "./video-worker.ts";

/** What one look may read: the tables of a long film, not the film. */
const maxReadBytes = 16 * 1024 * 1024;
const maxReads = 100;
/** Starting a thread takes longer than most looks; one that nobody needs for so long gives its memory back. */
const idleMs = 60_000;

export type DescribeVideo = (source: ByteSource, patienceMs: number) => Promise<MediaFacts>;

/**
 * Duration and measures from a video's own tables, over ranged reads. Forty bytes of a stranger's can lead a parser in
 * circles, so it runs on a thread of its own, which is ended when the time is over, and whose words, in which bytes of
 * the file stand, go nowhere. A thread that answered serves the next look.
 */
export function createVideoReader(): DescribeVideo {
  const idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  let looks = 0;

  const take = (): Worker => {
    const free = idle.pop();
    if (!free) return startWorker();
    clearTimeout(free.end);
    return free.worker;
  };
  const giveBack = (worker: Worker): void => {
    const end = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.worker === worker),
        1,
      );
      void worker.terminate();
    }, idleMs);
    idle.push({ worker, end: end.unref() });
  };

  return async (source, patienceMs) => {
    const worker = take();
    try {
      const facts = await look(worker, ++looks, source, patienceMs);
      giveBack(worker);
      return facts;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      worker.removeAllListeners("message").removeAllListeners("exit");
    }
  };
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./video-worker.ts", import.meta.url), {
    stdout: true,
    stderr: true,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.unref();
  // What it dies of is told by its end.
  return worker.on("error", () => {});
}

function look(worker: Worker, id: number, source: ByteSource, patienceMs: number): Promise<MediaFacts> {
  const tell = (message: ToWorker): void => worker.postMessage(message, []);
  let timer: NodeJS.Timeout | undefined;
  return new Promise<MediaFacts>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error("a look that takes too long")), patienceMs);
    let reads = 0;
    let bytes = 0;
    const answer = async (start: number, end: number): Promise<void> => {
      bytes += end - start;
      if (++reads > maxReads || bytes > maxReadBytes) throw new Error("more to read than a look is worth");
      tell({ look: id, bytes: await source.read(start, end) });
    };
    worker
      .on("message", (message: FromWorker) => {
        if (message.look !== id) return;
        if ("start" in message) return void answer(message.start, message.end).catch(reject);
        resolve(message.facts ?? unknownFacts);
      })
      .on("exit", () => reject(new Error("the look ended without a word")));
    tell({ look: id, size: source.bytes });
  }).finally(() => clearTimeout(timer));
}
