import { toIsoTime, type Clock } from "#lib/clock.ts";
import type { StandInResponse } from "../http-stand-in.ts";
import { forbidden, invalidRequest, requireId, requireRecord } from "./errors.ts";
import type { MediaStore, UploadedMedia } from "./media.ts";
import {
  countCashtags,
  createShortUrl,
  escapeHtml,
  hasInvalidCharacters,
  maxWeightedLength,
  shortenUrls,
  weighText,
  type UrlEntity,
} from "./text.ts";

/** Creating and reading posts; see `server.ts` for the sources. */

export interface StoredPost {
  id: string;
  text: string;
  /** The text as X returns it: URLs shortened, with a link to the media, and HTML entities. */
  returnedText: string;
  urls: UrlEntity[];
  media: UploadedMedia[];
  /** `reply_settings` and `made_with_ai`, as sent. */
  settings: Record<string, unknown>;
  /** The id of the post that this one replies to. */
  replyTo: string | null;
  createdAt: number;
  /** `public_metrics` */
  metrics: Record<string, number>;
}

export interface PostOptions {
  clock: Clock;
  createId(): string;
  userId: string;
  username: string;
  media: MediaStore;
  /** Whether this read doesn't contain the newest post yet. */
  takeStaleRead(): boolean;
}

export interface PostStore {
  /** Reads posts by their ids (`GET /2/tweets`). */
  readMany(query: URLSearchParams): StandInResponse;
  posts: StoredPost[];
  create(body: unknown): StandInResponse;
  readTimeline(userId: string, query: URLSearchParams): StandInResponse;
}

const settingNames = ["reply_settings", "made_with_ai"];
const replySettings: readonly unknown[] = ["following", "mentionedUsers", "subscribers", "verified"];

const noMetrics = {
  retweet_count: 0,
  reply_count: 0,
  like_count: 0,
  quote_count: 0,
  bookmark_count: 0,
  impression_count: 0,
};

const timelineParameters = ["max_results", "start_time", "exclude", "tweet.fields"];

export function createPostStore(options: PostOptions): PostStore {
  const posts: StoredPost[] = [];

  function create(body: unknown): StandInResponse {
    const request = requireRecord(body, "the request", ["text", "media", "reply", ...settingNames]);
    checkSettings(request);
    const text = request["text"] ?? "";
    if (typeof text !== "string") throw invalidRequest("text must be a string", { text: [text] });
    const ids = request["media"] === undefined ? [] : readMediaIds(request["media"]);
    if (text === "" && ids.length === 0) throw invalidRequest("text is required unless media is provided");
    checkText(text);
    const replyTo = request["reply"] === undefined ? null : readReply(request);
    const media = options.media.attach(ids);
    const normalizedText = text.normalize("NFC");
    const isDuplicate = posts.some(
      (post) => post.text === normalizedText && post.media.map(({ id }) => id).join() === ids.join(),
    );
    if (isDuplicate) throw forbidden("You are not allowed to create a Tweet with duplicate content.");
    const settings = Object.fromEntries(Object.entries(request).filter(([name]) => settingNames.includes(name)));
    const post = { ...createPost(normalizedText, media), settings, replyTo, metrics: { ...noMetrics } };
    posts.push(post);
    const data = { id: post.id, text: post.returnedText, edit_history_tweet_ids: [post.id] };
    return { status: 201, json: { data } };
  }

  function readReply(request: Record<string, unknown>): string {
    const reply = requireRecord(request["reply"], "reply", [
      "in_reply_to_tweet_id",
      "exclude_reply_user_ids",
      "auto_populate_reply_metadata",
    ]);
    const id = requireId(reply["in_reply_to_tweet_id"], "reply.in_reply_to_tweet_id");
    if (request["reply_settings"] !== undefined)
      throw invalidRequest("reply_settings can't be used with a reply", {
        reply_settings: [request["reply_settings"]],
      });
    if (!posts.some((post) => post.id === id))
      throw forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.");
    return id;
  }

  function createPost(text: string, media: UploadedMedia[]): Omit<StoredPost, "settings" | "replyTo" | "metrics"> {
    const id = options.createId();
    const { text: shortened, urls } = shortenUrls(text);
    const kind = media[0]?.category.endsWith("_video") ? "video" : "photo";
    const link = { url: createShortUrl(), expanded_url: `https://x.com/${options.username}/status/${id}/${kind}/1` };
    const hasMedia = media.length > 0;
    return {
      id,
      text,
      returnedText: escapeHtml(hasMedia ? `${shortened} ${link.url}`.trim() : shortened),
      urls: hasMedia ? [...urls, link] : urls,
      media,
      createdAt: options.clock(),
    };
  }

  function readTimeline(userId: string, query: URLSearchParams): StandInResponse {
    for (const name of query.keys())
      if (!timelineParameters.includes(name))
        throw invalidRequest(`The query parameter [${name}] is not one of [${timelineParameters.join(",")}]`);
    if (userId !== options.userId) return { status: 200, json: { errors: [createMissing("user", "id", userId)] } };
    const maxResults = Number(query.get("max_results") ?? 10);
    if (!Number.isInteger(maxResults) || maxResults < 5 || maxResults > 100)
      throw invalidRequest("max_results must be from 5 to 100", { max_results: [query.get("max_results")] });
    const visiblePosts = options.takeStaleRead() ? posts.slice(0, -1) : posts;
    const page = visiblePosts.filter(createFilter(query)).toReversed().slice(0, maxResults);
    const meta = { result_count: page.length };
    return {
      status: 200,
      json: page.length === 0 ? { meta } : { data: page.map((post) => toData(post, query)), meta },
    };
  }

  function toData(post: StoredPost, query: URLSearchParams): Record<string, unknown> {
    const fields = query.get("tweet.fields")?.split(",") ?? [];
    const hasAttachments = post.media.length > 0 && fields.includes("attachments");
    const hasEntities = post.urls.length > 0 && fields.includes("entities");
    return {
      id: post.id,
      text: post.returnedText,
      edit_history_tweet_ids: [post.id],
      ...(fields.includes("created_at") ? { created_at: formatTime(post.createdAt) } : {}),
      ...(hasAttachments ? { attachments: { media_keys: post.media.map(({ mediaKey }) => mediaKey) } } : {}),
      ...(post.replyTo !== null && fields.includes("referenced_tweets")
        ? { referenced_tweets: [{ type: "replied_to", id: post.replyTo }] }
        : {}),
      ...(fields.includes("public_metrics") ? { public_metrics: post.metrics } : {}),
      ...(hasEntities ? { entities: { urls: post.urls } } : {}),
    };
  }

  function readMany(query: URLSearchParams): StandInResponse {
    const unknownName = [...query.keys()].find((name) => name !== "ids" && name !== "tweet.fields");
    if (unknownName !== undefined) throw invalidRequest(`The query parameter [${unknownName}] is not valid`);
    const ids = (query.get("ids") ?? "").split(",").map((id) => requireId(id, "ids"));
    if (ids.length > 100) throw invalidRequest("ids must have 1 to 100 items", { ids });
    const data = posts.filter(({ id }) => ids.includes(id)).map((post) => toData(post, query));
    const errors = ids
      .filter((id) => !posts.some((post) => post.id === id))
      .map((id) => createMissing("tweet", "ids", id));
    return { status: 200, json: { ...(data.length > 0 ? { data } : {}), ...(errors.length > 0 ? { errors } : {}) } };
  }

  return { posts, create, readTimeline, readMany };
}

function checkSettings({ reply_settings: replies, made_with_ai: isMadeWithAi }: Record<string, unknown>): void {
  if (replies !== undefined && !replySettings.includes(replies))
    throw invalidRequest("reply_settings is not valid", { reply_settings: [replies] });
  if (isMadeWithAi !== undefined && typeof isMadeWithAi !== "boolean")
    throw invalidRequest("made_with_ai must be a boolean", { made_with_ai: [isMadeWithAi] });
}

function readMediaIds(value: unknown): string[] {
  const { media_ids: ids } = requireRecord(value, "media", ["media_ids", "tagged_user_ids"]);
  if (!Array.isArray(ids) || ids.length < 1 || ids.length > 4)
    throw invalidRequest("media.media_ids must have 1 to 4 items", { "media.media_ids": [ids] });
  return ids.map((id) => requireId(id, "media.media_ids"));
}

function checkText(text: string): void {
  if (hasInvalidCharacters(text)) throw invalidRequest("text has invalid characters", { text: [text] });
  if (weighText(text) > maxWeightedLength)
    throw invalidRequest(
      "Your Tweet text is too long. For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.",
      { text: [text] },
    );
  // "Posts created via the API are limited to a maximum of 1 cashtag …. Requests that include more … will be rejected."
  if (countCashtags(text) > 1) throw invalidRequest("text has more than 1 cashtag", { text: [text] });
}

function createFilter(query: URLSearchParams): (post: StoredPost) => boolean {
  const startTime = readTime(query, "start_time");
  const excluded = query.get("exclude")?.split(",") ?? [];
  if (excluded.some((kind) => kind !== "replies" && kind !== "retweets"))
    throw invalidRequest("exclude must have replies or retweets", { exclude: excluded });
  return ({ createdAt, replyTo }) =>
    (startTime === undefined || Math.floor(createdAt / 1000) >= startTime) &&
    (replyTo === null || !excluded.includes("replies"));
}

/** Seconds since the epoch: times have second granularity. */
function readTime(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) || Number.isNaN(Date.parse(value)))
    throw invalidRequest(`${name} must be a time such as 2026-11-16T00:00:00Z`, { [name]: [value] });
  return Math.floor(Date.parse(value) / 1000);
}

const formatTime = (ms: number): string => toIsoTime(Math.floor(ms / 1000) * 1000);

const createMissing = (type: "user" | "tweet", parameter: string, id: string): Record<string, unknown> => ({
  value: id,
  detail: `Could not find ${type} with ${parameter}: [${id}].`,
  title: "Not Found Error",
  resource_type: type,
  parameter,
  resource_id: id,
  type: "https://api.x.com/2/problems/resource-not-found",
});
