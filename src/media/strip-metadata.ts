/**
 * Removes everything from an image file that its pixels and colors do not need, without encoding it again: EXIF, XMP,
 * IPTC, comments, thumbnails, other images and everything after the end of the image. Animations stay. Returns
 * undefined if the file can't be parsed or has another format.
 */
export function stripMetadata(bytes: Uint8Array): Buffer | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const strip = strippers.find(({ signature }) => signature.test(file.toString("latin1", 0, 16)))?.strip;
  try {
    return strip?.(file);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file ends too early
    throw error;
  }
}

const strippers: { signature: RegExp; strip: (file: Buffer) => Buffer | undefined }[] = [
  { signature: /^\xff\xd8\xff/, strip: stripJpeg },
  { signature: /^\x89PNG\r\n\x1a\n/, strip: stripPng },
  { signature: /^RIFF....WEBP/s, strip: stripWebp },
  { signature: /^GIF8[79]a/, strip: stripGif },
];

/** Limits the work for a file of many tiny pieces. */
const maxPieces = 100_000;

function stripJpeg(file: Buffer): Buffer | undefined {
  const keptSegments = [file.subarray(0, 2)];
  for (let at = 2, pieces = 0; pieces < maxPieces; pieces++) {
    if (file.readUInt8(at) !== 0xff) return undefined;
    const marker = file.readUInt8(at + 1);
    if (marker === 0xff) {
      at++; // a fill byte
      continue;
    }
    if (marker === 0xd9) return Buffer.concat([...keptSegments, file.subarray(at, at + 2)]);
    const headerEnd = at + 2 + file.readUInt16BE(at + 2);
    const end = marker === 0xda ? findScanEnd(file, headerEnd) : headerEnd;
    if (end === undefined || end > file.length) return undefined;
    if (isNeededSegment(marker, file.toString("latin1", at + 4, at + 16))) keptSegments.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

/** The needed application segments are JFIF, the color profile, and Adobe's, which says how the colors are stored. */
function isNeededSegment(marker: number, start: string): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  return (
    (marker === 0xe0 && start.startsWith("JFIF\0")) ||
    (marker === 0xe2 && start.startsWith("ICC_PROFILE\0")) ||
    (marker === 0xee && start.startsWith("Adobe"))
  );
}

/** In a scan, 0xff is followed by 0 or a restart marker; any other byte starts the next segment. */
function findScanEnd(file: Buffer, start: number): number | undefined {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return undefined;
}

/** Pixels, colors, transparency, density and animation. */
const pngChunks = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);

function stripPng(file: Buffer): Buffer | undefined {
  const keptSegments = [file.subarray(0, 8)];
  for (let at = 8, pieces = 0; pieces < maxPieces; pieces++) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) return undefined;
    const type = file.toString("latin1", at + 4, at + 8);
    if (pngChunks.has(type)) keptSegments.push(file.subarray(at, end));
    if (type === "IEND") return Buffer.concat(keptSegments);
    at = end;
  }
  return undefined;
}

const webpChunks = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
/** The flags of VP8X that announce EXIF and XMP. */
const webpMetadataFlags = 0x08 | 0x04;

function stripWebp(file: Buffer): Buffer | undefined {
  const fileEnd = 8 + file.readUInt32LE(4);
  if (fileEnd > file.length) return undefined;
  const keptSegments: Buffer[] = [];
  let pieces = 0;
  for (let at = 12; at + 8 <= fileEnd;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    pieces++;
    if (end > fileEnd || pieces > maxPieces) return undefined;
    const type = file.toString("latin1", at, at + 4);
    if (webpChunks.has(type))
      keptSegments.push(type === "VP8X" ? clearMetadataFlags(file, at, end) : file.subarray(at, end));
    at = end;
  }
  const head = Buffer.from(file.subarray(0, 12));
  const strippedFile = Buffer.concat([head, ...keptSegments]);
  strippedFile.writeUInt32LE(strippedFile.length - 8, 4);
  return strippedFile;
}

function clearMetadataFlags(file: Buffer, start: number, end: number): Buffer {
  const chunk = Buffer.from(file.subarray(start, end));
  chunk.writeUInt8(chunk.readUInt8(8) & ~webpMetadataFlags, 8);
  return chunk;
}

function stripGif(file: Buffer): Buffer | undefined {
  const flags = file.readUInt8(10);
  let at = 13 + getColorTableBytes(flags);
  const keptSegments = [file.subarray(0, at)];
  for (let pieces = 0; pieces < maxPieces; pieces++) {
    const block = file.readUInt8(at);
    if (block === 0x3b) return Buffer.concat([...keptSegments, file.subarray(at, at + 1)]);
    if (block !== 0x21 && block !== 0x2c) return undefined;
    const isExtension = block === 0x21;
    const end = skipSubBlocks(
      file,
      isExtension ? at + 2 : at + 11 + getColorTableBytes(file.readUInt8(at + 9)), // after the code size
    );
    if (!isExtension || isNeededExtension(file, at)) keptSegments.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

const getColorTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Timing and transparency of frames, and how often an animation repeats; not comments, XMP and text. */
function isNeededExtension(file: Buffer, at: number): boolean {
  const label = file.readUInt8(at + 1);
  const application = file.toString("latin1", at + 3, at + 14);
  return label === 0xf9 || (label === 0xff && ["NETSCAPE2.0", "ANIMEXTS1.0"].includes(application));
}

function skipSubBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += length + 1;
  return at + 1;
}
