import type { ByteSource } from "./byte-source.ts";

/** The size of one range request to the store. The walk never blocks the event loop for longer than one window takes. */
const windowBytes = 1024 * 1024;

/** How many bytes of each part are available to `VisitPart`; fewer at the end of the file. */
const visibleBytes = 512;

/** Receives a part of a file, which starts at `at` in `window`. Returns the length of the part; undefined ends the walk. */
export type VisitPart = (window: Buffer, at: number, position: number) => number | undefined;

/**
 * Visits the parts (chunks, segments, boxes) of a file in order, up to its end, however many and long they are. Reads
 * only the windows in which parts start. `head` is the start of the file.
 */
export async function walkFile(source: ByteSource, head: Uint8Array, start: number, visit: VisitPart): Promise<void> {
  let window = toBuffer(head);
  let windowStart = 0;
  for (let position = start; position < source.bytes;) {
    if (Math.min(position + visibleBytes, source.bytes) > windowStart + window.length) {
      window = toBuffer(await source.read(position, position + windowBytes));
      windowStart = position;
    }
    const length = visitPart(visit, window, position - windowStart, position);
    if (length === undefined || length <= 0) return;
    position += length;
  }
}

function visitPart(visit: VisitPart, window: Buffer, at: number, position: number): number | undefined {
  try {
    return visit(window, at, position);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file ends in this part
    throw error;
  }
}

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
