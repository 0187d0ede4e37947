import { seconds, toIsoTime } from "#lib/clock.ts";
import { parseList, requireId, toObject, toObjectList, toText } from "../call-api.ts";
import { duplicateOutcome } from "../classify-status.ts";
import type { FilePart, MediaUpload } from "../media-upload.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { ErrorResponse, ProcessingStatus, PublishContext, Publishing, RemotePost } from "../publishing.ts";

/** X accepts up to 5 MB per part, and up to 1,000 parts. */
const partBytes = 4_000_000;
/** How many of the account's newest posts are compared after a lost response. X charges for each. */
const maxComparedPosts = 10;
/** How far X's clock may be behind ours. */
const clockToleranceMs = seconds(60);

export const xPublishing: Publishing = {
  listPostHosts: () => ["x.com", "twitter.com"],
  classifyError,
  // An animated GIF is accepted only as the single file of a post, and only in parts.
  media: ({ kind, mimeType }, { assets }) =>
    kind === "video" || (mimeType === "image/gif" && assets.length === 1) ? chunkedUpload : imageUpload,
  commit: {
    buildCall: (context) => ({
      ...buildCall(context, "POST", "/2/tweets"),
      json: {
        ...(context.content.text === "" ? {} : { text: context.content.text }),
        ...(context.content.assets.length === 0 ? {} : { media: { media_ids: listMediaIds(context) } }),
      },
    }),
    parsePost: ({ data }, context) => toPost(toObject(data), context),
  },
  reconcile: {
    buildCall: (context) => ({
      ...buildCall(context, "GET", `/2/users/${encodeURIComponent(context.account.id)}/tweets`),
      query: {
        max_results: String(maxComparedPosts),
        exclude: "retweets,replies",
        start_time: toIsoTime((context.committedAt ?? 0) - clockToleranceMs),
        "tweet.fields": "attachments,created_at,entities",
      },
    }),
    findPosts: ({ data }, context) =>
      parseList(
        toObjectList(data).filter((post) => isSamePost(post, context)),
        (post) => toPost(post, context),
      ),
  },
};

function buildCall({ accessToken, endpoints }: PublishContext, method: ApiCall["method"], path: string): ApiCall {
  return { method, url: `${endpoints.api}${path}`, bearer: accessToken };
}

const listMediaIds = ({ content, progress }: PublishContext): string[] =>
  content.assets.map(({ id }) => progress.mediaIds[id] ?? "");

const parseMediaId = ({ data }: JsonObject): string => requireId(toObject(data)["id"]);

/** X has alt text for images only. */
const buildAltTextCall: MediaUpload["buildAltTextCall"] = (context, { kind, altText }, mediaId) =>
  kind !== "image" || altText === null || altText === ""
    ? undefined
    : {
        ...buildCall(context, "POST", "/2/media/metadata"),
        json: { id: mediaId, metadata: { alt_text: { text: altText } } },
      };

const processing: MediaUpload["processing"] = {
  isPending: (_status, { data }) => toText(toObject(toObject(data)["processing_info"])["state"]) !== undefined,
  buildStatusCall: (context, mediaId) => ({
    ...buildCall(context, "GET", "/2/media/upload"),
    query: { command: "STATUS", media_id: mediaId },
  }),
  parseStatus,
};

function parseStatus({ data }: JsonObject): ProcessingStatus {
  const { state, check_after_secs: delay } = toObject(toObject(data)["processing_info"]);
  if (state === undefined || state === "succeeded") return "ready";
  if (state === "failed") return "rejected";
  return typeof delay === "number" ? { checkAfterMs: seconds(delay) } : "in_progress";
}

const imageUpload: MediaUpload = {
  buildCall: (context, { filename, mimeType }) => ({
    ...buildCall(context, "POST", "/2/media/upload"),
    upload: { fields: { media_category: "tweet_image" }, fileField: "media", filename, mimeType },
  }),
  parseId: parseMediaId,
  buildAltTextCall,
  processing,
};

const chunkedUpload: MediaUpload = {
  start: {
    buildCall: (context, { kind, mimeType, bytes }) => ({
      ...buildCall(context, "POST", "/2/media/upload/initialize"),
      json: {
        media_type: mimeType,
        media_category: kind === "video" ? "tweet_video" : "tweet_gif",
        total_bytes: bytes,
      },
    }),
    parseSession: (body, { bytes }) => ({ mediaId: parseMediaId(body), parts: splitFile(bytes) }),
  },
  part: {
    buildCall: (context, { filename }, { mediaId }, index) => ({
      ...buildCall(context, "POST", `/2/media/upload/${encodeURIComponent(mediaId)}/append`),
      upload: {
        fields: { segment_index: String(index) },
        fileField: "media",
        filename,
        mimeType: "application/octet-stream",
      },
    }),
  },
  finish: {
    buildCall: (context, { mediaId }) =>
      buildCall(context, "POST", `/2/media/upload/${encodeURIComponent(mediaId)}/finalize`),
  },
  buildAltTextCall,
  processing,
};

function splitFile(bytes: number): FilePart[] {
  const count = Math.ceil(bytes / partBytes);
  return Array.from({ length: count }, (_, i) => ({
    url: "",
    start: i * partBytes,
    end: Math.min((i + 1) * partBytes, bytes) - 1,
  }));
}

function toPost(post: JsonObject, { account }: PublishContext): RemotePost {
  const id = requireId(post["id"]);
  const path = account.handle === null ? "i/web" : encodeURIComponent(account.handle);
  return { id, url: `https://x.com/${path}/status/${id}` };
}

function isSamePost(post: JsonObject, { content, committedAt = 0 }: PublishContext): boolean {
  const mediaKeys = toObject(post["attachments"])["media_keys"];
  return (
    Date.parse(toText(post["created_at"]) ?? "") >= committedAt - clockToleranceMs &&
    (Array.isArray(mediaKeys) ? mediaKeys.length : 0) === content.assets.length &&
    normalize(restoreText(post)) === normalize(content.text)
  );
}

/** Undoes what X does to a text: it replaces links with its own, adds one for the media, and escapes three characters. */
function restoreText(post: JsonObject): string {
  const urls = toObjectList(toObject(post["entities"])["urls"]);
  const text = urls.reduce(
    (current, { url, expanded_url: target }) => {
      const expandedUrl = toText(target) ?? "";
      const isMedia = expandedUrl.includes(`/status/${toText(post["id"])}/`);
      return current.replace(toText(url) ?? "", () => (isMedia ? "" : expandedUrl));
    },
    toText(post["text"]) ?? "",
  );
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** X completes links: `example.com` becomes `https://example.com/`. */
const normalize = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll("\r\n", "\n")
    .replace(/https?:\/\//gi, "")
    .replace(/\/(?=\s|$)/g, "")
    .trim();

/** X rejects a post with the same content as an earlier one. */
function classifyError({ status, body }: ErrorResponse) {
  return status === 403 && /duplicate content/i.test(toText(body["detail"]) ?? "") ? duplicateOutcome : undefined;
}
