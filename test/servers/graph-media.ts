import { createHash } from "node:crypto";
import { fileTypeFromBuffer } from "file-type";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import sharp from "sharp";

/** Media of the Graph API stand-ins: they fetch it by URL as the platforms do, and read its real type and size. */

export interface MediaFile {
  bytes: Buffer;
  /** The type of the content. The declared type does not matter. */
  mimeType: string;
}

/** Media of a public post. */
export interface PublicMedia {
  mimeType: string;
  sha256: string;
  altText: string | null;
}

export interface PublicPost {
  id: string;
  text: string;
  media: PublicMedia[];
  url: string;
  /** Parameters of the container besides its text and media, such as who can reply. */
  settings?: Record<string, string>;
}

export const toPublicMedia = ({ bytes, mimeType }: MediaFile, altText: string | undefined): PublicMedia => ({
  mimeType,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  altText: altText ?? null,
});

export async function toMediaFile(bytes: Buffer): Promise<MediaFile> {
  const type = await fileTypeFromBuffer(bytes);
  return { bytes, mimeType: type?.mime ?? "application/octet-stream" };
}

/** Fetches media as the platforms do, without credentials. Only a loopback host may use http. */
export async function downloadMedia(mediaUrl: string, maxBytes: number): Promise<MediaFile> {
  const url = new URL(mediaUrl);
  const isLoopback = ["127.0.0.1", "localhost"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    throw new Error(`media must be on a public server: ${mediaUrl}`);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(30_000),
    headers: { "user-agent": "facebookexternalhit/1.1" },
  });
  if (response.status !== 200) throw new Error(`${mediaUrl} responded with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    // One byte more is enough to know that the file is too large.
    if (size > maxBytes) break;
  }
  return toMediaFile(Buffer.concat(chunks));
}

export interface ImageDetails {
  width: number;
  height: number;
  isAnimated: boolean;
  /** A JPEG with several images (MPO). */
  isMultiImage: boolean;
}

/** Decodes the whole image. Width and height are those that viewers see. */
export async function readImage({ bytes }: MediaFile): Promise<ImageDetails> {
  const image = sharp(bytes, { pages: 1 });
  await image.stats();
  const { autoOrient } = await image.metadata();
  const { pages = 1 } = await sharp(bytes).metadata();
  return { ...autoOrient, isAnimated: pages > 1, isMultiImage: bytes.includes("MPF\0") };
}

export interface VideoDetails {
  durationSeconds: number;
  bitsPerSecond: number;
  isMoovFirst: boolean;
  hasEditList: boolean;
  codec: string | null;
  width: number;
  height: number;
  framesPerSecond: number;
  audio: { codec: string | null; sampleRate: number; channels: number } | undefined;
}

/** Throws if the bytes are not a video. */
export async function readVideo({ bytes }: MediaFile): Promise<VideoDetails> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const video = await input.getPrimaryVideoTrack();
  if (!video) throw new Error("no video track");
  const audio = await input.getPrimaryAudioTrack();
  const durationSeconds = await input.computeDuration();
  const { averagePacketRate } = await video.computePacketStats();
  return {
    durationSeconds,
    bitsPerSecond: (bytes.length * 8) / durationSeconds,
    ...readBoxes(bytes),
    codec: video.codec,
    width: video.displayWidth,
    height: video.displayHeight,
    framesPerSecond: averagePacketRate,
    audio: audio ? { codec: audio.codec, sampleRate: audio.sampleRate, channels: audio.numberOfChannels } : undefined,
  };
}

function readBoxes(bytes: Buffer): { isMoovFirst: boolean; hasEditList: boolean } {
  const boxes = listBoxes(bytes);
  const moov = boxes.findIndex(({ type }) => type === "moov");
  const mdat = boxes.findIndex(({ type }) => type === "mdat");
  const tracks = listBoxes(boxes[moov]?.content ?? Buffer.alloc(0)).filter(({ type }) => type === "trak");
  return {
    isMoovFirst: moov >= 0 && (mdat < 0 || moov < mdat),
    hasEditList: tracks.some(({ content }) => listBoxes(content).some(({ type }) => type === "edts")),
  };
}

/** ISO/IEC 14496-12 §4.2: size, type, and a 64-bit size if the size is 1. */
function listBoxes(bytes: Buffer): { type: string; content: Buffer }[] {
  const boxes: { type: string; content: Buffer }[] = [];
  for (let start = 0; start + 8 <= bytes.length;) {
    const size32 = bytes.readUInt32BE(start);
    const hasLargeSize = size32 === 1 && start + 16 <= bytes.length;
    const size = hasLargeSize ? Number(bytes.readBigUInt64BE(start + 8)) : size32 || bytes.length - start;
    if (size < 8) break;
    const content = bytes.subarray(start + (hasLargeSize ? 16 : 8), start + size);
    boxes.push({ type: bytes.toString("latin1", start + 4, start + 8), content });
    start += size;
  }
  return boxes;
}

export interface VideoLimits {
  maxBytes: number;
  minSeconds: number;
  maxSeconds: number;
  maxBitsPerSecond: number;
}

/** What can be wrong with a video; Instagram and Threads have the same rules. */
export type VideoProblem =
  | "container"
  | "codec"
  | "size"
  | "duration"
  | "frame rate"
  | "aspect ratio"
  | "bit rate"
  | "audio codec"
  | "audio channels";

/** Returns the first problem of the video; undefined if there is none. */
export async function findVideoProblem(file: MediaFile, limits: VideoLimits): Promise<VideoProblem | undefined> {
  if (file.bytes.length > limits.maxBytes) return "size";
  if (!["video/mp4", "video/quicktime", "video/x-m4v"].includes(file.mimeType)) return "container";
  const video = await readVideo(file).catch(() => undefined);
  if (!video?.isMoovFirst || video.hasEditList) return "container";
  const { audio, durationSeconds, framesPerSecond, width, height } = video;
  if (!["avc", "hevc"].includes(video.codec ?? "")) return "codec";
  if (durationSeconds < limits.minSeconds || durationSeconds > limits.maxSeconds || durationSeconds === 0)
    return "duration";
  if (framesPerSecond < 23 || framesPerSecond > 60) return "frame rate";
  if (width > 1920 || width / height < 0.01 || width / height > 10) return "aspect ratio";
  if (video.bitsPerSecond > limits.maxBitsPerSecond) return "bit rate";
  if (audio && (audio.codec !== "aac" || audio.sampleRate > 48_000)) return "audio codec";
  if (audio && audio.channels > 2) return "audio channels";
  return undefined;
}
