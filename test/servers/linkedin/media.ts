import { randomBytes } from "node:crypto";
import { days, type Clock } from "#lib/clock.ts";
import {
  hashBytes,
  readBearer,
  readContentType,
  Rejection,
  type StandInRequest,
  type StandInResponse,
} from "../http-stand-in.ts";
import { inspectDocument, inspectImage, inspectVideo } from "../inspect-media.ts";
import {
  forbiddenMedia,
  invalidUrnType,
  invalidValue,
  missingField,
  notImplemented,
  reject,
  requireRecord,
  requireString,
  unauthorized,
  waitingUpload,
} from "./errors.ts";

/** The Images, Videos and Documents APIs; see `server.ts` for the sources. */

type MediaKind = "image" | "video" | "document";
type MediaStatus = "WAITING_UPLOAD" | "PROCESSING" | "AVAILABLE" | "PROCESSING_FAILED";

export interface MediaAsset {
  urn: string;
  kind: MediaKind;
  owner: string;
  parts: UploadPart[];
  uploadUrlExpiresAt: number;
  isComplete: boolean;
  remainingPolls: number;
  processingFailureReason: string | undefined;
  mimeType: string;
  sha256: string;
}

interface UploadPart {
  firstByte: number;
  lastByte: number;
  bytes: Buffer | undefined;
  etag: string;
}

/** The limits in LinkedIn's documentation. Where a unit is ambiguous (75kb, 500MB), these are the stricter values. */
const limits = {
  imagePixels: 36_152_320,
  gifFrames: 250,
  videoBytes: { min: 75 * 1024, max: 500_000_000, maxDeclared: 5_000_000_000 },
  videoSeconds: { min: 3, max: 30 * 60 },
  documentBytes: 100_000_000,
};

export interface MediaOptions {
  clock: Clock;
  uploadOrigin(): string;
  settings: { processingPolls: number };
  takeProcessingFailure(): boolean;
  /** Whether the member may create media for this person. */
  canActAs(urn: string): boolean;
  isTokenValid(token: string): boolean;
}

export interface MediaStore {
  assets: Map<string, MediaAsset>;
  statusOf(asset: MediaAsset): MediaStatus;
  initialize(kind: MediaKind, body: unknown): StandInResponse;
  finalize(body: unknown): Promise<StandInResponse>;
  read(kind: MediaKind, urn: string): StandInResponse;
  upload(request: StandInRequest): Promise<StandInResponse>;
}

/** The documentation shows `split -b 4194303`, but also an inclusive first range of 0 to 4194303, one byte more. */
const partBytes = 4_194_304;
const uploadUrlLifetimeMs = days(30);

export function createMediaStore(options: MediaOptions): MediaStore {
  const assets = new Map<string, MediaAsset>();

  function statusOf(asset: MediaAsset): MediaStatus {
    if (!asset.isComplete) return "WAITING_UPLOAD";
    if (asset.remainingPolls > 0) return "PROCESSING";
    return asset.processingFailureReason === undefined ? "AVAILABLE" : "PROCESSING_FAILED";
  }

  function initialize(kind: MediaKind, body: unknown): StandInResponse {
    const fields = kind === "video" ? ["owner", "fileSizeBytes", "uploadCaptions", "uploadThumbnail"] : ["owner"];
    const envelope = requireRecord(body, "body", ["initializeUploadRequest"]);
    const request = requireRecord(envelope["initializeUploadRequest"], "initializeUploadRequest", fields);
    const owner = requireString(request["owner"], "owner");
    if (!/^urn:li:(person|organization):/.test(owner)) throw invalidUrnType("owner");
    if (!options.canActAs(owner)) throw forbiddenMedia(kind);
    const size = kind === "video" ? readVideoSize(request) : 1;
    const key = randomBytes(12).toString("base64url");
    const asset: MediaAsset = {
      urn: `urn:li:${kind}:${key}`,
      kind,
      owner,
      parts: kind === "video" ? splitIntoParts(size) : [{ firstByte: 0, lastByte: 0, bytes: undefined, etag: "" }],
      uploadUrlExpiresAt: options.clock() + uploadUrlLifetimeMs,
      isComplete: false,
      remainingPolls: kind === "image" ? 0 : options.settings.processingPolls,
      processingFailureReason: undefined,
      mimeType: "",
      sha256: "",
    };
    assets.set(asset.urn, asset);
    const urlOf = (part: number): string => `${options.uploadOrigin()}/dms-uploads/${key}/${kind}/${part}`;
    if (kind !== "video") {
      const { uploadUrlExpiresAt } = asset;
      return { status: 200, json: { value: { uploadUrlExpiresAt, uploadUrl: urlOf(0), [kind]: asset.urn } } };
    }
    const value = {
      uploadUrlsExpireAt: asset.uploadUrlExpiresAt,
      video: asset.urn,
      uploadInstructions: asset.parts.map(({ firstByte, lastByte }, part) => ({
        uploadUrl: urlOf(part),
        lastByte,
        firstByte,
      })),
      uploadToken: "",
    };
    return { status: 200, json: { value } };
  }

  function readVideoSize(request: Record<string, unknown>): number {
    const size = request["fileSizeBytes"];
    if (size === undefined) throw missingField("fileSizeBytes");
    if (typeof size !== "number" || !Number.isInteger(size) || size <= 0) throw invalidValue("fileSizeBytes");
    if (size > limits.videoBytes.maxDeclared) throw invalidValue("fileSizeBytes");
    for (const name of ["uploadCaptions", "uploadThumbnail"]) {
      if (request[name] === true) throw notImplemented(name);
      if (request[name] !== undefined && request[name] !== false) throw invalidValue(name);
    }
    return size;
  }

  async function upload(request: StandInRequest): Promise<StandInResponse> {
    const [, key = "", kind = "", part = ""] = /^\/dms-uploads\/([\w-]+)\/(\w+)\/(\d+)$/.exec(request.path) ?? [];
    const asset = assets.get(`urn:li:${kind}:${key}`);
    const target = asset?.parts[Number(part)];
    if (request.method !== "PUT" || !asset || !target) throw reject(404, "NOT_FOUND", "Could not find entity");
    checkUploadHeaders(asset.kind, request);
    if (options.clock() > asset.uploadUrlExpiresAt)
      throw reject(400, "EXPIRED_UPLOAD_URL", "The Video upload URL is expired");
    if (request.body.length === 0) throw reject(400, "BAD_REQUEST", "The upload is empty");
    if (asset.kind === "video") {
      if (request.body.length !== target.lastByte - target.firstByte + 1)
        throw reject(400, "BAD_REQUEST", `The part must have bytes ${target.firstByte} to ${target.lastByte}`);
      target.bytes = request.body;
      target.etag = `/ambry-video/signedId/${hashBytes(request.body).slice(0, 40)}-${part}.bin`;
      return { status: 200, headers: { etag: target.etag } };
    }
    target.bytes = request.body;
    await complete(asset);
    return { status: 201 };
  }

  /** "The upload call requires a valid OAuth token …. This is different than the upload video call which doesn't." */
  function checkUploadHeaders(kind: MediaKind, request: StandInRequest): void {
    const token = readBearer(request.headers);
    const isAuthorized = token !== undefined && options.isTokenValid(token);
    if (kind === "video") {
      if (request.headers.authorization !== undefined)
        throw unauthorized(65600, "INVALID_ACCESS_TOKEN", "Video uploads don't accept an access token");
      if (readContentType(request.headers) !== "application/octet-stream")
        throw new Rejection({ status: 415, json: { status: 415, message: "Unsupported media type" } });
      return;
    }
    const mayOmitToken = kind === "document" && request.headers.authorization === undefined;
    if (!isAuthorized && !mayOmitToken) throw unauthorized(65600, "INVALID_ACCESS_TOKEN", "Invalid access token");
  }

  async function finalize(body: unknown): Promise<StandInResponse> {
    const envelope = requireRecord(body, "body", ["finalizeUploadRequest"]);
    const fields = ["video", "uploadToken", "uploadedPartIds"];
    const request = requireRecord(envelope["finalizeUploadRequest"], "finalizeUploadRequest", fields);
    const asset = assets.get(requireString(request["video"], "video"));
    if (asset?.kind !== "video") throw reject(400, "INVALID_VIDEO_ID", "This Video ID is invalid");
    if (!options.canActAs(asset.owner)) throw forbiddenMedia("video");
    if (requireString(request["uploadToken"], "uploadToken") !== "") throw invalidValue("uploadToken");
    if (asset.parts.some(({ bytes }) => !bytes)) throw waitingUpload();
    const partIds = request["uploadedPartIds"];
    if (!Array.isArray(partIds)) throw missingField("uploadedPartIds");
    const areInOrder = partIds.length === asset.parts.length && asset.parts.every(({ etag }, i) => etag === partIds[i]);
    if (!areInOrder) throw invalidValue("uploadedPartIds");
    await complete(asset);
    return { status: 200 };
  }

  async function complete(asset: MediaAsset): Promise<void> {
    const content = Buffer.concat(asset.parts.map(({ bytes }) => bytes!));
    const { mimeType, problem } = await inspect(asset.kind, content);
    asset.processingFailureReason = options.takeProcessingFailure() ? "Internal error" : problem;
    asset.mimeType = mimeType;
    asset.sha256 = hashBytes(content);
    asset.isComplete = true;
  }

  async function inspect(kind: MediaKind, content: Buffer): Promise<{ mimeType: string; problem?: string }> {
    if (kind === "image") {
      const image = await inspectImage(content);
      const mimeType = image?.mimeType ?? "";
      if (!image || !["image/jpeg", "image/png", "image/gif"].includes(mimeType))
        return { mimeType, problem: "Unsupported file format" };
      const isTooLarge = image.width * image.height >= limits.imagePixels || image.frames > limits.gifFrames;
      return isTooLarge ? { mimeType, problem: "File size too large" } : { mimeType };
    }
    if (kind === "document") {
      const mimeType = inspectDocument(content) ?? "";
      if (mimeType === "") return { mimeType, problem: "Unsupported file format" };
      return content.length > limits.documentBytes ? { mimeType, problem: "File size too large" } : { mimeType };
    }
    const video = await inspectVideo(content);
    const mimeType = video?.mimeType ?? "";
    if (!video || mimeType !== "video/mp4") return { mimeType, problem: "Unsupported file format" };
    const hasWrongDuration = video.seconds < limits.videoSeconds.min || video.seconds > limits.videoSeconds.max;
    if (hasWrongDuration) return { mimeType, problem: "Unsupported duration" };
    const isWrongSize = content.length < limits.videoBytes.min || content.length > limits.videoBytes.max;
    return isWrongSize ? { mimeType, problem: "Unsupported file size" } : { mimeType };
  }

  function read(kind: MediaKind, urn: string): StandInResponse {
    const asset = assets.get(urn);
    if (asset?.kind !== kind) throw reject(404, "NOT_FOUND", "Could not find entity");
    // "Tokens with only w_member_social permissions would be unable to perform a GET call for rest/images."
    if (kind === "image" || !options.canActAs(asset.owner)) throw forbiddenMedia(kind);
    const status = statusOf(asset);
    if (status === "PROCESSING") asset.remainingPolls--;
    const reason = asset.processingFailureReason;
    const failure = status === "PROCESSING_FAILED" ? { processingFailureReason: reason } : {};
    return { status: 200, json: { id: asset.urn, owner: asset.owner, status, ...failure } };
  }

  return { assets, statusOf, initialize, finalize, read, upload };
}

function splitIntoParts(size: number): UploadPart[] {
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, part) => ({
    firstByte: part * partBytes,
    lastByte: Math.min((part + 1) * partBytes, size) - 1,
    bytes: undefined,
    etag: "",
  }));
}
