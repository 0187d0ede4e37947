import type { ContentAsset, PublicationContent } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { parseList, requireId, requireText, toObject, toObjectList, toText, toUrl } from "../call-api.ts";
import { classifyGraphError } from "../graph/errors.ts";
import type { JsonObject } from "../platform.ts";
import { findVideo } from "../publishing/find-video.ts";
import { mediaRejectedOutcome, orIfRejected, stillProcessingOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  LookUpContext,
  Preparation,
  PrepareContext,
  PublishCall,
} from "../publishing/publish-module.ts";
import {
  chooseOnlyMatch,
  clockToleranceMs,
  excludeOtherPosts,
  toPublished,
  type ReadBackProgress,
  type RemotePost,
} from "../publishing/read-back.ts";
import { requireMediaId, uploadFiles, type UploadedFile } from "../publishing/upload-files.ts";

/** How many of the page's newest posts are compared after a lost response. */
const maxComparedPosts = 10;
/** Facebook returns at most this many files of a post by default. */
const maxListedFiles = 12;
/** Facebook fetches the video before it responds. No longer than the drain, so that a commit can finish. */
const videoTimeoutMs = seconds(25);
/** How long Facebook may need to fetch a video. The post is in the feed only after that. */
const videoAppearanceDelayMs = minutes(15);
const site = "https://www.facebook.com";

interface FacebookProgress extends ReadBackProgress {
  /** The video of a commit that Facebook accepted. It is public when Facebook has processed it, which may fail. */
  processingId?: string | undefined;
}

export const fetchedMedia = "videos";

export { results } from "./results.ts";

export const listPostHosts = (): string[] => ["facebook.com"];

export const classifyError = classifyGraphError;

export const canCheckCommit = ({ processingId }: FacebookProgress): boolean => processingId !== undefined;

export async function prepare(context: PrepareContext<FacebookProgress>): Promise<Preparation> {
  const { processingId } = context.progress;
  if (processingId !== undefined) {
    // A user publishes again and has checked the page. If Facebook does not let us read the video, that has to do.
    const status = await orIfRejected(readVideoStatus(context, processingId), "rejected");
    return status === "rejected" ? "expired" : "already_committed";
  }
  if (!findVideo(context.content)) await uploadFiles(context, (asset) => uploadPhoto(context, asset));
  await context.save({ earlierPostIds: await readFeed(context, ({ id }) => requireId(id)) });
  return "prepared";
}

/** Uploads a photo that is on no post yet. The post then refers to it. */
function uploadPhoto(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { altText, filename, mimeType } = asset;
  const fields = { published: "false", ...(altText === null || altText === "" ? {} : { alt_text_custom: altText }) };
  const form = { fields, fileField: "source", filename, mimeType };
  return context.call({ method: "POST", path: buildPath(context, "photos"), file: { asset, form } }, ({ id }) => ({
    id: requireId(id),
  }));
}

export async function commit(context: CommitContext<FacebookProgress>): Promise<CommitOutcome> {
  const { text } = context.content;
  const video = findVideo(context.content);
  if (video) {
    const form = { file_url: context.createMediaUrl(video), ...(text === "" ? {} : { description: text }) };
    const call: PublishCall = { method: "POST", path: buildPath(context, "videos"), timeoutMs: videoTimeoutMs, form };
    const processingId = await context.call(call, ({ id }) => requireId(id));
    return { kind: "processing", progress: { ...context.progress, processingId } };
  }
  const form = { ...(text === "" ? {} : { message: text }), ...buildAttachedMedia(context) };
  const id = await context.call({ method: "POST", path: buildPath(context, "feed"), form }, (body) =>
    requireId(body["id"]),
  );
  const url = await context.call(buildReadCall(id, "permalink_url"), parseUrl).catch(() => null); // it is public already
  return toPublished({ id, url: url ?? `${site}/${id}` });
}

/** Reads the status of a video; compares the page's newest posts with what was sent otherwise. */
export async function lookUp(context: LookUpContext<FacebookProgress>): Promise<LookUpOutcome> {
  const { processingId } = context.progress;
  if (processingId !== undefined) {
    const status = await readVideoStatus(context, processingId);
    if (status === "in_progress") return stillProcessingOutcome;
    return status === "rejected" ? mediaRejectedOutcome : toPublished(status);
  }
  const posts = await readFeed(context, (post) => ({ ...toPost(post), isSame: isSamePost(post, context) }));
  const matches = posts.filter(({ isSame }) => isSame);
  const appearsWithinMs = findVideo(context.content) ? videoAppearanceDelayMs : undefined;
  return chooseOnlyMatch(await excludeOtherPosts(context, matches), appearsWithinMs);
}

const buildPath = ({ account }: CallContext, edge: string): string => `/${encodeURIComponent(account.id)}/${edge}`;

const buildReadCall = (id: string, fields: string): PublishCall => ({
  method: "GET",
  path: `/${encodeURIComponent(id)}`,
  query: { fields },
});

function readFeed<T>(context: CallContext, parse: (post: JsonObject) => T): Promise<T[]> {
  const fields = "id,message,created_time,from,permalink_url,attachments{media_type,subattachments{media_type}}";
  const query = { fields, limit: String(maxComparedPosts) };
  return context.call({ method: "GET", path: buildPath(context, "feed"), query }, ({ data }) => parseList(data, parse));
}

function buildAttachedMedia({ content, progress }: CommitContext): Record<string, string> {
  return Object.fromEntries(
    content.assets.map(({ id }, i) => [
      `attached_media[${i}]`,
      JSON.stringify({ media_fbid: requireMediaId(progress, id) }),
    ]),
  );
}

function toPost(post: JsonObject): RemotePost {
  const id = requireId(post["id"]);
  return { id, url: parseUrl(post) ?? `${site}/${id}` };
}

const videoPhases = ["uploading_phase", "processing_phase", "publishing_phase"] as const;
const failedStatuses: readonly unknown[] = ["error", "expired", "upload_failed"];

/** The post of a video that is public, or the status of its processing. */
function readVideoStatus(context: CallContext, videoId: string): Promise<"in_progress" | "rejected" | RemotePost> {
  return context.call(buildReadCall(videoId, "status,post_id,permalink_url"), (video) => {
    const status = toObject(video["status"]);
    const videoStatus = requireText(status["video_status"], "video_status");
    const phaseStatuses = videoPhases.map((phase) => toObject(status[phase])["status"]);
    if ([videoStatus, ...phaseStatuses].some((value) => failedStatuses.includes(value))) return "rejected";
    const isPublic =
      videoStatus === "ready" && phaseStatuses.every((value) => value === undefined || value === "complete");
    return isPublic ? toVideoPost(video, context) : "in_progress";
  });
}

/** The post of a video, with the id that the feed has: `{page}_{post}`. */
function toVideoPost(video: JsonObject, { account }: CallContext): RemotePost {
  const { id: videoId, url } = toPost(video);
  if (video["post_id"] === undefined) return { id: videoId, url };
  const postId = requireId(video["post_id"], "post_id");
  return { id: postId.includes("_") ? postId : `${account.id}_${postId}`, url };
}

/** Videos have a URL without the host. */
function parseUrl({ permalink_url: permalink }: JsonObject): string | null {
  return toUrl(typeof permalink === "string" && permalink.startsWith("/") ? `${site}${permalink}` : permalink);
}

/** Compares author and time too, because the feed also has posts of visitors and older posts. */
function isSamePost(post: JsonObject, { account, content, committedAt }: LookUpContext): boolean {
  return (
    toText(toObject(post["from"])["id"]) === account.id &&
    Date.parse(toText(post["created_time"]) ?? "") >= committedAt - clockToleranceMs &&
    (toText(post["message"]) ?? "").trim() === content.text.trim() &&
    hasSameMedia(post, content)
  );
}

function hasSameMedia(post: JsonObject, { assets }: PublicationContent): boolean {
  const attachments = toObjectList(toObject(post["attachments"])["data"]).slice(0, 1);
  const files = toObjectList(toObject(attachments[0]?.["subattachments"])["data"]);
  const mediaTypes = (files.length > 0 ? files : attachments).map((file) => file["media_type"]);
  // If the text has a link, Facebook attaches a preview of the linked page, which is not a file of the post.
  if (assets.length === 0) return mediaTypes.every((type) => type !== "photo" && type !== "video");
  const expectedTypes = assets.slice(0, maxListedFiles).map(({ kind }) => (kind === "video" ? "video" : "photo"));
  return (
    Math.min(mediaTypes.length, maxListedFiles) === expectedTypes.length &&
    expectedTypes.every((type, i) => mediaTypes[i] === type)
  );
}
