import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, FailedOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import type { AccountChoices } from "#portable/post-options.ts";
import { readObject, requireId, requireText, toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { findVideo } from "../publishing/find-video.ts";
import { StepFailure, rateLimitOutcome, reconnectOutcome, stillProcessingOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ErrorResponse,
  LookUpContext,
  ModuleProgress,
  Preparation,
  PrepareContext,
  PublishCall,
  ResultsContext,
} from "../publishing/publish-module.ts";
import { toPublished } from "../publishing/read-back.ts";
import { awaitProcessing, type ProcessingStatus } from "../publishing/upload-files.ts";

/** All parts but the last have a multiple of 256 KiB. */
const partBytes = 8 * 1024 * 1024;

export interface YouTubeProgress extends ModuleProgress {
  /** Where the video is uploaded to. Later runs ask there how much has arrived. */
  sessionUrl?: string | undefined;
  /** Of the complete video, which is private. */
  videoId?: string | undefined;
  /** Whether YouTube accepted the thumbnail. */
  hasThumbnail?: boolean | undefined;
}

export const listPostHosts = (): string[] => ["youtube.com", "youtu.be"];

export const canCheckCommit = ({ videoId }: YouTubeProgress): boolean => videoId !== undefined;

/** Uploads the video as private, so that only the channel sees a lost upload. */
export async function prepare(context: PrepareContext<YouTubeProgress>): Promise<Preparation> {
  if (context.progress.videoId === undefined) {
    const upload = await uploadVideo(context);
    if (upload.kind === "expired") return "expired";
    await context.save({ videoId: upload.videoId });
  }
  const { kind } = await awaitVideo(context);
  if (kind === "published") return "already_committed";
  if (kind === "expired") return "expired";
  await setThumbnail(context);
  return "prepared";
}

type Upload = { kind: "partial"; start: number } | { kind: "complete"; videoId: string } | { kind: "expired" };

async function uploadVideo(context: PrepareContext<YouTubeProgress>): Promise<Exclude<Upload, { kind: "partial" }>> {
  const asset = findVideo(context.content);
  if (!asset) throw new Error("the post has no video");
  const { sessionUrl: existingUrl } = context.progress;
  const sessionUrl = existingUrl ?? (await startSession(context, asset));
  if (existingUrl === undefined) await context.save({ sessionUrl });
  let upload: Upload =
    existingUrl === undefined ? { kind: "partial", start: 0 } : await sendPart(context, asset, sessionUrl);
  while (upload.kind === "partial") {
    const { start }: { start: number } = upload;
    upload = await sendPart(context, asset, sessionUrl, start);
    if (upload.kind === "partial" && upload.start <= start)
      throw new StepFailure({ kind: "unknown", message: "the platform did not store a part of the video" });
  }
  return upload;
}

/** Returns the URL of the session. It needs no access token, so it is a secret. */
function startSession(context: CallContext, asset: ContentAsset): Promise<string> {
  const { content, options } = context;
  const call: PublishCall = {
    method: "POST",
    url: buildUploadUrl(context, "videos"),
    isAuthorized: true,
    query: {
      uploadType: "resumable",
      part: "snippet,status",
      notifySubscribers: String(options["withoutNotification"] !== true),
    },
    headers: { "x-upload-content-length": String(asset.bytes), "x-upload-content-type": asset.mimeType },
    json: {
      snippet: {
        title: content.title ?? "",
        description: content.text,
        tags: options["tags"],
        categoryId: options["category"],
      },
      status: buildStatus(context, "private"),
    },
  };
  return context.send(call, ({ headers }) => new URL(requireText(headers.get("location"), "location")).href);
}

/** Sends the bytes from `start`. Without it, sends nothing, and returns how much has arrived. */
async function sendPart({ send }: CallContext, asset: ContentAsset, url: string, start?: number): Promise<Upload> {
  const end = Math.min((start ?? 0) + partBytes, asset.bytes) - 1;
  const call: PublishCall = {
    method: "PUT",
    url,
    headers: { "content-range": `bytes ${start === undefined ? "*" : `${start}-${end}`}/${asset.bytes}` },
    // 308: incomplete. 404 and 410: the session has expired.
    expectedStatuses: [308, 404, 410],
    ...(start === undefined ? {} : { file: { asset, range: { start, end } } }),
  };
  return send(call, parseUpload);
}

async function parseUpload(response: Response): Promise<Upload> {
  if (response.ok) return { kind: "complete", videoId: requireId((await readObject(response))["id"]) };
  if (response.status !== 308) return { kind: "expired" };
  const lastByte = /^bytes=0-(\d+)$/.exec(response.headers.get("range") ?? "")?.[1];
  return { kind: "partial", start: lastByte === undefined ? 0 : Number(lastByte) + 1 };
}

/** Waits a while: YouTube may reject the video. A video that YouTube still processes can become public. */
async function awaitVideo(context: PrepareContext<YouTubeProgress>): Promise<ProcessingStatus> {
  const readStatus = async (): Promise<ProcessingStatus> => {
    const video = await readVideo(context);
    if (!video) return { kind: "expired" };
    const { uploadStatus, failureReason, rejectionReason, privacyStatus } = video;
    if (uploadStatus === "failed" || uploadStatus === "rejected" || uploadStatus === "deleted") {
      const message = `YouTube can’t use the video (${toText(failureReason ?? rejectionReason) ?? uploadStatus}).`;
      throw new StepFailure({ kind: "rejected", code: "media_rejected", message });
    }
    if (privacyStatus !== "private") return { kind: "published" };
    return { kind: uploadStatus === "processed" ? "ready" : "in_progress" };
  };
  try {
    return await awaitProcessing(context, readStatus);
  } catch (error) {
    if (error instanceof StepFailure && error.outcome === stillProcessingOutcome) return { kind: "ready" };
    throw error;
  }
}

/** The status of the video; undefined if it was deleted. */
function readVideo({ call, progress }: CallContext<YouTubeProgress>): Promise<JsonObject | undefined> {
  const query = { part: "status,processingDetails", id: progress.videoId ?? "" };
  return call({ method: "GET", path: "/videos", query }, ({ items }) => {
    const [video] = toObjectList(items);
    return video && toObject(video["status"]);
  });
}

/** Uses the image of the post. Only verified channels may do this, so a failure is only reported. */
async function setThumbnail(context: PrepareContext<YouTubeProgress>): Promise<void> {
  const { content, progress } = context;
  const asset = content.assets.find(({ kind }) => kind === "image");
  if (!asset || progress.hasThumbnail !== undefined) return;
  const call: PublishCall = {
    method: "POST",
    url: buildUploadUrl(context, "thumbnails/set"),
    isAuthorized: true,
    query: { videoId: progress.videoId ?? "" },
    headers: { "content-type": asset.mimeType },
    file: { asset },
  };
  const request = context.send(call, () => true);
  const hasThumbnail = await request.catch((error: unknown) => {
    if (error instanceof StepFailure) return false;
    throw error;
  });
  await context.save({ hasThumbnail });
}

/** Makes the video as visible as was approved. A repetition changes nothing. */
export async function commit(context: CommitContext<YouTubeProgress>): Promise<CommitOutcome> {
  const { call, progress, options } = context;
  const json = { id: progress.videoId, status: buildStatus(context, options["privacy"]) };
  const video = await call({ method: "PUT", path: "/videos", query: { part: "status" }, json }, ({ id, status }) => {
    requireId(id);
    return toObject(status);
  });
  // YouTube may have changed it again. The update has succeeded, even if this call fails.
  return toVideoPost(context, (await readVideo(context).catch(() => undefined)) ?? video);
}

export async function lookUp(context: LookUpContext<YouTubeProgress>): Promise<LookUpOutcome> {
  const video = await readVideo(context);
  if (!video) return { kind: "not_found" };
  return video["privacyStatus"] === "private"
    ? { kind: "repeatable", ifRejected: "unconfirmed" }
    : toVideoPost(context, video);
}

function toVideoPost(
  { progress: { videoId = "", hasThumbnail }, options }: CommitContext<YouTubeProgress>,
  { privacyStatus }: JsonObject,
): Extract<CommitOutcome, { kind: "published" }> {
  const post = toPublished({ id: videoId, url: `https://www.youtube.com/watch?v=${encodeURIComponent(videoId)}` });
  if (privacyStatus === "private" && options["privacy"] !== "private") return { ...post, problem: madePrivateProblem };
  return hasThumbnail === false ? { ...post, problem: thumbnailProblem } : post;
}

const madePrivateProblem = {
  code: "made_private",
  message:
    "YouTube keeps the video private. It does so with the videos of apps that Google has not audited. Ask the person who runs this server to request the audit.",
};

const thumbnailProblem = {
  code: "thumbnail_rejected",
  message:
    "YouTube did not accept the thumbnail. Verify the channel’s phone number, or add the thumbnail in YouTube Studio.",
};

/** Sets all of the fields, because an update removes those that it does not name. */
const buildStatus = ({ options }: CallContext, privacyStatus: unknown): JsonObject => ({
  privacyStatus,
  selfDeclaredMadeForKids: options["madeForKids"] === "yes",
  containsSyntheticMedia: options["syntheticMedia"] === true,
});

const buildUploadUrl = ({ api }: CallContext, path: string): string => new URL(`/upload/youtube/v3/${path}`, api).href;

/** The categories that videos can have. */
export const readChoices = ({ call }: ResultsContext): Promise<AccountChoices> =>
  call({ method: "GET", path: "/videoCategories", query: { part: "snippet", regionCode: "US" } }, ({ items }) => ({
    category: toObjectList(items).flatMap(({ id, snippet }) => {
      const { title, assignable } = toObject(snippet);
      return assignable === true ? [{ value: requireId(id), label: requireText(title, "title") }] : [];
    }),
  }));

const rejections: Readonly<Record<string, string>> = {
  quotaExceeded: "This server’s app has used up its daily quota at YouTube. Publish again tomorrow.",
  uploadLimitExceeded: "The channel has uploaded as many videos as YouTube allows for now. Publish again tomorrow.",
  invalidTags: "YouTube rejected the tags. Use fewer or shorter ones.",
};

/** Google names the reason of an error in its body. */
export function classifyError({ status, body }: ErrorResponse): FailedOutcome | undefined {
  const [error] = toObjectList(toObject(body["error"])["errors"]);
  const reason = toText(error?.["reason"]) ?? "";
  if (status >= 500) return undefined;
  if (reason === "rateLimitExceeded" || reason === "userRateLimitExceeded") return rateLimitOutcome;
  if (reason === "insufficientPermissions") return reconnectOutcome;
  const message = rejections[reason];
  return message === undefined ? undefined : { kind: "rejected", code: reason, message };
}
