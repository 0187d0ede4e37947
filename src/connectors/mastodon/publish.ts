import { listExtensions } from "#domain/steps/content/filename.ts";
import type { ReplyTarget } from "#domain/model/publication-parts.ts";
import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { sha256 } from "#lib/digest.ts";
import { parseList, requireId, toObjectList, toText, toUrl } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import type {
  CallContext,
  CommitContext,
  LookUpContext,
  Preparation,
  PrepareContext,
  PublishCall,
  ResultsContext,
  ResultsModule,
} from "../publishing/publish-module.ts";
import {
  chooseOnlyMatch,
  excludeOtherPosts,
  toPublished,
  type ReadBackProgress,
  type RemotePost,
} from "../publishing/read-back.ts";
import { orIfRejected } from "../publishing/step-failure.ts";
import { awaitFiles, listMediaIds, uploadFiles, type UploadedFile } from "../publishing/upload-files.ts";
import { buildOptionFields } from "./options.ts";

/** How many of the account's newest posts are compared after a lost response. */
const maxComparedPosts = 40;

export const canReply = true;

export const listPostHosts = (api: string): string[] => [new URL(api).hostname];

export async function prepare(context: PrepareContext<ReadBackProgress>): Promise<Preparation> {
  await uploadFiles(context, (asset) => uploadFile(context, asset));
  await awaitFiles(context, (mediaId) =>
    context.call({ method: "GET", path: `/api/v1/media/${encodeURIComponent(mediaId)}` }, (_body, { status }) => ({
      kind: status === 206 ? "in_progress" : "ready",
    })),
  );
  await context.save({ earlierPostIds: await readNewestPosts(context, (post) => requireId(post["id"])) });
  return "prepared";
}

function uploadFile(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const { altText, storageKey, mimeType } = asset;
  const form = {
    fields: altText === null ? {} : { description: altText },
    fileField: "file",
    filename: buildFilename(storageKey, mimeType),
    mimeType,
  };
  return context.call({ method: "POST", path: "/api/v2/media", file: { asset, form } }, ({ id }, { status }) => ({
    id: requireId(id),
    isPending: status === 202,
  }));
}

/**
 * A name that only this file has. snac 2.75 derives a file's URL from its name alone: the second `IMG_1.jpg` replaces
 * the first, even if they belong to different posts. It derives the type from the extension.
 */
const buildFilename = (storageKey: string, mimeType: string): string =>
  `${sha256(storageKey).slice(0, 32)}${listExtensions(mimeType)[0] ?? ""}`;

export async function commit(context: CommitContext): Promise<CommitOutcome> {
  const { content, commitKey, options, replyTo } = context;
  const call: PublishCall = {
    method: "POST",
    path: "/api/v1/statuses",
    headers: { "idempotency-key": commitKey },
    json: {
      status: content.text,
      in_reply_to_id: replyTo?.parentId,
      media_ids: listMediaIds(context),
      ...buildOptionFields(options),
    },
  };
  return toPublished(await context.call(call, parsePost));
}

/**
 * Compares the account's newest posts with what was sent. The request is never repeated, because not every server that
 * implements this API recognizes the idempotency key.
 */
export async function lookUp(context: LookUpContext<ReadBackProgress>): Promise<LookUpOutcome> {
  const posts = await readNewestPosts(context, (post) => ({
    ...parsePost(post),
    isCandidate: hasSameMedia(post, context) && isReplyTo(post, context.replyTo),
  }));
  const candidates = posts.filter((post) => post.isCandidate);
  const matches: RemotePost[] = [];
  for (const { id, url } of await excludeOtherPosts(context, candidates))
    if (await hasSameText(context, id)) matches.push({ id, url });
  return chooseOnlyMatch(matches);
}

export const results: ResultsModule = {
  definition: 1,
  sources: { likes: "favourites_count", comments: "replies_count", reposts: "reblogs_count", quotes: "quotes_count" },
  batchSize: 20,
  async read(context, postIds) {
    const query = postIds.map((id) => `id[]=${encodeURIComponent(id)}`).join("&");
    const list = context.call({ method: "GET", path: `/api/v1/statuses?${query}` }, ({ items }) => toObjectList(items));
    // Servers before Mastodon 4.3, and others with its API, have no such list.
    const posts = (await orIfRejected(list, undefined)) ?? (await readEach(context, postIds));
    return new Map(posts.flatMap((post) => (toText(post["id"]) === undefined ? [] : [[requireId(post["id"]), post]])));
  },
};

async function readEach({ call }: ResultsContext, postIds: readonly string[]): Promise<JsonObject[]> {
  const posts: JsonObject[] = [];
  for (const id of postIds) {
    const request = call({ method: "GET", path: `/api/v1/statuses/${encodeURIComponent(id)}` }, (post) => post);
    const post = await orIfRejected(request, undefined);
    if (post) posts.push(post);
  }
  return posts;
}

function readNewestPosts<T>({ account, call }: CallContext, parse: (post: JsonObject) => T): Promise<T[]> {
  const path = `/api/v1/accounts/${encodeURIComponent(account.id)}/statuses`;
  const query = { limit: String(maxComparedPosts), exclude_reblogs: "true" };
  return call({ method: "GET", path, query }, ({ items }) => parseList(items, parse));
}

/** Reads the text as it was sent; the list has it as HTML. */
function hasSameText({ call, content }: LookUpContext, postId: string): Promise<boolean> {
  const path = `/api/v1/statuses/${encodeURIComponent(postId)}/source`;
  return call(
    { method: "GET", path },
    ({ text }) => typeof text === "string" && normalize(text) === normalize(content.text),
  );
}

const parsePost = (post: JsonObject): RemotePost => ({ id: requireId(post["id"]), url: toUrl(post["url"]) });

const isReplyTo = (post: JsonObject, replyTo: ReplyTarget | null): boolean =>
  replyTo === null || post["in_reply_to_id"] === replyTo.parentId;

/** Compares alt texts, because the attachments of a post have other ids than their uploads. */
function hasSameMedia(post: JsonObject, { content }: LookUpContext): boolean {
  const altTexts = toObjectList(post["media_attachments"]).map((media) => toText(media["description"]) ?? null);
  return (
    altTexts.length === content.assets.length &&
    content.assets.every((asset, i) => (asset.altText ?? null) === altTexts[i])
  );
}

/** Servers remove white space at both ends. */
const normalize = (text: string): string => text.replaceAll("\r\n", "\n").trim();
