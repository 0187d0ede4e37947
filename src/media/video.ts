import { Worker } from "node:worker_threads";
import type { MediaFacts } from "#domain/assets/asset.ts";
import type { ByteSource } from "#domain/assets/byte-source.ts";
import type { Asked } from "./video-worker.ts";

/** What one look may read: the tables of a long film, not the film. */
const maxReadBytes = 16 * 1024 * 1024;
const maxReads = 100;

/**
 * Duration and measures from a video's own tables, over ranged reads. Forty bytes of a stranger's can lead a parser in
 * circles, so it runs on a thread of its own, which is ended when the time is over, and whose words, in which bytes of
 * the file stand, go nowhere.
 */
export async function describeVideo(source: ByteSource, patienceMs: number): Promise<MediaFacts> {
  const worker = new Worker(new URL("./video-worker.ts", import.meta.url), {
    workerData: source.bytes,
    stdout: true,
    stderr: true,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<MediaFacts>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("a look that takes too long")), patienceMs);
      let reads = 0;
      let bytes = 0;
      const answer = async ({ start, end }: Asked): Promise<void> => {
        bytes += end - start;
        if (++reads > maxReads || bytes > maxReadBytes) throw new Error("more to read than a look is worth");
        worker.postMessage(await source.read(start, end), []);
      };
      worker
        .on("message", (message: Asked | MediaFacts) => {
          if ("start" in message) answer(message).catch(reject);
          else resolve(message);
        })
        .on("error", reject)
        .on("exit", () => reject(new Error("the look ended without a word")));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
