import sharp from "sharp";
import type { MediaMetadata } from "#domain/assets/model/asset.ts";
import { canHaveThumbnail, unknownMetadata, type MediaReader } from "#domain/assets/model/media-metadata.ts";
import { createQueue, createSingleFlight } from "./queue.ts";
import { createThumbnail, readImageMetadata, restrictDecoders } from "./images.ts";
import { describeVideo } from "./describe-video.ts";

/** For a slow file store; reading itself takes milliseconds, whatever the file. */
const timeoutMs = 3000;
/** Pictures opened at once: each may take a core, and memory for all its pixels. */
const atOnce = 2;
/** A picture is read into memory to be opened. */
const maxPictureBytes = 100 * 1024 * 1024;
/** A picture that could not be opened, and took so long to say so, is not tried again for a while. */
const costlyMs = 500;

export function createMediaReader(): MediaReader {
  // The library's own cache and threads would multiply what `atOnce` allows.
  sharp.cache(false);
  sharp.concurrency(1);
  restrictDecoders();
  const inTurn = createQueue(atOnce);
  const attempt = createSingleFlight<Uint8Array>();
  return {
    async readMetadata(source, mimeType) {
      if (mimeType.startsWith("image/")) return orUnknown(() => readImageMetadata(source));
      if (mimeType.startsWith("video/")) return orUnknown((signal) => describeVideo(source, mimeType, signal));
      return unknownMetadata;
    },
    async createThumbnail(key, source, mimeType) {
      if (!canHaveThumbnail(mimeType) || source.bytes > maxPictureBytes) return undefined;
      return attempt(key, (notAgain) =>
        inTurn(async () => {
          const bytes = await source.read(0, source.bytes); // what the store has to say of it is not the picture's fault
          const began = performance.now();
          return createThumbnail(bytes).catch(() => {
            if (performance.now() - began > costlyMs) notAgain();
            return undefined;
          });
        }),
      );
    },
  };
}

/** A file is stored without metadata where they can't be read, or not in time. */
async function orUnknown(describe: (signal: AbortSignal) => Promise<MediaMetadata>): Promise<MediaMetadata> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<MediaMetadata>((resolve) => {
    timer = setTimeout(() => resolve(unknownMetadata), timeoutMs);
  });
  try {
    return await Promise.race([describe(ending.signal).catch(() => unknownMetadata), timeout]);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}
