import type { ByteSource } from "../../ports/byte-source.ts";
import { createHeifVisitor } from "./heif-header.ts";
import { maxParts, type VisitPart, walkFile } from "./walk-file.ts";

/** Larger images are rejected before decoding, because a few bytes can expand to gigabytes. */
export const maxPixels = 100_000_000;
/** The cost of opening an animated WebP grows with the square of its frames: 10 ms for this many, minutes for 100,000. */
const maxFrames = 2000;

/** What the header of an image states. */
export interface ImageHeader {
  /** As the image is shown. */
  width: number;
  height: number;
  /** How many frames or items the file has; counting stops above `maxFrames`. */
  frameCount: number;
  /** How many parts the file has up to the pixels or its end; counting stops above `maxParts`. */
  partCount: number;
}

/** What a visitor has found so far. */
interface FoundHeader extends Omit<ImageHeader, "partCount"> {
  /** Undefined before the first EXIF block. Decoders ignore later blocks, and reading thousands takes long. */
  isSideways: boolean | undefined;
}

interface HeaderReader {
  /** Where the first part of the file starts. */
  start: number;
  header: FoundHeader;
  visit: VisitPart;
}

/** Reads the whole structure of an image file, but decodes nothing. Returns undefined if the file has no dimensions. */
export async function readImageHeader(
  source: ByteSource,
  head: Uint8Array,
  mimeType: string,
): Promise<ImageHeader | undefined> {
  const reader = createReader(mimeType, Buffer.from(head.buffer, head.byteOffset, head.length), source.bytes);
  if (!reader) return undefined;
  const { start, header, visit } = reader;
  const partCount = await walkFile(source, head, start, (window, at, position) => {
    const length = visit(window, at, position);
    return header.frameCount > maxFrames ? undefined : length;
  });
  const { width, height, frameCount, isSideways } = header;
  const imageHeader = { ...(isSideways ? { width: height, height: width } : { width, height }), frameCount, partCount };
  return width === 0 && height === 0 && !isTooLarge(imageHeader) ? undefined : imageHeader;
}

export const isTooLarge = ({ width, height, frameCount, partCount }: ImageHeader): boolean =>
  width * height > maxPixels || frameCount > maxFrames || partCount > maxParts;

function createReader(mimeType: string, head: Buffer, bytes: number): HeaderReader | undefined {
  try {
    switch (mimeType) {
      case "image/png":
      case "image/apng":
        return readPng();
      case "image/gif":
        return readGif(head);
      case "image/webp":
        return readWebp();
      case "image/jpeg":
        return readJpeg();
      default:
        return { start: 0, ...createHeifVisitor(bytes) };
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the header is incomplete
    throw error;
  }
}

const createHeader = (width = 0, height = 0): FoundHeader => ({ width, height, frameCount: 0, isSideways: undefined });

/** PNG §5.3. An animation states its frames in `acTL`, before the pixels, and has an `fcTL` for each of them. */
function readPng(): HeaderReader {
  const header = createHeader();
  let isAnimated = false;
  let frameControlCount = 0;
  const visit: VisitPart = (window, at) => {
    const length = window.readUInt32BE(at);
    const content = at + 8;
    switch (window.toString("latin1", at + 4, content)) {
      case "IHDR":
        Object.assign(header, { width: window.readUInt32BE(content), height: window.readUInt32BE(content + 4) });
        break;
      case "eXIf":
        header.isSideways ??= isSidewaysInExif(window.subarray(content, content + length));
        break;
      case "acTL":
        isAnimated = true;
        header.frameCount = Math.max(header.frameCount, window.readUInt32BE(content));
        break;
      case "fcTL":
        header.frameCount = Math.max(header.frameCount, ++frameControlCount);
        break;
      case "IDAT":
        if (!isAnimated) return undefined;
        break;
      case "IEND":
        return undefined;
    }
    return 12 + length;
  };
  return { start: 8, header, visit };
}

const gifFrame = 0x2c;
const gifExtension = 0x21;

/** GIF89a: frames and extensions, each followed by sub-blocks of up to 255 bytes, of which the last is empty. */
function readGif(head: Buffer): HeaderReader {
  const header = createHeader(head.readUInt16LE(6), head.readUInt16LE(8));
  let isInSubBlocks = false;
  const visit: VisitPart = (window, at) => {
    const byte = window.readUInt8(at);
    if (isInSubBlocks) {
      isInSubBlocks = byte !== 0;
      return 1 + byte;
    }
    isInSubBlocks = true;
    if (byte === gifExtension) return 2;
    if (byte !== gifFrame) return undefined;
    header.frameCount++;
    return 11 + getColorTableLength(window.readUInt8(at + 9));
  };
  return { start: 13 + getColorTableLength(head.readUInt8(10)), header, visit };
}

const getColorTableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** RFC 9649 §2. Only the first chunk states the dimensions of the whole image. */
function readWebp(): HeaderReader {
  const header = createHeader();
  const visit: VisitPart = (window, at, position) => {
    const length = window.readUInt32LE(at + 4);
    const content = at + 8;
    const type = window.toString("latin1", at, at + 4);
    if (position === 12) Object.assign(header, readWebpDimensions(type, window, content));
    if (type === "ANMF") header.frameCount++;
    if (type === "EXIF") header.isSideways ??= isSidewaysInExif(window.subarray(content, content + length));
    return 8 + length + (length % 2);
  };
  return { start: 12, header, visit };
}

function readWebpDimensions(type: string, window: Buffer, at: number): Pick<ImageHeader, "width" | "height"> {
  switch (type) {
    case "VP8X":
      return { width: window.readUIntLE(at + 4, 3) + 1, height: window.readUIntLE(at + 7, 3) + 1 };
    case "VP8L": {
      const bits = window.readUInt32LE(at + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: window.readUInt16LE(at + 6) & 0x3fff, height: window.readUInt16LE(at + 8) & 0x3fff };
    default:
      return { width: 0, height: 0 };
  }
}

/** ITU T.81 §B.1. The frame header may follow megabytes of metadata. */
function readJpeg(): HeaderReader {
  const header = createHeader();
  const visit: VisitPart = (window, at) => {
    if (window[at] !== 0xff) return undefined;
    const marker = window.readUInt8(at + 1);
    if (marker === 0xff) return 1; // a fill byte
    if (marker === 0xda || marker === 0xd9) return undefined; // start of scan, end of image
    const length = window.readUInt16BE(at + 2);
    if (isFrameHeader(marker)) {
      Object.assign(header, { height: window.readUInt16BE(at + 5), width: window.readUInt16BE(at + 7) });
      return undefined;
    }
    if (marker === 0xe1 && window.toString("latin1", at + 4, at + 8) === "Exif")
      header.isSideways ??= isSidewaysInExif(window.subarray(at + 4, at + 2 + length));
    return 2 + length;
  };
  return { start: 2, header, visit };
}

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const orientationTag = 0x112;
const exifPrefix = "Exif\0\0";

/** Whether EXIF data (with or without its prefix) says that width and height are swapped when the image is shown. */
export function isSidewaysInExif(exif: Buffer): boolean {
  const tiff = exif.toString("latin1", 0, 6) === exifPrefix ? exif.subarray(6) : exif;
  return readOrientation(tiff) >= 5;
}

const upright = 1;

/**
 * EXIF 2.32 §4.6.2 and tag 274: the first directory of a TIFF header has 12 bytes per entry, sorted by tag. Compares
 * offsets with the length, because an exception takes 20 µs.
 */
function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return upright;
  const isLittleEndian = tiff.toString("latin1", 0, 2) === "II";
  const readUint16 = (at: number): number => (isLittleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const entriesStart = 2 + (isLittleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4));
  if (entriesStart > tiff.length) return upright;
  const entriesEnd = Math.min(entriesStart + readUint16(entriesStart - 2) * 12, tiff.length);
  for (let entry = entriesStart; entry + 12 <= entriesEnd; entry += 12) {
    const tag = readUint16(entry);
    if (tag === orientationTag) return readUint16(entry + 8);
    if (tag > orientationTag) return upright;
  }
  return upright;
}
