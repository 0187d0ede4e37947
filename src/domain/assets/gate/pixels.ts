import type { ByteSource } from "../byte-source.ts";

/** A picture with more pixels is refused before anyone decodes it: a few bytes can promise gigabytes. */
export const maxPixels = 100_000_000;
/** So many frames in so little space hold no picture. */
const maxFramesInHead = 2000;
/** Segments in front of a JPEG's measures: metadata, profiles, a preview or two. */
const maxSegments = 200;

export interface Size {
  width: number;
  height: number;
  /** More frames than a picture has. */
  crowded?: boolean;
}

/** The measures that a picture's header declares; undefined where they are not found. */
export async function measure(source: ByteSource, head: Uint8Array, mimeType: string): Promise<Size | undefined> {
  const view = Buffer.from(head.buffer, head.byteOffset, head.length);
  try {
    switch (mimeType) {
      case "image/png":
      case "image/apng":
        return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
      case "image/gif":
        return {
          width: view.readUInt16LE(6),
          height: view.readUInt16LE(8),
          crowded: countGifFrames(view) > maxFramesInHead,
        };
      case "image/webp":
        return measureWebp(view);
      case "image/jpeg":
        return await measureJpeg(source, view);
      default:
        return measureHeif(view);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file ends before its measures
    throw error;
  }
}

function measureWebp(view: Buffer): Size | undefined {
  const uint24 = (at: number) => view.readUIntLE(at, 3);
  switch (view.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    case "VP8L": {
      const bits = view.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Walks the segments up to the first frame header, which may stand behind megabytes of metadata. */
async function measureJpeg(source: ByteSource, head: Buffer): Promise<Size | undefined> {
  let at = 2;
  for (let i = 0; i < maxSegments; i++) {
    const near = at + 10 <= head.length;
    const view = near ? head : Buffer.from(await source.read(at, at + 10));
    const start = near ? at : 0;
    if (view.length < start + 10 || view[start] !== 0xff) return undefined;
    const marker = view[start + 1] ?? 0;
    if (marker === 0xff) at += 1; // a fill byte
    else if (isFrameHeader(marker))
      return { height: view.readUInt16BE(start + 5), width: view.readUInt16BE(start + 7) };
    else if (marker === 0xda || marker === 0xd9) return undefined;
    else at += 2 + view.readUInt16BE(start + 2);
  }
  return undefined;
}

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The largest image that the container's property boxes declare (`ispe`, ISO/IEC 23008-12 §6.5.3). */
function measureHeif(view: Buffer): Size | undefined {
  let largest: Size | undefined;
  for (let at = view.indexOf("ispe"); at >= 0 && at + 16 <= view.length; at = view.indexOf("ispe", at + 4)) {
    const size = { width: view.readUInt32BE(at + 8), height: view.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

/** Frames that begin in the head, by walking its blocks. */
function countGifFrames(view: Buffer): number {
  const flags = view.readUInt8(10);
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let frames = 0;
  while (at + 10 < view.length) {
    const block = view[at];
    if (block === 0x2c) {
      frames++;
      const local = view[at + 9] ?? 0;
      at = skipSubBlocks(view, at + 11 + (local & 0x80 ? 3 * 2 ** ((local & 7) + 1) : 0));
    } else if (block === 0x21) at = skipSubBlocks(view, at + 2);
    else break;
  }
  return frames;
}

function skipSubBlocks(view: Buffer, start: number): number {
  let at = start;
  while (at < view.length && view[at] !== 0) at += (view[at] ?? 0) + 1;
  return at + 1;
}
