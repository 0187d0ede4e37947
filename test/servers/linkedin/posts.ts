import { randomInt } from "node:crypto";
import { minutes, type Clock } from "#lib/clock.ts";
import { Rejection, type StandInResponse } from "../http-stand-in.ts";
import {
  accessDenied,
  invalidUrnId,
  invalidUrnType,
  invalidValue,
  missingField,
  notImplemented,
  processingFailed,
  reject,
  requireRecord,
  requireString,
  waitingUpload,
} from "./errors.ts";
import { renderLittleText, type RenderedText } from "./little-text.ts";
import type { MediaAsset, MediaStore } from "./media.ts";

/** The Posts API; see `server.ts` for the sources. */

export interface StoredPost {
  urn: string;
  author: string;
  commentary: string;
  rendered: RenderedText;
  visibility: string;
  content: unknown;
  media: AttachedMedia[];
  createdAt: number;
}

interface AttachedMedia {
  asset: MediaAsset;
  altText: string | undefined;
  title: string | undefined;
}

export interface PostOptions {
  clock: Clock;
  media: MediaStore;
  canActAs(urn: string): boolean;
  takeDuplicateOfMissingPost(): boolean;
}

export interface PostStore {
  create(body: unknown): StandInResponse;
  listLive(): StoredPost[];
}

/** "The maximum length of the text of a UGC Post is 3,000 characters." */
const maxCharacters = 3000;
/** "Maximum length is 4,086 characters." */
const maxAltText = 4086;
/** "Wait 10 minutes for the duplicate restriction to expire or modify the content." */
const duplicateWindowMs = minutes(10);
const visibilities = ["PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"];

export function createPostStore(options: PostOptions): PostStore {
  const posts: StoredPost[] = [];
  const createId = (): string => `7${randomInt(1e9, 1e10)}${String(posts.length).padStart(8, "0")}`;

  function create(body: unknown): StandInResponse {
    const requiredFields = ["author", "commentary", "visibility", "distribution", "lifecycleState"];
    const post = requireRecord(body, "body", [...requiredFields, "content", "isReshareDisabledByAuthor"]);
    for (const field of requiredFields)
      if (post[field] === undefined || post[field] === null) throw missingField(field);
    const author = requireString(post["author"], "author");
    if (!/^urn:li:(person|organization):/.test(author)) throw invalidUrnType("author");
    if (!options.canActAs(author)) throw accessDenied("partnerApiPostsExternal.CREATE.20260901");
    const visibility = requireString(post["visibility"], "visibility");
    if (!visibilities.includes(visibility)) throw invalidValue("visibility");
    // "PUBLISHED is the only accepted field during creation."
    if (post["lifecycleState"] !== "PUBLISHED") throw invalidValue("lifecycleState");
    if (!["boolean", "undefined"].includes(typeof post["isReshareDisabledByAuthor"]))
      throw invalidValue("isReshareDisabledByAuthor");
    checkDistribution(post["distribution"]);
    const media = post["content"] === undefined ? [] : readContent(post["content"], author);
    const commentary = requireString(post["commentary"], "commentary");
    const rendered = readCommentary(commentary, media.length > 0);
    rejectDuplicate(author, commentary, post["content"]);
    const type = media.some(({ asset }) => asset.kind === "video") ? "ugcPost" : "share";
    const urn = `urn:li:${type}:${createId()}`;
    const createdAt = options.clock();
    posts.push({ urn, author, commentary, rendered, visibility, content: post["content"], media, createdAt });
    return { status: 201, headers: { "x-restli-id": urn } };
  }

  function readCommentary(commentary: string, hasMedia: boolean): RenderedText {
    if (!hasMedia && commentary.trim() === "")
      throw reject(400, "INVALID_VALUE_BLANK_FIELD", "commentary cannot be blank");
    const rendered = renderLittleText(commentary);
    if (Array.from(rendered.text).length > maxCharacters)
      throw reject(400, "FIELD_LENGTH_TOO_LONG", "commentary exceeds the maximum length");
    return rendered;
  }

  function readContent(content: unknown, author: string): AttachedMedia[] {
    const kinds = ["media", "multiImage", "article", "poll", "carousel", "celebration", "reference"];
    const record = requireRecord(content, "content", kinds);
    const [kind, ...others] = Object.keys(record);
    if (kind === undefined || others.length > 0) throw invalidValue("content");
    if (kind === "media") return [readMedia(record["media"], author)];
    if (kind !== "multiImage") throw notImplemented(`content.${kind}`);
    const { images } = requireRecord(record["multiImage"], "content.multiImage", ["images", "altText"]);
    if (!Array.isArray(images)) throw missingField("content.multiImage.images");
    // "Minimum of 2 images and maximum of 20 images."
    if (images.length < 2 || images.length > 20) throw invalidValue("content.multiImage.images");
    return images.map((image) => readMultiImage(image, author));
  }

  function readMedia(value: unknown, author: string): AttachedMedia {
    const media = requireRecord(value, "content.media", ["id", "title", "altText"]);
    const attached = readAttachment(media, author, "content.media");
    // Documents API: `title` is a required field.
    if (attached.asset.kind === "document" && !attached.title) throw missingField("content.media.title");
    return attached;
  }

  function readMultiImage(value: unknown, author: string): AttachedMedia {
    const image = requireRecord(value, "content.multiImage.images", ["id", "altText"]);
    const attached = readAttachment(image, author, "content.multiImage.images");
    if (attached.asset.kind !== "image") throw invalidUrnType("content.multiImage.images.id");
    return attached;
  }

  function readAttachment(value: Record<string, unknown>, author: string, field: string): AttachedMedia {
    const id = requireString(value["id"], `${field}.id`);
    if (!/^urn:li:(image|video|document):/.test(id)) throw invalidUrnType(`${field}.id`);
    const asset = options.media.assets.get(id);
    // MultiImage API: "Please ensure that all images being used are owned by the author or organization."
    if (!asset || asset.owner !== author) throw invalidUrnId();
    const status = options.media.statusOf(asset);
    if (status === "WAITING_UPLOAD") throw waitingUpload();
    if (status === "PROCESSING_FAILED") throw processingFailed();
    const altText = value["altText"] === undefined ? undefined : requireString(value["altText"], `${field}.altText`);
    if (altText && altText.length > maxAltText)
      throw reject(400, "FIELD_LENGTH_TOO_LONG", "altText exceeds the maximum length");
    const title = value["title"] === undefined ? undefined : requireString(value["title"], `${field}.title`);
    return { asset, altText, title };
  }

  function rejectDuplicate(author: string, commentary: string, content: unknown): void {
    const toKey = (post: { author: string; commentary: string; content: unknown }): string =>
      JSON.stringify([post.author, post.commentary, post.content ?? null]);
    const key = toKey({ author, commentary, content });
    const isRecent = (post: StoredPost): boolean => options.clock() - post.createdAt < duplicateWindowMs;
    const original = posts.findLast((post) => isRecent(post) && toKey(post) === key);
    if (!original) return;
    const urn = options.takeDuplicateOfMissingPost() ? `urn:li:share:${createId()}` : original.urn;
    const json = {
      errorDetailType: "com.linkedin.common.error.BadRequest",
      message: `com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ${urn}`,
      errorDetails: {
        inputErrors: [{ description: "Duplicate post is detected", input: {}, code: "DUPLICATE_POST" }],
      },
      status: 422,
    };
    throw new Rejection({ status: 422, json });
  }

  /** LinkedIn shows a post once all of its media are processed. */
  const isLive = (post: StoredPost): boolean =>
    post.media.every(({ asset }) => options.media.statusOf(asset) === "AVAILABLE");

  return { create, listLive: () => posts.filter(isLive) };
}

function checkDistribution(value: unknown): void {
  const fields = ["feedDistribution", "targetEntities", "thirdPartyDistributionChannels"];
  const distribution = requireRecord(value, "distribution", fields);
  const feed = requireString(distribution["feedDistribution"], "distribution.feedDistribution");
  if (!["MAIN_FEED", "NONE"].includes(feed)) throw invalidValue("distribution.feedDistribution");
  if (feed === "NONE") throw notImplemented("posts that are not in the feed");
  for (const field of fields.slice(1)) {
    const list = distribution[field];
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw invalidValue(`distribution.${field}`);
    if (list.length > 0) throw notImplemented(`distribution.${field}`);
  }
}
