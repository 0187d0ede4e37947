import { type MediaMetadata, unknownMetadata } from "#domain/model/asset.ts";
import type { ByteSource } from "#domain/ports/byte-source.ts";
import { createBoundedReader, type ReadPiece } from "./bounded-reader.ts";
import { readIsobmff } from "./isobmff.ts";
import { readWebm } from "./webm.ts";

/** MPEG program and transport streams have no header with size and duration, so their metadata is unknown. */
const readers: Readonly<Record<string, (read: ReadPiece, bytes: number) => Promise<MediaMetadata>>> = {
  "video/mp4": readIsobmff,
  "video/quicktime": readIsobmff,
  "video/x-m4v": readIsobmff,
  "video/webm": readWebm,
};

/** Reads width, height and duration from a video's headers without decoding it. Stops reading when `signal` aborts. */
export async function readVideoMetadata(
  source: ByteSource,
  mimeType: string,
  signal: AbortSignal,
): Promise<MediaMetadata> {
  const readMetadata = readers[mimeType];
  return readMetadata ? readMetadata(createBoundedReader(source, signal), source.bytes) : unknownMetadata;
}
