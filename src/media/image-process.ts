import { createThumbnail, inspectImage, renderImage } from "./convert-image.ts";
import { restrictSharp } from "./images.ts";
import type { ImageReply, ImageTask, ImageTaskResult, ImageTaskMessage } from "./image-process-pool.ts";
import { readBytes } from "./read-bytes.ts";

/**
 * Entry point of the process that opens untrusted images. libvips can't be interrupted, so the parent kills this
 * process if an image takes too long; it kills itself if an image needs too much memory or CPU time, or if the parent
 * has ended.
 */
const [maxMegabytes = 0, maxCpuMs = 0] = process.argv.slice(2).map(Number);
const maxRssBytes = maxMegabytes * 1024 * 1024;
let cpuAtStart = process.cpuUsage();

/** `process.exit` would wait for libvips. */
const killSelf = (): void => void process.kill(process.pid, "SIGKILL");

restrictSharp();

setInterval(() => {
  const { user, system } = process.cpuUsage(cpuAtStart);
  if (process.memoryUsage.rss() > maxRssBytes || user + system > maxCpuMs * 1000) killSelf();
}, 50).unref();
process.on("disconnect", killSelf);
process.on("message", ({ task, bytes }: ImageTaskMessage) => void handleTask(task, bytes));

/** The file arrives on standard input, and a new file leaves on standard output, because messages are copied as a whole. */
async function handleTask(task: ImageTask, bytes: number): Promise<void> {
  cpuAtStart = process.cpuUsage();
  const file = await readBytes(process.stdin, bytes);
  if (!file) return killSelf();
  const result = await runTask(task, file);
  if (!("content" in result)) return reply({ result });
  const { content, ...image } = result;
  reply({ ...image, contentBytes: content.length });
  process.stdout.write(content);
}

const reply = (message: ImageReply): void => void process.send?.(message);

async function runTask(task: ImageTask, file: Uint8Array): Promise<ImageTaskResult> {
  switch (task.kind) {
    case "inspect":
      return inspectImage(file);
    case "thumbnail":
      return createThumbnail(file);
    case "render":
      return renderImage(file, task.plan);
  }
}
