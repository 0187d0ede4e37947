import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, FailedOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { seconds, toIsoTime } from "#lib/clock.ts";
import { parseList, requireId, toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { duplicateOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ErrorResponse,
  LookUpContext,
  Preparation,
  PrepareContext,
  PublishCall,
} from "../publishing/publish-module.ts";
import { clockToleranceMs, excludeOtherPosts, toPublished, type RemotePost } from "../publishing/read-back.ts";
import {
  awaitFiles,
  listMediaIds,
  uploadFiles,
  type ProcessingStatus,
  type UploadedFile,
} from "../publishing/upload-files.ts";
import { buildOptionFields } from "./options.ts";

/** X accepts up to 5 MB per part, and up to 1,000 parts. */
const partBytes = 4_000_000;
/** How many of the account's newest posts are compared after a lost response. X charges for each. */
const maxComparedPosts = 10;

export const canReply = true;

export { results } from "./results.ts";

export const listPostHosts = (): string[] => ["x.com", "twitter.com"];

export async function prepare(context: PrepareContext): Promise<Preparation> {
  await uploadFiles(context, async (asset) => {
    // An animated GIF is accepted only as the single file of a post, and only in parts.
    const isOnlyGif = asset.mimeType === "image/gif" && context.content.assets.length === 1;
    const isInParts = asset.kind === "video" || isOnlyGif;
    const file = await (isInParts ? uploadInParts(context, asset) : uploadImage(context, asset));
    await setAltText(context, asset, file.id);
    return file;
  });
  await awaitFiles(context, (mediaId) => {
    const query = { command: "STATUS", media_id: mediaId };
    return context.call({ method: "GET", path: "/2/media/upload", query }, parseStatus);
  });
  return "prepared";
}

function uploadImage(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { filename, mimeType } = asset;
  const form = { fields: { media_category: "tweet_image" }, fileField: "media", filename, mimeType };
  return context.call({ method: "POST", path: "/2/media/upload", file: { asset, form } }, (body) => ({
    id: parseMediaId(body),
    isPending: isProcessing(body),
  }));
}

async function uploadInParts(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { kind, mimeType, bytes, filename } = asset;
  const json = {
    media_type: mimeType,
    media_category: kind === "video" ? "tweet_video" : "tweet_gif",
    total_bytes: bytes,
  };
  const id = await context.call({ method: "POST", path: "/2/media/upload/initialize", json }, parseMediaId);
  const path = `/2/media/upload/${encodeURIComponent(id)}`;
  for (let start = 0, index = 0; start < bytes; start += partBytes, index++) {
    const fields = { segment_index: String(index) };
    const form = { fields, fileField: "media", filename, mimeType: "application/octet-stream" };
    const range = { start, end: Math.min(start + partBytes, bytes) - 1 };
    await context.send({ method: "POST", path: `${path}/append`, file: { asset, form, range } }, () => {});
  }
  return context.call({ method: "POST", path: `${path}/finalize` }, (body) => ({
    id,
    isPending: isProcessing(body),
  }));
}

/** X has alt text for images only. */
async function setAltText(context: CallContext, { kind, altText }: ContentAsset, mediaId: string): Promise<void> {
  if (kind !== "image" || altText === null || altText === "") return;
  const json = { id: mediaId, metadata: { alt_text: { text: altText } } };
  await context.call({ method: "POST", path: "/2/media/metadata", json }, () => {});
}

export async function commit(context: CommitContext): Promise<CommitOutcome> {
  const { content, options, replyTo } = context;
  const { text, assets } = content;
  const json = {
    ...buildOptionFields(options, replyTo !== null),
    ...(replyTo === null ? {} : { reply: { in_reply_to_tweet_id: replyTo.parentId } }),
    ...(text === "" ? {} : { text }),
    ...(assets.length === 0 ? {} : { media: { media_ids: listMediaIds(context) } }),
  };
  const call: PublishCall = { method: "POST", path: "/2/tweets", json };
  return toPublished(await context.call(call, ({ data }) => toPost(toObject(data), context)));
}

/** Compares the account's newest posts with what was sent. */
export async function lookUp(context: LookUpContext): Promise<LookUpOutcome> {
  const call: PublishCall = {
    method: "GET",
    path: `/2/users/${encodeURIComponent(context.account.id)}/tweets`,
    query: {
      max_results: String(maxComparedPosts),
      exclude: context.replyTo === null ? "retweets,replies" : "retweets",
      start_time: toIsoTime(context.committedAt - clockToleranceMs),
      "tweet.fields": "attachments,created_at,entities,referenced_tweets",
    },
  };
  const posts = await context.call(call, ({ data }) =>
    parseList(
      toObjectList(data).filter((post) => isSamePost(post, context)),
      (post) => toPost(post, context),
    ),
  );
  const [post] = await excludeOtherPosts(context, posts);
  return post ? toPublished(post) : { kind: "not_found" };
}

const parseMediaId = ({ data }: JsonObject): string => requireId(toObject(data)["id"]);

const getProcessingInfo = ({ data }: JsonObject): JsonObject => toObject(toObject(data)["processing_info"]);

const isProcessing = (body: JsonObject): boolean => toText(getProcessingInfo(body)["state"]) !== undefined;

function parseStatus(body: JsonObject): ProcessingStatus {
  const { state, check_after_secs: delay } = getProcessingInfo(body);
  if (state === undefined || state === "succeeded") return { kind: "ready" };
  if (state === "failed") return { kind: "rejected" };
  return { kind: "in_progress", ...(typeof delay === "number" ? { checkAfterMs: seconds(delay) } : {}) };
}

function toPost(post: JsonObject, { account }: CallContext): RemotePost {
  const id = requireId(post["id"]);
  const path = account.handle === null ? "i/web" : encodeURIComponent(account.handle);
  return { id, url: `https://x.com/${path}/status/${id}` };
}

function isSamePost(post: JsonObject, { content, committedAt, replyTo }: LookUpContext): boolean {
  const repliedTo = toObjectList(post["referenced_tweets"]).find(({ type }) => type === "replied_to");
  const mediaKeys = toObject(post["attachments"])["media_keys"];
  return (
    Date.parse(toText(post["created_at"]) ?? "") >= committedAt - clockToleranceMs &&
    (toText(repliedTo?.["id"]) ?? null) === (replyTo?.parentId ?? null) &&
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
export function classifyError({ status, body }: ErrorResponse): FailedOutcome | undefined {
  return status === 403 && /duplicate content/i.test(toText(body["detail"]) ?? "") ? duplicateOutcome : undefined;
}
