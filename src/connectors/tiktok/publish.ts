import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { minutes } from "#lib/clock.ts";
import { requireId, requireText, toObject, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { StepFailure, stillProcessingOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  LookUpContext,
  ModuleProgress,
  Preparation,
  PrepareContext,
  PublishCall,
} from "../publishing/publish-module.ts";
import { findVideo } from "../publishing/find-video.ts";
import type { ByteRange } from "../publishing/upload-body.ts";
import { listInteractions, readCreator } from "./creator.ts";
import { describeFailure } from "./errors.ts";
import { buildPostInfo, buildVideoInfo } from "./options.ts";

export { readChoices } from "./creator.ts";
export { classifyError } from "./errors.ts";

/** TikTok accepts chunks of 5 to 64 MB. The last one has the rest, so it is less than twice as long. */
const chunkBytes = 5 * 1024 * 1024;
/** How long an upload can be completed after it was started. */
const uploadLifetimeMs = minutes(60);
/** How long to wait for the public id of a post, which TikTok checks first. */
const moderationWaitMs = minutes(2);

export interface TikTokProgress extends ModuleProgress {
  /** Identifies the upload and the post that it becomes. */
  publishId?: string | undefined;
  /** Where a video is uploaded to. Contains a credential. */
  uploadUrl?: string | undefined;
}

export const fetchedMedia = "images";

export const listPostHosts = (): string[] => ["tiktok.com"];

export const canCheckCommit = ({ publishId }: TikTokProgress): boolean => publishId !== undefined;

/** Uploads all chunks of a video but the last, which makes TikTok publish it. */
export async function prepare(context: PrepareContext<TikTokProgress>): Promise<Preparation> {
  const { publishId } = context.progress;
  const video = findVideo(context.content);
  if (publishId === undefined) {
    if (!isDraft(context)) await checkCreator(context);
    if (!video) return "prepared"; // TikTok fetches images after the commit
    await context.save(await startUpload(context, video));
    return sendChunks(context, video, 0);
  }
  const { status, uploadedBytes } = await readStatus(context);
  if (status === "FAILED") return "expired";
  if (!video || status !== "PROCESSING_UPLOAD" || uploadedBytes >= video.bytes) return "already_committed";
  return sendChunks(context, video, uploadedBytes);
}

/** What the account offers may have changed since the choice. */
async function checkCreator(context: CallContext): Promise<void> {
  const { privacy, interactions, disclosure } = context.options;
  const reject = (code: string, message: string): never => {
    throw new StepFailure({ kind: "rejected", code, message });
  };
  const creator = await readCreator(context);
  if (!creator.privacyLevels.some((level) => level === privacy))
    reject("privacy_not_offered", "The account no longer offers the chosen visibility. Choose another one.");
  if (!listInteractions(creator).some(({ value }) => value === interactions))
    reject("interactions_not_offered", "The account no longer allows what others can do. Choose again.");
  if (privacy === "SELF_ONLY" && (disclosure === "branded" || disclosure === "both"))
    reject("branded_private", "Branded content can’t be visible to only you. Change the visibility or the promotion.");
}

function startUpload(context: CallContext, { bytes }: ContentAsset): Promise<Partial<TikTokProgress>> {
  const chunks = planChunks(bytes);
  const source_info = {
    source: "FILE_UPLOAD",
    video_size: bytes,
    chunk_size: chunks.length === 1 ? bytes : chunkBytes,
    total_chunk_count: chunks.length,
  };
  const call = isDraft(context)
    ? buildCall("inbox/video/init", { source_info })
    : buildCall("video/init", {
        post_info: { title: context.content.text, ...buildVideoInfo(context.options) },
        source_info,
      });
  return context.call(call, (body) => ({
    publishId: parsePublishId(body),
    uploadUrl: new URL(requireText(toObject(body["data"])["upload_url"], "upload_url")).href,
  }));
}

function planChunks(bytes: number): ByteRange[] {
  const count = Math.max(Math.floor(bytes / chunkBytes), 1);
  return Array.from({ length: count }, (_, i) => ({
    start: i * chunkBytes,
    end: i === count - 1 ? bytes - 1 : (i + 1) * chunkBytes - 1,
  }));
}

async function sendChunks(context: PrepareContext, video: ContentAsset, start: number): Promise<Preparation> {
  for (const chunk of planChunks(video.bytes).slice(0, -1)) {
    if (chunk.start < start) continue;
    // 403: the upload has expired, and nothing was published.
    const status = await sendChunk(context, video, chunk, [403]);
    if (status === 403) return "expired";
  }
  return "prepared";
}

function sendChunk(
  { send, progress }: CallContext<TikTokProgress>,
  asset: ContentAsset,
  range: ByteRange,
  expectedStatuses: readonly number[],
): Promise<number> {
  const call: PublishCall = {
    method: "PUT",
    url: progress.uploadUrl ?? "",
    headers: {
      "content-type": asset.mimeType,
      "content-range": `bytes ${range.start}-${range.end}/${asset.bytes}`,
    },
    file: { asset, range },
    expectedStatuses,
  };
  return send(call, ({ status }) => status);
}

/** Sends the last chunk of a video, or the URLs of the images. */
export async function commit(context: CommitContext<TikTokProgress>): Promise<CommitOutcome> {
  const video = findVideo(context.content);
  const { progress } = context;
  if (!video) return { kind: "processing", progress: { ...progress, publishId: await sendImages(context) } };
  const [lastChunk = { start: 0, end: 0 }] = planChunks(video.bytes).slice(-1);
  // 403 and 416: the upload has expired, or TikTok has the chunk. The status shows which.
  const status = await sendChunk(context, video, lastChunk, [403, 416]);
  return status < 400
    ? { kind: "processing", progress }
    : { kind: "unknown", message: `the platform responded with status ${status}` };
}

function sendImages(context: CommitContext): Promise<string> {
  const { content, options, createMediaUrl } = context;
  const isDirect = !isDraft(context);
  const call = buildCall("content/init", {
    media_type: "PHOTO",
    post_mode: isDirect ? "DIRECT_POST" : "MEDIA_UPLOAD",
    ...(isDirect && { is_aigc: options["aiGenerated"] === true }),
    post_info: {
      title: content.title ?? "",
      description: content.text,
      ...(isDirect && { ...buildPostInfo(options), auto_add_music: options["music"] === true }),
    },
    source_info: {
      source: "PULL_FROM_URL",
      photo_cover_index: 0,
      photo_images: content.assets.map((asset) => createMediaUrl(asset)),
    },
  });
  return context.call(call, parsePublishId);
}

export async function lookUp(context: LookUpContext<TikTokProgress>): Promise<LookUpOutcome> {
  const { progress, elapsedMs, options } = context;
  // TikTok has no key and no list for images whose response was lost.
  if (progress.publishId === undefined) return { kind: "undecidable" };
  const { status, uploadedBytes, failReason, postId } = await readStatus(context);
  const video = findVideo(context.content);
  switch (status) {
    case "PUBLISH_COMPLETE": {
      const isMissingId = postId === undefined && options["privacy"] === "PUBLIC_TO_EVERYONE";
      if (isMissingId && elapsedMs < moderationWaitMs)
        return { kind: "unknown", message: "the platform has not made the post public yet" };
      return { ...toPost(context, postId), ...(isMissingId && { problem: notPublicProblem }) };
    }
    case "SEND_TO_USER_INBOX":
      return { ...toPost(context, undefined), problem: draftProblem };
    case "FAILED":
      return { kind: "rejected", code: failReason, message: describeFailure(failReason) };
  }
  if (!video || status !== "PROCESSING_UPLOAD" || uploadedBytes >= video.bytes) return stillProcessingOutcome;
  if (elapsedMs < uploadLifetimeMs) return { kind: "repeatable", ifRejected: "unconfirmed" };
  const message = "The upload at TikTok expired before it was complete. Publish the post again.";
  return { kind: "rejected", code: "expired", message };
}

interface Status {
  status: string;
  uploadedBytes: number;
  failReason: string;
  /** Absent unless the post is public. */
  postId: string | undefined;
}

function readStatus({ call, progress }: CallContext<TikTokProgress>): Promise<Status> {
  return call(buildCall("status/fetch", { publish_id: progress.publishId }), (body) => {
    const data = toObject(body["data"]);
    const ids = data["publicaly_available_post_id"];
    const postId: unknown = Array.isArray(ids) ? ids[0] : undefined;
    return {
      status: requireText(data["status"], "status"),
      uploadedBytes: Number(data["uploaded_bytes"] ?? 0),
      failReason: toText(data["fail_reason"]) ?? "failed",
      postId: postId === undefined ? undefined : requireId(postId),
    };
  });
}

function toPost(
  { account: { handle }, progress: { publishId = "" }, content }: CommitContext<TikTokProgress>,
  postId: string | undefined,
): Extract<CommitOutcome, { kind: "published" }> {
  const type = findVideo(content) ? "video" : "photo";
  const canLink = postId !== undefined && handle !== null;
  const url = canLink ? `https://www.tiktok.com/@${encodeURIComponent(handle)}/${type}/${postId}` : null;
  return { kind: "published", remoteId: postId ?? `publish:${publishId}`, url };
}

const notPublicProblem = {
  code: "not_public",
  message:
    "TikTok has published it, but does not list it as public. TikTok may still be checking it, or keeps it private because this server’s app is not audited. Check the post in TikTok’s app.",
};

const draftProblem = {
  code: "draft",
  message: "It is a draft. Open the notification in TikTok’s app to finish and post it.",
};

const isDraft = ({ options }: CallContext): boolean => options["mode"] === "draft";

const parsePublishId = (body: JsonObject): string => requireId(toObject(body["data"])["publish_id"], "publish_id");

const buildCall = (path: string, json: JsonObject): PublishCall => ({
  method: "POST",
  path: `/v2/post/publish/${path}/`,
  json,
});
