import { setImmediate as nextIteration } from "node:timers/promises";
import type { ByteSource } from "../../ports/byte-source.ts";

/** The largest GIF has 206,000 sub-blocks; every other real file has far fewer parts. */
export const maxParts = 300_000;

/** How many parts are visited in one iteration of the event loop: a few milliseconds. */
const partsPerIteration = 4096;

/** The size of one range request to the store. */
const windowBytes = 1024 * 1024;

/** How many bytes of each part are available to `VisitPart`; fewer at the end of the file. */
const visibleBytes = 512;

/** Receives a part of a file, which starts at `at` in `window`. Returns the length of the part; undefined ends the walk. */
export type VisitPart = (window: Buffer, at: number, position: number) => number | undefined;

/**
 * Visits the parts (chunks, segments, boxes) of a file in order, up to its end, however long they are. Reads only the
 * windows in which parts start. `head` is the start of the file. Returns the number of parts, and stops above `maxParts`.
 */
export async function walkFile(source: ByteSource, head: Uint8Array, start: number, visit: VisitPart): Promise<number> {
  let window = toBuffer(head);
  let windowStart = 0;
  let partCount = 0;
  for (let position = start; position < source.bytes && partCount <= maxParts;) {
    if (++partCount % partsPerIteration === 0) await nextIteration();
    if (Math.min(position + visibleBytes, source.bytes) > windowStart + window.length) {
      window = toBuffer(await source.read(position, position + windowBytes));
      windowStart = position;
    }
    const length = visitPart(visit, window, position - windowStart, position);
    if (length === undefined || length <= 0) break;
    position += length;
  }
  return partCount;
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
