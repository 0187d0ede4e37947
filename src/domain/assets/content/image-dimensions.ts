import type { ByteSource } from "./byte-source.ts";

/** Larger images are rejected before decoding, because a few bytes can expand to gigabytes. */
export const maxPixels = 100_000_000;
/** More frames than this in the file's head indicate a decompression bomb. */
const maxFramesInHead = 2000;
/** The most JPEG segments (metadata, profiles, previews) to skip in search of the frame header. */
const maxSkippedSegments = 200;

export interface ImageDimensions {
  width: number;
  height: number;
  hasTooManyFrames?: boolean;
}

/** Returns the dimensions that an image's header declares; undefined if there are none. */
export async function readImageDimensions(
  source: ByteSource,
  head: Uint8Array,
  mimeType: string,
): Promise<ImageDimensions | undefined> {
  const buffer = Buffer.from(head.buffer, head.byteOffset, head.length);
  try {
    switch (mimeType) {
      case "image/png":
      case "image/apng":
        return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
      case "image/gif":
        return {
          width: buffer.readUInt16LE(6),
          height: buffer.readUInt16LE(8),
          hasTooManyFrames: countGifFrames(buffer) > maxFramesInHead,
        };
      case "image/webp":
        return readWebpDimensions(buffer);
      case "image/jpeg":
        return await readJpegDimensions(source, buffer);
      default:
        return readHeifDimensions(buffer);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the header is incomplete
    throw error;
  }
}

function readWebpDimensions(buffer: Buffer): ImageDimensions | undefined {
  const readUint24 = (offset: number) => buffer.readUIntLE(offset, 3);
  switch (buffer.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: readUint24(24) + 1, height: readUint24(27) + 1 };
    case "VP8L": {
      const bits = buffer.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: buffer.readUInt16LE(26) & 0x3fff, height: buffer.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Walks the segments up to the first frame header, which may follow megabytes of metadata. */
async function readJpegDimensions(source: ByteSource, head: Buffer): Promise<ImageDimensions | undefined> {
  let offset = 2;
  for (let i = 0; i < maxSkippedSegments; i++) {
    const isInHead = offset + 10 <= head.length;
    const buffer = isInHead ? head : Buffer.from(await source.read(offset, offset + 10));
    const start = isInHead ? offset : 0;
    if (buffer.length < start + 10 || buffer[start] !== 0xff) return undefined;
    const marker = buffer[start + 1] ?? 0;
    if (marker === 0xff) offset += 1; // a fill byte
    else if (isFrameHeader(marker))
      return { height: buffer.readUInt16BE(start + 5), width: buffer.readUInt16BE(start + 7) };
    else if (marker === 0xda || marker === 0xd9) return undefined; // start of scan, end of image
    else offset += 2 + buffer.readUInt16BE(start + 2);
  }
  return undefined;
}

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Returns the dimensions of the container's largest image, from its `ispe` boxes (ISO/IEC 23008-12 §6.5.3). */
function readHeifDimensions(buffer: Buffer): ImageDimensions | undefined {
  let largest: ImageDimensions | undefined;
  for (
    let offset = buffer.indexOf("ispe");
    offset >= 0 && offset + 16 <= buffer.length;
    offset = buffer.indexOf("ispe", offset + 4)
  ) {
    const dimensions = { width: buffer.readUInt32BE(offset + 8), height: buffer.readUInt32BE(offset + 12) };
    if (!largest || dimensions.width * dimensions.height > largest.width * largest.height) largest = dimensions;
  }
  return largest;
}

const gifFrame = 0x2c;
const gifExtension = 0x21;

/** Counts the frames that start in `buffer`, the head of the file. */
function countGifFrames(buffer: Buffer): number {
  let offset = 13 + getColorTableLength(buffer.readUInt8(10));
  let frameCount = 0;
  while (offset + 10 < buffer.length) {
    const blockType = buffer[offset];
    if (blockType === gifFrame) {
      frameCount++;
      offset = skipSubBlocks(buffer, offset + 11 + getColorTableLength(buffer[offset + 9] ?? 0));
    } else if (blockType === gifExtension) offset = skipSubBlocks(buffer, offset + 2);
    else break;
  }
  return frameCount;
}

const getColorTableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function skipSubBlocks(buffer: Buffer, start: number): number {
  let offset = start;
  while (offset < buffer.length && buffer[offset] !== 0) offset += (buffer[offset] ?? 0) + 1;
  return offset + 1;
}
