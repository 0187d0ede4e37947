import { inspectImage, renderImage } from "./convert-image.ts";
import { restrictSharp } from "./images.ts";
import type { ImageTask, ImageTaskResult } from "./image-process-pool.ts";

/**
 * Entry point of the process that opens untrusted images. libvips can't be interrupted, so the parent kills this
 * process if an image takes too long; it ends itself if an image needs too much memory.
 */
const [maxMegabytes = "0"] = process.argv.slice(2);
const maxRssBytes = Number(maxMegabytes) * 1024 * 1024;

restrictSharp();

setInterval(() => {
  if (process.memoryUsage.rss() > maxRssBytes) process.exit(1);
}, 50).unref();
process.on("disconnect", () => process.exit());
process.on("message", (task: ImageTask) => {
  const run = (): Promise<ImageTaskResult> =>
    task.kind === "inspect" ? inspectImage(task.file) : renderImage(task.file, task.plan);
  void run().then((result) => process.send?.(result));
});
