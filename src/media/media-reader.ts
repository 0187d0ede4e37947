import { type MediaMetadata, unknownMetadata } from "#domain/model/asset.ts";
import type { MediaReader } from "#domain/ports/media.ts";
import { createBoundedReader, type ReadPiece } from "./bounded-reader.ts";
import { createImageConverter } from "./image-converter.ts";
import { readIsobmff } from "./isobmff.ts";
import { readWebm } from "./webm.ts";

/** Reading metadata takes milliseconds for any file; this limits the wait for a slow store. */
const timeoutMs = 3000;

/** MPEG program and transport streams have no header with size and duration, so their metadata is unknown. */
const readers: Readonly<Record<string, (read: ReadPiece, bytes: number) => Promise<MediaMetadata>>> = {
  "video/mp4": readIsobmff,
  "video/quicktime": readIsobmff,
  "video/x-m4v": readIsobmff,
  "video/webm": readWebm,
};

export const createMediaReader = (): MediaReader => ({
  ...createImageConverter(),
  /** Decodes no frames. Returns `unknownMetadata` if the headers can't be read in time; the file is stored anyway. */
  async readVideoMetadata(source, mimeType) {
    const readMetadata = readers[mimeType];
    if (!readMetadata) return unknownMetadata;
    const controller = new AbortController();
    const { promise: timeout, resolve } = Promise.withResolvers<MediaMetadata>();
    using _ = setTimeout(resolve, timeoutMs, unknownMetadata);
    try {
      const metadata = readMetadata(createBoundedReader(source, controller.signal), source.bytes);
      return await Promise.race([metadata.catch(() => unknownMetadata), timeout]);
    } finally {
      controller.abort();
    }
  },
});
