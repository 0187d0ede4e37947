import { days, type Clock } from "#lib/clock.ts";
import { hashBytes, readContentType, Rejection, type StandInRequest, type StandInResponse } from "../http-stand-in.ts";
import { inspectImage, inspectVideo } from "../inspect-media.ts";
import { invalidMediaIds, invalidRequest, notFound, requireId, requireRecord } from "./errors.ts";

/** Media upload; see `server.ts` for the sources. */

type ProcessingState = "pending" | "in_progress" | "succeeded" | "failed";

export interface UploadedMedia {
  id: string;
  mediaKey: string;
  category: string;
  /** The type that the client declared; for an upload in one request, the type of the bytes. */
  mimeType: string;
  totalBytes: number;
  segments: Map<number, Buffer>;
  expiresAt: number;
  isFinalized: boolean;
  /** Undefined for media that need no processing. */
  state: ProcessingState | undefined;
  remainingPolls: number;
  hasFailed: boolean;
  altText: string | undefined;
  sha256: string;
}

/**
 * The limits in X's documentation. Where a unit is ambiguous (5 MB), these are the stricter values. Exception:
 * segments may have 5 MiB.
 */
const limits = {
  imageBytes: 5_000_000,
  gifBytes: 15_000_000,
  videoBytes: 512_000_000,
  segmentBytes: 5 * 1024 * 1024,
  videoSeconds: { min: 0.5, max: 140 },
  videoSide: 32,
  videoAspectRatio: 3,
};

export interface MediaOptions {
  clock: Clock;
  createId(): string;
  settings: { processingPolls: number };
  takeProcessingFailure(): boolean;
}

export interface MediaStore {
  initialize(body: unknown): StandInResponse;
  append(id: string, request: StandInRequest): Promise<StandInResponse>;
  finalize(id: string): Promise<StandInResponse>;
  readStatus(query: URLSearchParams): StandInResponse;
  uploadAtOnce(request: StandInRequest): Promise<StandInResponse>;
  describe(body: unknown): StandInResponse;
  /** Returns the media of a post. Throws unless a post may have them. */
  attach(ids: string[]): UploadedMedia[];
}

const imageTypes = ["image/jpeg", "image/pjpeg", "image/png", "image/webp", "image/gif"];
const videoTypes = ["video/mp4", "video/quicktime", "video/webm", "video/mp2t"];
const typesOfCategory: Record<string, string[]> = {
  tweet_image: imageTypes,
  tweet_gif: ["image/gif"],
  tweet_video: videoTypes,
};
const keyPrefixes: Record<string, number> = { tweet_image: 3, tweet_gif: 16, tweet_video: 7 };
const sessionSecs = 1_295_999;
const maxAltText = 1000;

export function createMediaStore(options: MediaOptions): MediaStore {
  const uploads = new Map<string, UploadedMedia>();

  function create(category: string, mimeType: string, totalBytes: number): UploadedMedia {
    const id = options.createId();
    const media: UploadedMedia = {
      id,
      mediaKey: `${keyPrefixes[category] ?? 3}_${id}`,
      category,
      mimeType,
      totalBytes,
      segments: new Map(),
      expiresAt: options.clock() + sessionSecs * 1000,
      isFinalized: false,
      state: undefined,
      remainingPolls: options.settings.processingPolls,
      hasFailed: false,
      altText: undefined,
      sha256: "",
    };
    uploads.set(id, media);
    return media;
  }

  function find(id: string): UploadedMedia {
    const media = uploads.get(id);
    if (!media) throw notFound();
    if (options.clock() > media.expiresAt) throw invalidRequest("The media has expired", { media_id: [id] });
    return media;
  }

  function initialize(body: unknown): StandInResponse {
    const request = requireRecord(body, "the request", ["media_category", "media_type", "total_bytes"]);
    const { media_type: mimeType, total_bytes: totalBytes } = request;
    if (typeof mimeType !== "string" || !Object.values(typesOfCategory).flat().includes(mimeType))
      throw invalidRequest("media_type is not supported", { media_type: [mimeType] });
    if (typeof totalBytes !== "number" || !Number.isInteger(totalBytes) || totalBytes <= 0)
      throw invalidRequest("total_bytes must be a positive integer", { total_bytes: [totalBytes] });
    const category = request["media_category"] ?? defaultCategoryOf(mimeType);
    if (typeof category !== "string" || !typesOfCategory[category]?.includes(mimeType))
      throw invalidRequest("media_category does not match media_type", { media_category: [category] });
    checkSize(category, totalBytes);
    const media = create(category, mimeType, totalBytes);
    const data = { id: media.id, media_key: media.mediaKey, expires_after_secs: sessionSecs };
    return { status: 200, json: { data } };
  }

  function checkSize(category: string, bytes: number): void {
    let maxBytes = limits.imageBytes;
    if (category.endsWith("_gif")) maxBytes = limits.gifBytes;
    if (category.endsWith("_video")) maxBytes = limits.videoBytes;
    if (bytes > maxBytes) throw invalidRequest(`The file size exceeds ${maxBytes} bytes`, { total_bytes: [bytes] });
  }

  async function append(id: string, request: StandInRequest): Promise<StandInResponse> {
    const media = find(id);
    if (media.isFinalized) throw invalidRequest("The upload is already finalized", { media_id: [id] });
    const fields = await readUpload(request, ["media", "segment_index"]);
    const index = Number(fields["segment_index"] ?? Number.NaN);
    if (!Number.isInteger(index) || index < 0 || index > 999)
      throw invalidRequest("segment_index must be an integer from 0 to 999", { segment_index: [index] });
    const segment = fields["media"];
    if (!Buffer.isBuffer(segment) || segment.length === 0) throw invalidRequest("media is required");
    // Public reports show an empty body: https://github.com/trypostit/trypost/pull/31
    if (segment.length > limits.segmentBytes) throw new Rejection({ status: 413 });
    media.segments.set(index, segment);
    return { status: 200, json: { data: { expires_at: Math.floor(media.expiresAt / 1000) } } };
  }

  async function finalize(id: string): Promise<StandInResponse> {
    const media = find(id);
    if (!media.isFinalized) {
      const segments = Array.from({ length: media.segments.size }, (_, index) => media.segments.get(index));
      const content = segments.includes(undefined) ? undefined : Buffer.concat(segments as Buffer[]);
      if (content?.length !== media.totalBytes)
        throw invalidRequest("Segments do not add up to provided total file size.", { media_id: [id] });
      await complete(media, content);
    }
    return { status: 200, json: { data: toData(media) } };
  }

  /** Images are ready at once; videos and GIFs are processed after that. */
  async function complete(media: UploadedMedia, content: Buffer): Promise<void> {
    const isImage = media.category.endsWith("_image");
    media.hasFailed = !(await isValid(media, content)) || options.takeProcessingFailure();
    if (isImage && media.hasFailed) throw invalidRequest("The file is not a valid image", { media_id: [media.id] });
    media.isFinalized = true;
    media.state = isImage ? undefined : "pending";
    media.sha256 = hashBytes(content);
    media.expiresAt = options.clock() + days(1);
    media.segments.clear();
  }

  async function isValid(media: UploadedMedia, content: Buffer): Promise<boolean> {
    if (!media.category.endsWith("_video")) {
      const declaredType = media.mimeType.replace("pjpeg", "jpeg");
      return (await inspectImage(content))?.mimeType === declaredType;
    }
    const video = await inspectVideo(content);
    if (video?.mimeType !== media.mimeType) return false;
    const { seconds, width, height } = video;
    const ratio = Math.max(width / height, height / width);
    const hasValidSize = Math.min(width, height) >= limits.videoSide && ratio <= limits.videoAspectRatio;
    return hasValidSize && seconds >= limits.videoSeconds.min && seconds <= limits.videoSeconds.max;
  }

  function readStatus(query: URLSearchParams): StandInResponse {
    if (!["STATUS", null].includes(query.get("command"))) throw invalidRequest("command must be STATUS");
    const media = find(requireId(query.get("media_id"), "media_id"));
    if (!media.isFinalized) throw invalidRequest("The upload is not finalized", { media_id: [media.id] });
    if (media.state === "pending" || media.state === "in_progress") {
      const finalState = media.hasFailed ? "failed" : "succeeded";
      media.state = media.remainingPolls > 0 ? "in_progress" : finalState;
      media.remainingPolls--;
    }
    return { status: 200, json: { data: toData(media) } };
  }

  function toData(media: UploadedMedia): Record<string, unknown> {
    const isProcessing = media.state === "pending" || media.state === "in_progress";
    const wait = isProcessing ? { check_after_secs: 1 } : { progress_percent: 100 };
    return {
      id: media.id,
      media_key: media.mediaKey,
      size: media.totalBytes,
      expires_after_secs: Math.max(0, Math.floor((media.expiresAt - options.clock()) / 1000)),
      ...(media.state === undefined ? {} : { processing_info: { state: media.state, ...wait } }),
    };
  }

  /** "The older simple upload (images only)". */
  async function uploadAtOnce(request: StandInRequest): Promise<StandInResponse> {
    const fields = await readUpload(request, ["media", "media_category"]);
    const { media: content, media_category: category } = fields;
    if (!Buffer.isBuffer(content) || content.length === 0) throw invalidRequest("media is required");
    if (category !== "tweet_image")
      throw invalidRequest("media_category must be an image category", { media_category: [category] });
    checkSize(category, content.length);
    const mimeType = (await inspectImage(content))?.mimeType ?? "";
    if (!imageTypes.includes(mimeType)) throw invalidRequest("The media type is not supported");
    const media = create(category, mimeType, content.length);
    await complete(media, content);
    return { status: 200, json: { data: toData(media) } };
  }

  function describe(body: unknown): StandInResponse {
    const { id, metadata } = requireRecord(body, "the request", ["id", "metadata"]);
    const media = find(requireId(id, "id"));
    if (!media.isFinalized) throw invalidRequest("The upload is not finalized", { id: [media.id] });
    const { alt_text: altText } = requireRecord(metadata, "metadata", ["alt_text"]);
    const { text } = requireRecord(altText, "alt_text", ["text"]);
    if (typeof text !== "string" || text.length > maxAltText)
      throw invalidRequest(`alt_text.text must have at most ${maxAltText} characters`, { "alt_text.text": [text] });
    media.altText = text;
    return { status: 200, json: { data: { id: media.id, associated_metadata: { alt_text: { text } } } } };
  }

  function attach(ids: string[]): UploadedMedia[] {
    const media = ids.map((id) => uploads.get(id));
    const isReady = (item: UploadedMedia | undefined): item is UploadedMedia =>
      item?.isFinalized === true &&
      options.clock() <= item.expiresAt &&
      (item.state === undefined || item.state === "succeeded");
    if (!media.every(isReady)) throw invalidMediaIds(ids);
    // "You may attach up to 4 photos, 1 animated GIF or 1 video in a Post."
    const hasOnlyImages = media.every(({ category }) => category === "tweet_image");
    if (media.length > 1 && !hasOnlyImages) throw invalidMediaIds(ids);
    return media;
  }

  return { initialize, append, finalize, readStatus, uploadAtOnce, describe, attach };
}

function defaultCategoryOf(mimeType: string): string {
  if (mimeType === "image/gif") return "tweet_gif";
  return mimeType.startsWith("video/") ? "tweet_video" : "tweet_image";
}

/** Reads an upload as multipart form data. Its other form, JSON with base64, is not implemented. */
async function readUpload(
  request: StandInRequest,
  knownFields: readonly string[],
): Promise<Record<string, Buffer | string>> {
  if (readContentType(request.headers) !== "multipart/form-data")
    throw invalidRequest("The content type must be multipart/form-data");
  const headers = { "content-type": request.headers["content-type"]! };
  const form = await new Response(new Uint8Array(request.body), { headers }).formData();
  const fields: Record<string, Buffer | string> = {};
  for (const [name, value] of form)
    fields[name] = typeof value === "string" ? value : Buffer.from(await value.arrayBuffer());
  requireRecord(fields, "the request", knownFields);
  return fields;
}
