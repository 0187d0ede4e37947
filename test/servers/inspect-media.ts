import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import sharp from "sharp";

/** What a platform finds in the bytes that Atelier uploaded to it. */

export interface InspectedImage {
  mimeType: string;
  width: number;
  height: number;
  frames: number;
}

const maxDecodedPixels = 50_000_000;

/** Returns undefined if the bytes are not an image that can be decoded. */
export async function inspectImage(bytes: Buffer): Promise<InspectedImage | undefined> {
  try {
    const { format, width, height, pageHeight, pages = 1 } = await sharp(bytes, { pages: -1 }).metadata();
    const image = { mimeType: `image/${format}`, width, height: pageHeight ?? height, frames: pages };
    if (image.width * image.height <= maxDecodedPixels) await sharp(bytes).resize(8).raw().toBuffer();
    return image;
  } catch {
    return undefined;
  }
}

export interface InspectedVideo {
  mimeType: string;
  seconds: number;
  width: number;
  height: number;
}

/** Returns undefined if the bytes are not a container with a video track. */
export async function inspectVideo(bytes: Buffer): Promise<InspectedVideo | undefined> {
  try {
    const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
    const [format, track] = [await input.getFormat(), await input.getPrimaryVideoTrack()];
    if (!track) return undefined;
    const { displayWidth: width, displayHeight: height } = track;
    return { mimeType: format.mimeType, seconds: await input.computeDuration(), width, height };
  } catch {
    return undefined;
  }
}

/** The type of a document by its first bytes: PDF, or a container of the older or newer Office formats. */
export function inspectDocument(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  if (bytes.subarray(0, 8).toString("hex") === "d0cf11e0a1b11ae1") return "application/x-cfb";
  if (bytes.subarray(0, 4).toString("hex") !== "504b0304") return undefined;
  if (bytes.includes("word/")) return "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  if (bytes.includes("ppt/")) return "application/vnd.openxmlformats-officedocument.presentationml.presentation";
  return undefined;
}
