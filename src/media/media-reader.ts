import type { MediaMetadata } from "#domain/assets/model/asset.ts";
import { canHaveThumbnail, unknownMetadata, type MediaReader } from "#domain/assets/model/media-metadata.ts";
import { createImageConverter } from "./image-converter.ts";
import { createQueue, createSingleFlight } from "./queue.ts";
import { readVideoMetadata } from "./video-metadata.ts";

/** Reading metadata takes milliseconds for any file; this limits the wait for a slow store. */
const timeoutMs = 3000;
/** Each thumbnail may use a core, and memory for all pixels of its image. */
const maxConcurrentThumbnails = 2;
/** An image is read into memory before it is decoded. */
const maxImageBytes = 100 * 1024 * 1024;
/** If decoding fails after more than this, the image is not retried for a while. */
const slowFailureMs = 500;

export function createMediaReader(): MediaReader {
  let loadedImages: ReturnType<typeof loadImages> | undefined;
  const getImages = () => (loadedImages ??= loadImages());
  const enqueue = createQueue(maxConcurrentThumbnails);
  const runOncePerKey = createSingleFlight<Uint8Array>();
  return {
    ...createImageConverter(),
    async readMetadata(source, mimeType) {
      if (mimeType.startsWith("image/"))
        return readOrUnknown(async () => (await getImages()).readImageMetadata(source));
      if (mimeType.startsWith("video/")) return readOrUnknown((signal) => readVideoMetadata(source, mimeType, signal));
      return unknownMetadata;
    },
    async createThumbnail(key, source, mimeType) {
      if (!canHaveThumbnail(mimeType) || source.bytes > maxImageBytes) return undefined;
      return runOncePerKey(key, (skipRetries) =>
        enqueue(async () => {
          const bytes = await source.read(0, source.bytes); // not caught: only decoding may fail silently
          const { createThumbnail } = await getImages();
          const startedAt = performance.now();
          return createThumbnail(bytes).catch(() => {
            if (performance.now() - startedAt > slowFailureMs) skipRetries();
            return undefined;
          });
        }),
      );
    },
  };
}

/** Loads sharp when the first image needs it, because it takes 20 MB of memory. */
async function loadImages() {
  const { restrictSharp, readImageMetadata, createThumbnail } = await import("./images.ts");
  // sharp's own cache and threads would exceed the limit of `maxConcurrentThumbnails`.
  restrictSharp();
  return { readImageMetadata, createThumbnail };
}

/** Returns `unknownMetadata` if the metadata can't be read in time; the file is stored anyway. */
async function readOrUnknown(readMetadata: (signal: AbortSignal) => Promise<MediaMetadata>): Promise<MediaMetadata> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<MediaMetadata>((resolve) => {
    timer = setTimeout(() => resolve(unknownMetadata), timeoutMs);
  });
  try {
    return await Promise.race([readMetadata(controller.signal).catch(() => unknownMetadata), timeout]);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
