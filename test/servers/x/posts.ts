import type { StandInResponse } from "../http-stand-in.ts";
import { forbidden, invalidRequest, notImplemented, requireId, requireRecord } from "./errors.ts";
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
  createdAt: number;
}

export interface PostOptions {
  now(): number;
  createId(): string;
  userId: string;
  username: string;
  media: MediaStore;
  /** Whether this read doesn't contain the newest post yet. */
  takeStaleRead(): boolean;
}

export interface PostStore {
  posts: StoredPost[];
  create(body: unknown): StandInResponse;
  readTimeline(userId: string, query: URLSearchParams): StandInResponse;
}

const unimplementedFields = [
  "card_uri",
  "community_id",
  "direct_message_deep_link",
  "edit_options",
  "for_super_followers_only",
  "geo",
  "made_with_ai",
  "nullcast",
  "paid_partnership",
  "poll",
  "quote_tweet_id",
  "reply",
  "reply_settings",
  "share_with_followers",
];
const timelineParameters = [
  "max_results",
  "pagination_token",
  "start_time",
  "end_time",
  "since_id",
  "until_id",
  "exclude",
  "tweet.fields", // in the guides
  "post.fields", // in the OpenAPI document
  "expansions",
  "user.fields",
  "media.fields",
  "poll.fields",
  "place.fields",
];

export function createPostStore(options: PostOptions): PostStore {
  const posts: StoredPost[] = [];

  function create(body: unknown): StandInResponse {
    const request = requireRecord(body, "the request", ["text", "media", ...unimplementedFields]);
    const unimplementedField = unimplementedFields.find((field) => request[field] !== undefined);
    if (unimplementedField !== undefined) throw notImplemented(unimplementedField);
    const text = request["text"] ?? "";
    if (typeof text !== "string") throw invalidRequest("text must be a string", { text: [text] });
    const ids = request["media"] === undefined ? [] : readMediaIds(request["media"]);
    if (text === "" && ids.length === 0) throw invalidRequest("text is required unless media is provided");
    checkText(text);
    const media = options.media.attach(ids);
    const normalizedText = text.normalize("NFC");
    const isDuplicate = posts.some(
      (post) => post.text === normalizedText && post.media.map(({ id }) => id).join() === ids.join(),
    );
    if (isDuplicate) throw forbidden("You are not allowed to create a Tweet with duplicate content.");
    const post = createPost(normalizedText, media);
    posts.push(post);
    const data = { id: post.id, text: post.returnedText, edit_history_tweet_ids: [post.id] };
    return { status: 201, json: { data } };
  }

  function createPost(text: string, media: UploadedMedia[]): StoredPost {
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
      createdAt: options.now(),
    };
  }

  function readTimeline(userId: string, query: URLSearchParams): StandInResponse {
    for (const name of query.keys())
      if (!timelineParameters.includes(name))
        throw invalidRequest(`The query parameter [${name}] is not one of [${timelineParameters.join(",")}]`);
    if (userId !== options.userId) return { status: 200, json: { errors: [createMissingUser(userId)] } };
    const maxResults = Number(query.get("max_results") ?? 10);
    if (!Number.isInteger(maxResults) || maxResults < 5 || maxResults > 100)
      throw invalidRequest("max_results must be from 5 to 100", { max_results: [query.get("max_results")] });
    const visiblePosts = options.takeStaleRead() ? posts.slice(0, -1) : posts;
    const matches = visiblePosts.filter(createFilter(query)).toReversed();
    const page = matches.slice(0, maxResults);
    const meta = {
      result_count: page.length,
      ...(page.length > 0 ? { newest_id: page[0]!.id, oldest_id: page.at(-1)!.id } : {}),
      ...(matches.length > page.length ? { next_token: encodeToken(page.at(-1)!.id) } : {}),
    };
    if (page.length === 0) return { status: 200, json: { meta } };
    const includes = createIncludes(page, query);
    return { status: 200, json: { data: page.map((post) => toData(post, query)), ...includes, meta } };
  }

  function toData(post: StoredPost, query: URLSearchParams): Record<string, unknown> {
    const fields = readList(query, "tweet.fields").concat(readList(query, "post.fields"));
    const expandsMedia = readList(query, "expansions").includes("attachments.media_keys");
    const hasAttachments = post.media.length > 0 && (fields.includes("attachments") || expandsMedia);
    const hasEntities = post.urls.length > 0 && fields.includes("entities");
    return {
      id: post.id,
      text: post.returnedText,
      edit_history_tweet_ids: [post.id],
      ...(fields.includes("created_at") ? { created_at: formatTime(post.createdAt) } : {}),
      ...(fields.includes("author_id") ? { author_id: options.userId } : {}),
      ...(hasAttachments ? { attachments: { media_keys: post.media.map(({ mediaKey }) => mediaKey) } } : {}),
      ...(hasEntities ? { entities: { urls: post.urls } } : {}),
    };
  }

  return { posts, create, readTimeline };
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
  const readId = (name: string): bigint | undefined =>
    query.has(name) ? BigInt(requireId(query.get(name), name)) : undefined;
  const [sinceId, untilId] = [readId("since_id"), readId("until_id")];
  const [startTime, endTime] = [readTime(query, "start_time"), readTime(query, "end_time")];
  const token = query.get("pagination_token");
  const beforeId = token === null ? undefined : decodeToken(token);
  return (post) => {
    const id = BigInt(post.id);
    const time = Math.floor(post.createdAt / 1000);
    if ((sinceId !== undefined && id <= sinceId) || (untilId !== undefined && id >= untilId)) return false;
    if ((startTime !== undefined && time < startTime) || (endTime !== undefined && time >= endTime)) return false;
    return beforeId === undefined || id < beforeId;
  };
}

/** Seconds since the epoch: times have second granularity. */
function readTime(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) || Number.isNaN(Date.parse(value)))
    throw invalidRequest(`${name} must be a time such as 2026-11-16T00:00:00Z`, { [name]: [value] });
  return Math.floor(Date.parse(value) / 1000);
}

const encodeToken = (id: string): string => Buffer.from(id).toString("hex");

function decodeToken(token: string): bigint {
  const id = Buffer.from(token, "hex").toString();
  if (!/^\d+$/.test(id)) throw invalidRequest("pagination_token is not valid", { pagination_token: [token] });
  return BigInt(id);
}

const readList = (query: URLSearchParams, name: string): string[] => query.get(name)?.split(",") ?? [];

const formatTime = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString();

function createIncludes(page: StoredPost[], query: URLSearchParams): Record<string, unknown> {
  const media = page.flatMap((post) => post.media);
  if (media.length === 0 || !readList(query, "expansions").includes("attachments.media_keys")) return {};
  const hasAltText = readList(query, "media.fields").includes("alt_text");
  const typeOf = (category: string): string => {
    if (category === "tweet_gif") return "animated_gif";
    return category.endsWith("_video") ? "video" : "photo";
  };
  const items = media.map(({ mediaKey, category, altText }) => ({
    media_key: mediaKey,
    type: typeOf(category),
    ...(hasAltText && altText !== undefined ? { alt_text: altText } : {}),
  }));
  return { includes: { media: items } };
}

const createMissingUser = (userId: string): Record<string, unknown> => ({
  value: userId,
  detail: `Could not find user with id: [${userId}].`,
  title: "Not Found Error",
  resource_type: "user",
  parameter: "id",
  resource_id: userId,
  type: "https://api.x.com/2/problems/resource-not-found",
});
