import type { ImageConverter, ImageInspection, RenderedImage } from "#domain/renditions/ports.ts";
import type { ByteSource } from "#domain/assets/content/byte-source.ts";
import {
  createImageProcesses,
  defaultLimits,
  type ImageProcessLimits,
  type ImageTask,
  type ImageTaskResult,
} from "./image-process-pool.ts";
import { createSingleFlight } from "./queue.ts";

/** An image is read into memory before it is decoded. */
const maxImageBytes = 100 * 1024 * 1024;

/** Opens images in processes of their own, which can be killed. */
export function createImageConverter(limits: Partial<ImageProcessLimits> = {}): ImageConverter {
  const runTask = createImageProcesses({ ...defaultLimits, ...limits });
  const runOncePerKey = createSingleFlight<ImageTaskResult>();

  const run = (
    key: string,
    source: ByteSource,
    createTask: (file: Uint8Array) => ImageTask,
  ): Promise<ImageTaskResult | undefined> =>
    runOncePerKey(key, async (skipRetries) => {
      if (source.bytes > maxImageBytes) return { problem: "too_many_pixels" };
      const result = await runTask(async () => createTask(await source.read(0, source.bytes)));
      if (!result) skipRetries();
      return result;
    });

  return {
    inspectImage: async (key, source) =>
      (await run(key, source, (file) => ({ kind: "inspect", file }))) as ImageInspection | undefined,
    createRendition: async (key, source, plan) =>
      (await run(key, source, (file) => ({ kind: "render", file, plan }))) as
        | RenderedImage
        | { problem: "unreadable" | "too_many_pixels" | "too_large" }
        | undefined,
  };
}
