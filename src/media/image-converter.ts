import type { ImageConverter, ImageRequest, RenderedImage } from "#domain/ports/media.ts";
import type { ImageInspection } from "#domain/model/renditions/plan-rendition.ts";
import type { ByteSource } from "#domain/ports/byte-source.ts";
import {
  createImageProcessPool,
  defaultLimits,
  type ImageProcessLimits,
  type ImageTask,
  type ImageTaskResult,
} from "./image-process-pool.ts";
import { createSingleFlight, type SingleFlightWork } from "./single-flight.ts";

/** Larger files are rejected, because a process reads a file into memory before it decodes it. */
const maxImageBytes = 100 * 1024 * 1024;

/** After this many attempts that took too long or needed too much memory, an image counts as unreadable. */
const maxFailedInspections = 3;
const maxRememberedImages = 10_000;

/** Opens images in child processes, which can be killed. */
export function createImageConverter(limits: Partial<ImageProcessLimits> = {}): ImageConverter {
  const pool = createImageProcessPool({ ...defaultLimits, ...limits });
  const runOncePerKey = createSingleFlight<ImageTaskResult>();
  const requestsByKey = new Map<string, ImageRequest[]>();
  const failedInspections = new Map<string, number>();

  const run = async <Result extends ImageTaskResult>(
    request: ImageRequest,
    source: ByteSource,
    task: ImageTask,
    onFailure?: () => ImageTaskResult | undefined,
  ): Promise<Result | undefined> => {
    const { key, imageKey, isUrgent } = request;
    const isThumbnail = task.kind === "thumbnail";
    const requests = requestsByKey.get(key) ?? [];
    requests.push(request);
    requestsByKey.set(key, requests);
    const work: SingleFlightWork<ImageTaskResult> = async (skipRetries) => {
      // Reported like too many pixels: in both cases, the user exports a smaller image.
      if (source.bytes > maxImageBytes) return { problem: "too_many_pixels" };
      const result = await pool.run(requests, task, source);
      if (!result || (result.value && !(isThumbnail && "problem" in result.value))) return result?.value;
      skipRetries();
      return onFailure?.();
    };
    try {
      // After a preview has failed because it was too expensive, other previews of the same image are skipped for a
      // while: they would fail too. Thumbnails, and renditions for publications, are still attempted.
      return (await runOncePerKey(key, work, isUrgent || isThumbnail ? key : imageKey)) as Result | undefined;
    } finally {
      requestsByKey.delete(key);
    }
  };

  const countFailedInspection = (imageKey: string): ImageInspection | undefined => {
    const failureCount = (failedInspections.get(imageKey) ?? 0) + 1;
    failedInspections.delete(imageKey);
    const [oldest] = failedInspections.keys();
    if (failedInspections.size >= maxRememberedImages && oldest !== undefined) failedInspections.delete(oldest);
    if (failureCount < maxFailedInspections) failedInspections.set(imageKey, failureCount);
    return failureCount < maxFailedInspections ? undefined : { problem: "unreadable" };
  };

  return {
    inspectImage: (request, source) =>
      run(request, source, { kind: "inspect" }, () => countFailedInspection(request.imageKey)),
    createRendition: (request, source, plan) => run(request, source, { kind: "render", plan }),
    async createThumbnail(request, source) {
      const result = await run<RenderedImage | { problem: "unreadable" }>(request, source, { kind: "thumbnail" });
      return result && "content" in result ? result.content : undefined;
    },
    close: pool.close,
  };
}
