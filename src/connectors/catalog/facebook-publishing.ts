import { minutes, seconds } from "#lib/clock.ts";
import type { ContentAsset, PublicationContent } from "#domain/publishing/ports.ts";
import { parseList, requireId, requireText, toObject, toObjectList, toText, toUrl } from "../call-api.ts";
import { classifyGraphError } from "../graph/errors.ts";
import type { MediaUpload } from "../media-upload.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { PublishContext, Publishing, RemotePost } from "../publishing.ts";

/** How many of the page's newest posts are compared after a lost response. */
const maxComparedPosts = 10;
/** Facebook returns at most this many files of a post by default. */
const maxListedFiles = 12;
/** Facebook fetches the video before it responds. No longer than the drain, so that a commit can finish. */
const videoTimeoutMs = seconds(25);
/** How long Facebook may need to fetch a video. The post is in the feed only after that. */
const videoAppearanceDelayMs = minutes(15);
/** How far Facebook's clock may be behind ours. */
const clockToleranceMs = seconds(60);
const site = "https://www.facebook.com";

export const facebookPublishing: Publishing = {
  listPostHosts: () => ["facebook.com"],
  fetchedMedia: "videos",
  classifyError: classifyGraphError,
  media: ({ kind }) => (kind === "image" ? unpublishedPhoto : undefined),
  commit: {
    buildCall: (context) => {
      const { text } = context.content;
      const video = findVideo(context.content);
      if (video)
        return {
          ...buildCall(context, "POST", "videos"),
          timeoutMs: videoTimeoutMs,
          form: { file_url: context.createMediaUrl(video), ...(text === "" ? {} : { description: text }) },
        };
      return {
        ...buildCall(context, "POST", "feed"),
        form: { ...(text === "" ? {} : { message: text }), ...buildAttachedMedia(context) },
      };
    },
    parsePost: (body) => {
      const id = requireId(body["id"]);
      return { id, url: `${site}/${id}` };
    },
    // The response has the id of the video. The video is public when Facebook has processed it, which may fail.
    processing: {
      isRequired: (content) => findVideo(content) !== undefined,
      buildStatusCall: (context, videoId) => buildReadCall(context, videoId, "status,post_id,permalink_url"),
      parseStatus: parseVideoStatus,
    },
  },
  permalink: {
    buildCall: (context, postId) => buildReadCall(context, postId, "permalink_url"),
    parseUrl,
  },
  reconcile: {
    buildCall: (context) => ({
      ...buildCall(context, "GET", "feed"),
      query: {
        fields: "id,message,created_time,from,permalink_url,attachments{media_type,subattachments{media_type}}",
        limit: String(maxComparedPosts),
      },
    }),
    listIds: ({ data }) => parseList(data, ({ id }) => requireId(id)),
    findPosts: ({ data }, context) =>
      parseList(
        toObjectList(data).filter((post) => isSamePost(post, context)),
        toPost,
      ),
    getAppearanceDelayMs: (content) => (findVideo(content) ? videoAppearanceDelayMs : undefined),
  },
};

function buildCall({ accessToken, endpoints, account }: PublishContext, method: "GET" | "POST", edge: string): ApiCall {
  return { method, url: `${endpoints.api}/${encodeURIComponent(account.id)}/${edge}`, bearer: accessToken };
}

function buildReadCall({ accessToken, endpoints }: PublishContext, id: string, fields: string): ApiCall {
  return {
    method: "GET",
    url: `${endpoints.api}/${encodeURIComponent(id)}`,
    bearer: accessToken,
    query: { fields },
  };
}

const findVideo = ({ assets }: PublicationContent): ContentAsset | undefined =>
  assets.find(({ kind }) => kind === "video");

/** Uploads a photo that is on no post yet. The post then refers to it. */
const unpublishedPhoto: MediaUpload = {
  buildCall: (context, { altText, filename, mimeType }) => ({
    ...buildCall(context, "POST", "photos"),
    upload: {
      fields: { published: "false", ...(altText === null || altText === "" ? {} : { alt_text_custom: altText }) },
      fileField: "source",
      filename,
      mimeType,
    },
  }),
  parseId: (body) => requireId(body["id"]),
};

function buildAttachedMedia({ content, progress }: PublishContext): Record<string, string> {
  return Object.fromEntries(
    content.assets.map(({ id }, i) => [`attached_media[${i}]`, JSON.stringify({ media_fbid: progress.mediaIds[id] })]),
  );
}

function toPost(post: JsonObject): RemotePost {
  const id = requireId(post["id"]);
  return { id, url: parseUrl(post) ?? `${site}/${id}` };
}

const videoPhases = ["uploading_phase", "processing_phase", "publishing_phase"] as const;
const failedStatuses: readonly unknown[] = ["error", "expired", "upload_failed"];

function parseVideoStatus(video: JsonObject, context: PublishContext): "in_progress" | "rejected" | RemotePost {
  const status = toObject(video["status"]);
  const videoStatus = requireText(status["video_status"], "video_status");
  const phaseStatuses = videoPhases.map((phase) => toObject(status[phase])["status"]);
  if ([videoStatus, ...phaseStatuses].some((value) => failedStatuses.includes(value))) return "rejected";
  const isPublic =
    videoStatus === "ready" && phaseStatuses.every((value) => value === undefined || value === "complete");
  return isPublic ? toVideoPost(video, context) : "in_progress";
}

/** The post of a video, with the id that the feed has: `{page}_{post}`. */
function toVideoPost(video: JsonObject, { account }: PublishContext): RemotePost {
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
function isSamePost(post: JsonObject, { account, content, committedAt = 0 }: PublishContext): boolean {
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
