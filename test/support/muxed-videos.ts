import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
  type OutputFormat,
} from "mediabunny";

/** Options for a real video file, written by an independent library. No test decodes the frames, which are filler. */
export interface MuxOptions {
  width?: number;
  height?: number;
  rotation?: 0 | 90 | 180 | 270;
  seconds?: number;
  /** Bytes per frame: with large frames, a `moov` at the end is far from the start. */
  frameBytes?: number;
  hasAudio?: boolean;
  frameRate?: number;
}

const formats = {
  /** `moov` at the start. */
  mp4: () => new Mp4OutputFormat({ fastStart: "in-memory" }),
  /** `moov` at the end. */
  "mp4, moov last": () => new Mp4OutputFormat({ fastStart: false }),
  "mp4, fragmented": () => new Mp4OutputFormat({ fastStart: "fragmented" }),
  mov: () => new MovOutputFormat({ fastStart: "in-memory" }),
  "mov, moov last": () => new MovOutputFormat({ fastStart: false }),
  webm: () => new WebMOutputFormat(),
  "webm, live": () => new WebMOutputFormat({ appendOnly: true }),
} satisfies Record<string, () => OutputFormat>;

export type MuxedFormat = keyof typeof formats;
export const muxedFormats = Object.keys(formats) as MuxedFormat[];

export function mimeTypeOf(format: MuxedFormat): string {
  if (format.startsWith("webm")) return "video/webm";
  return format.startsWith("mov") ? "video/quicktime" : "video/mp4";
}

const avcDescription = Buffer.from("0142001effe100046742001e01000268ce", "hex");
const aacDescription = Buffer.from("1190", "hex");

export async function muxVideo(format: MuxedFormat, options: MuxOptions = {}): Promise<Buffer> {
  const { width = 640, height = 360, rotation = 0, seconds = 2, frameBytes = 20, hasAudio = true } = options;
  const { frameRate = 10 } = options;
  const isWebm = format.startsWith("webm");
  const target = new BufferTarget();
  const output = new Output({ format: formats[format](), target });
  const video = new EncodedVideoPacketSource(isWebm ? "vp8" : "avc");
  const audio = new EncodedAudioPacketSource(isWebm ? "opus" : "aac");
  output.addVideoTrack(video, { rotation });
  if (hasAudio) output.addAudioTrack(audio);
  await output.start();

  const config = isWebm ? { codec: "vp8" } : { codec: "avc1.42001e", description: avcDescription };
  const decoderConfig = { ...config, codedWidth: width, codedHeight: height };
  const frames = Math.round(seconds * frameRate);
  for (let i = 0; i < frames; i++) {
    const packet = new EncodedPacket(
      createFrame(frameBytes, i),
      i === 0 ? "key" : "delta",
      i / frameRate,
      1 / frameRate,
    );
    await video.add(packet, { decoderConfig });
  }
  if (hasAudio) await addAudio(audio, isWebm, seconds);
  await output.finalize();
  return Buffer.from(target.buffer!);
}

async function addAudio(source: EncodedAudioPacketSource, isWebm: boolean, seconds: number): Promise<void> {
  const config = isWebm ? { codec: "opus" } : { codec: "mp4a.40.2", description: aacDescription };
  const decoderConfig = { ...config, numberOfChannels: 2, sampleRate: 48_000 };
  for (let i = 0; i < Math.floor(seconds * 10); i++)
    await source.add(new EncodedPacket(createFrame(8, i), "key", i / 10, 1 / 10), { decoderConfig });
}

/** Creates one NAL unit, preceded by its length, as AVC requires. */
function createFrame(bytes: number, index: number): Uint8Array {
  const content = Buffer.alloc(bytes, index);
  content.writeUInt32BE(bytes - 4);
  content[4] = 0x65;
  return content;
}
