import { type MediaMetadata, unknownMetadata } from "#domain/model/asset.ts";
import { readChildren, type ByteRange, type ReadPiece } from "./bounded-reader.ts";
import { toMetadata } from "./video-header.ts";

/** Element ids of Matroska (RFC 9559). */
const ids = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  flagEnabled: 0xb9,
  flagDefault: 0x88,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  projection: 0x7670,
  projectionPoseRoll: 0x7675,
};

interface Element extends ByteRange {
  id: number;
}

/** The numeric values of an element's children, by id. */
type Values = ReadonlyMap<number, number>;

/** Reads media metadata from the elements before the first cluster of a WebM file: RFC 8794 (EBML), RFC 9559 (Matroska). */
export async function readWebm(read: ReadPiece, bytes: number): Promise<MediaMetadata> {
  for await (const element of readChildren(read, { start: 0, end: bytes }, parseElement)) {
    if (element.id === ids.segment) return readSegment(read, element);
  }
  return unknownMetadata;
}

async function readSegment(read: ReadPiece, segment: Element): Promise<MediaMetadata> {
  let info: Values = new Map();
  let tracks: Values[] = [];
  for await (const element of readChildren(read, segment, parseElement)) {
    if (element.id === ids.cluster) break;
    if (element.id === ids.info) info = await readValues(read, element);
    if (element.id === ids.tracks) tracks = await readTracks(read, element);
  }
  const videos = tracks.filter((track) => track.get(ids.trackType) === 1 && track.get(ids.flagEnabled) !== 0);
  const track = videos.find((video) => video.get(ids.flagDefault) !== 0) ?? videos[0];
  const seconds = ((info.get(ids.duration) ?? 0) * (info.get(ids.timestampScale) ?? 1_000_000)) / 1e9;
  const isSideways = Math.abs(Math.round((track?.get(ids.projectionPoseRoll) ?? 0) / 90) % 2) === 1;
  return toMetadata({ ...computeDisplaySize(track ?? new Map()), isSideways, seconds });
}

async function readTracks(read: ReadPiece, tracks: Element): Promise<Values[]> {
  const entries: Values[] = [];
  for await (const element of readChildren(read, tracks, parseElement)) {
    if (element.id === ids.trackEntry) entries.push(await readValues(read, element, [ids.video, ids.projection]));
  }
  return entries;
}

/** Display sizes may be in pixels, centimetres or a ratio (RFC 9559 §5.1.4.1.28.14), so only their ratio is used. */
function computeDisplaySize(track: Values): { width: number; height: number } {
  const [width = 0, height = 0] = [track.get(ids.pixelWidth), track.get(ids.pixelHeight)];
  const [displayWidth = 0, displayHeight = 0] = [track.get(ids.displayWidth), track.get(ids.displayHeight)];
  const pixelAspect = (displayWidth * height) / (displayHeight * width);
  if (!(pixelAspect > 0 && Number.isFinite(pixelAspect))) return { width, height };
  return pixelAspect > 1 ? { width: width * pixelAspect, height } : { width, height: height / pixelAspect };
}

/** Reads the children of an element, and of the `nested` containers in it, outermost first. */
async function readValues(read: ReadPiece, parent: Element, nested: readonly number[] = []): Promise<Values> {
  const values = new Map<number, number>();
  const [container, ...innerContainers] = nested;
  for await (const child of readChildren(read, parent, parseElement)) {
    if (child.id === container) {
      for (const [id, value] of await readValues(read, child, innerContainers)) values.set(id, value);
    } else if (knownIds.has(child.id)) values.set(child.id, await readNumber(read, child));
  }
  return values;
}

const floatIds = new Set([ids.duration, ids.projectionPoseRoll]);
const knownIds = new Set(Object.values(ids));

/** RFC 8794 §7.1 to 7.3. */
async function readNumber(read: ReadPiece, { id, start, end }: Element): Promise<number> {
  const bytes = await read(start, Math.min(end - start, 8));
  if (bytes.length < end - start || bytes.length === 0) return 0;
  if (!floatIds.has(id)) return Number(`0x${bytes.toString("hex")}`);
  if (bytes.length === 4) return bytes.readFloatBE(0);
  return bytes.length === 8 ? bytes.readDoubleBE(0) : 0;
}

/** RFC 8794 §4 to 6: an id of up to 4 bytes that includes its length marker, then a size of up to 8 bytes without it. */
function parseElement(header: Buffer, at: number, parent: ByteRange): Element | undefined {
  const idBytes = readVintLength(header, 0);
  const sizeBytes = readVintLength(header, idBytes);
  const headerBytes = idBytes + sizeBytes;
  if (idBytes > 4 || sizeBytes > 8 || header.length < headerBytes) return undefined;
  const id = header.readUIntBE(0, idBytes);
  const sizeWithMarker = BigInt(`0x${header.toString("hex", idBytes, headerBytes)}`);
  const mask = 2n ** BigInt(7 * sizeBytes) - 1n;
  const size = sizeWithMarker & mask;
  const start = at + headerBytes;
  if (start > parent.end) return undefined;
  // All bits set: the size is unknown, and the element ends at most at its parent's end.
  return { id, start, end: size === mask ? parent.end : Math.min(start + Number(size), parent.end) };
}

/** Returns the length of a variable-size integer (RFC 8794 §4); more than 8 if it is invalid. */
const readVintLength = (bytes: Buffer, at: number): number => Math.clz32(bytes[at] ?? 0) - 23;
