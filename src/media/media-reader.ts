import { type MediaMetadata, unknownMetadata } from "#domain/model/asset.ts";
import type { MediaReader } from "#domain/ports/media.ts";
import { createImageConverter } from "./image-converter.ts";
import { readVideoMetadata } from "./video-metadata.ts";

/** Reading metadata takes milliseconds for any file; this limits the wait for a slow store. */
const timeoutMs = 3000;

export const createMediaReader = (): MediaReader => ({
  ...createImageConverter(),
  readVideoMetadata: (source, mimeType) => readOrUnknown((signal) => readVideoMetadata(source, mimeType, signal)),
});

/** Returns `unknownMetadata` if the metadata can't be read in time; the file is stored anyway. */
async function readOrUnknown(readMetadata: (signal: AbortSignal) => Promise<MediaMetadata>): Promise<MediaMetadata> {
  const controller = new AbortController();
  const { promise: timeout, resolve } = Promise.withResolvers<MediaMetadata>();
  using _ = setTimeout(resolve, timeoutMs, unknownMetadata);
  try {
    return await Promise.race([readMetadata(controller.signal).catch(() => unknownMetadata), timeout]);
  } finally {
    controller.abort();
  }
}
