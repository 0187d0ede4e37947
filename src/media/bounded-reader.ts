import type { ByteSource } from "#domain/ports/byte-source.ts";

/** The size of one range request to the store. A typical file needs two to four. */
const windowBytes = 64 * 1024;
const maxWindows = 16;
/** A hundred times as many as the headers of real files need. */
const maxPieces = 1000;

/** Returns up to `length` bytes from `start`; fewer or none at the end of the file or when the limits are reached. */
export type ReadPiece = (start: number, length: number) => Promise<Buffer>;

/** The content of a box or element: from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Reads small pieces of an untrusted file. Store requests, pieces and memory have fixed limits that no value in the file
 * can raise. Read pieces in ascending order: only one window is cached.
 */
export function createBoundedReader(source: ByteSource, signal: AbortSignal): ReadPiece {
  let window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  let windowCount = 0;
  let pieceCount = 0;

  return async (start, length) => {
    const end = Math.min(start + length, source.bytes);
    if (start >= end || ++pieceCount > maxPieces) return Buffer.alloc(0);
    if (start < window.start || end > window.start + window.bytes.length) {
      if (++windowCount > maxWindows || signal.aborted) return Buffer.alloc(0);
      const bytes = await source.read(start, start + windowBytes);
      window = { start, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
    }
    return window.bytes.subarray(start - window.start, end - window.start);
  };
}

/** Returns undefined if `header` is not valid. A child must end after its header, so that reading makes progress. */
export type ParseHeader<T extends ByteRange> = (header: Buffer, at: number, parent: ByteRange) => T | undefined;

/** Yields the direct children of a box or element, without their content. Callers descend to a fixed depth. */
export async function* readChildren<T extends ByteRange>(
  read: ReadPiece,
  parent: ByteRange,
  parseHeader: ParseHeader<T>,
): AsyncGenerator<T> {
  for (let at = parent.start; at < parent.end;) {
    const child = parseHeader(await read(at, 16), at, parent);
    if (!child) return;
    yield child;
    at = child.end;
  }
}
