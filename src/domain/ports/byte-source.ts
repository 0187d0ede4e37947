import { AppError } from "#lib/errors.ts";
import type { FileStore } from "./file-store.ts";

/** Random access to bytes that need not be in memory. */
export interface ByteSource {
  bytes: number;
  /** Reads from `start` (inclusive) to `end` (exclusive). At the end of the file, the result is shorter. */
  read(start: number, end: number): Promise<Uint8Array>;
}

export const createBufferSource = (buffer: Uint8Array): ByteSource => ({
  bytes: buffer.length,
  read: async (start, end) => buffer.subarray(start, end),
});

/** Enough for every signature, and usually for the metadata that precedes an image's dimensions. */
export const headBytes = 64 * 1024;

export function createStoredFileSource(
  files: Pick<FileStore, "read">,
  key: string,
  bytes: number,
  signal?: AbortSignal,
): ByteSource {
  // Fetched once, because several checks read the start of the file.
  let head: Promise<Uint8Array> | undefined;
  const readRange = async (start: number, end: number): Promise<Uint8Array> => {
    if (start >= bytes) return new Uint8Array();
    const chunks: Uint8Array[] = [];
    const lastIndex = Math.min(end, bytes) - 1;
    for await (const chunk of await files.read(key, { start, end: lastIndex }, signal))
      chunks.push(chunk as Uint8Array);
    const content = Buffer.concat(chunks);
    if (content.length !== lastIndex + 1 - start) throw new AppError("storage_unavailable:truncated");
    return content;
  };
  return {
    bytes,
    async read(start, end) {
      if (end > headBytes) return readRange(start, end);
      head ??= readRange(0, headBytes);
      return (await head).subarray(start, end);
    },
  };
}
