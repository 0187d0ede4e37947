import { type MediaMetadata, unknownMetadata } from "#domain/model/asset.ts";
import { readChildren, type ByteRange, type ReadPiece } from "./bounded-reader.ts";
import { toMetadata } from "./video-header.ts";

interface Box extends ByteRange {
  type: string;
}

/** Reads media metadata from the movie and track headers of MP4, QuickTime and M4V files (ISO/IEC 14496-12). */
export async function readIsobmff(read: ReadPiece, bytes: number): Promise<MediaMetadata> {
  for await (const box of readChildren(read, { start: 0, end: bytes }, parseBox)) {
    if (box.type === "moov") return readMovie(read, box);
  }
  return unknownMetadata;
}

async function readMovie(read: ReadPiece, moov: Box): Promise<MediaMetadata> {
  let header: Buffer | undefined;
  let fragments: Buffer | undefined;
  const tracks: Awaited<ReturnType<typeof readTrack>>[] = [];
  for await (const box of readChildren(read, moov, parseBox)) {
    if (box.type === "mvhd") header = await readContent(read, box);
    else if (box.type === "mvex") fragments = await readChild(read, box, "mehd");
    else if (box.type === "trak") tracks.push(await readTrack(read, box));
  }
  const movie = parseMovieHeader(header, fragments);
  const videos = tracks.filter(({ isVideo }) => isVideo);
  const track = videos.find(({ isEnabled }) => isEnabled) ?? videos[0];
  return toMetadata({
    width: track?.width,
    height: track?.height,
    isSideways: (track?.isSideways ?? false) !== movie.isSideways,
    seconds: movie.seconds,
  });
}

/** ISO/IEC 14496-12 §8.2.2, and §8.8.2 for the duration of a fragmented movie. */
function parseMovieHeader(header: Buffer | undefined, fragments: Buffer | undefined) {
  const isLong = header?.[0] === 1;
  if (!header || header.length < (isLong ? 84 : 72)) return { seconds: 0, isSideways: false };
  const duration = isLong ? readDuration(header, 24, 8) : readDuration(header, 16, 4);
  const fragmentedDuration = fragments ? readDuration(fragments, 4, fragments[0] === 1 ? 8 : 4) : 0;
  return {
    seconds: Math.max(duration, fragmentedDuration) / header.readUInt32BE(isLong ? 20 : 12),
    isSideways: hasSidewaysMatrix(header, isLong ? 48 : 36),
  };
}

async function readTrack(read: ReadPiece, trak: Box) {
  let header: Buffer | undefined;
  let handler: Buffer | undefined;
  for await (const box of readChildren(read, trak, parseBox)) {
    if (box.type === "tkhd") header = await readContent(read, box);
    else if (box.type === "mdia") handler = await readChild(read, box, "hdlr");
  }
  const isVideo = handler?.toString("latin1", 8, 12) === "vide";
  const matrixAt = header?.[0] === 1 ? 52 : 40;
  if (!header || header.length < matrixAt + 44)
    return { isVideo, isEnabled: false, isSideways: false, width: 0, height: 0 };
  return {
    isVideo,
    isEnabled: ((header[3] ?? 0) & 1) === 1,
    isSideways: hasSidewaysMatrix(header, matrixAt),
    width: header.readUInt32BE(matrixAt + 36) / 0x10000,
    height: header.readUInt32BE(matrixAt + 40) / 0x10000,
  };
}

async function readChild(read: ReadPiece, parent: Box, type: string): Promise<Buffer | undefined> {
  for await (const box of readChildren(read, parent, parseBox)) {
    if (box.type === type) return readContent(read, box);
  }
  return undefined;
}

/** The longest content that we read, that of `mvhd` version 1, has 112 bytes. */
const readContent = (read: ReadPiece, { start, end }: Box): Promise<Buffer> => read(start, Math.min(end - start, 112));

/** §4.2: size 1 means that a 64-bit size follows, size 0 that the box extends to the end. */
function parseBox(header: Buffer, at: number, parent: ByteRange): Box | undefined {
  if (header.length < 8) return undefined;
  const size = header.readUInt32BE(0);
  const isLong = size === 1;
  if (isLong && header.length < 16) return undefined;
  const headerBytes = isLong ? 16 : 8;
  const boxBytes = isLong ? Number(header.readBigUInt64BE(8)) : size;
  const end = size === 0 ? parent.end : Math.min(at + boxBytes, parent.end);
  const start = at + headerBytes;
  return end < start ? undefined : { type: header.toString("latin1", 4, 8), start, end };
}

/** All bits set means that the duration is unknown (§8.2.2.3). */
function readDuration(bytes: Buffer, at: number, length: 4 | 8): number {
  if (bytes.length < at + length) return 0;
  const duration = length === 8 ? bytes.readBigUInt64BE(at) : BigInt(bytes.readUInt32BE(at));
  return duration === 2n ** BigInt(length * 8) - 1n ? 0 : Number(duration);
}

/** Whether a transformation matrix rotates a frame by about 90° or 270°. Its first row is (a, b, u). */
const hasSidewaysMatrix = (bytes: Buffer, at: number): boolean =>
  Math.abs(bytes.readInt32BE(at + 4)) > Math.abs(bytes.readInt32BE(at));
