import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { requireId, toObject, toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { orIfRejected } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ModuleProgress,
  LookUpContext,
  Preparation,
  PrepareContext,
  ResultsModule,
} from "../publishing/publish-module.ts";
import { toPublished } from "../publishing/read-back.ts";
import { requireMediaId, uploadFiles, type UploadedFile } from "../publishing/upload-files.ts";
import { buildFacets, listMentionedHandles } from "./facets.ts";
import { buildOptionFields, listReplyRules } from "./options.ts";
import { deriveRecordKey } from "./record-key.ts";

const collection = "app.bsky.feed.post";
const threadgate = "app.bsky.feed.threadgate";
/** A reference to a file has about 200 characters. */
const maxReferenceLength = 2000;
/** Later, a repetition could restore a post that a user has deleted since then. */
const maxRepetitionMs = days(1);

interface BlueskyProgress extends ModuleProgress {
  /** Ids of the accounts that the text mentions, by name. Stored, so that a repeated commit sends the same request. */
  mentions?: Record<string, string> | undefined;
  /** Identifies the versions of the posts that a reply belongs below. */
  reply?: { root: RecordReference; parent: RecordReference } | undefined;
}

interface RecordReference {
  uri: string;
  cid: string;
}

export const buildProfileUrl = (account: string): string => `https://bsky.app/profile/${account}`;

export const canReply = true;

export const listPostHosts = (): string[] => ["bsky.app"];

export async function prepare(context: PrepareContext<BlueskyProgress>): Promise<Preparation> {
  await uploadFiles(context, (asset) => uploadBlob(context, asset));
  await context.save({ mentions: await resolveMentions(context), reply: await readReply(context) });
  return "prepared";
}

function uploadBlob(context: CallContext, asset: ContentAsset): Promise<UploadedFile> {
  const headers = { "content-type": asset.mimeType };
  return context.call(
    { method: "POST", path: "/xrpc/com.atproto.repo.uploadBlob", headers, file: { asset } },
    ({ blob }) => {
      // The post's record must contain the whole reference (digest, type and size), so all of it is the id.
      requireId(toObject(toObject(blob)["ref"])["$link"], "link");
      const id = JSON.stringify(blob);
      if (id.length > maxReferenceLength) throw new Error("the response has an invalid reference");
      return { id };
    },
  );
}

async function readReply(context: CallContext): Promise<BlueskyProgress["reply"]> {
  if (context.replyTo === null) return undefined;
  const { rootId, parentId } = context.replyTo;
  return { root: await readReference(context, rootId), parent: await readReference(context, parentId) };
}

function readReference({ call, account }: CallContext, uri: string): Promise<RecordReference> {
  const query = { repo: account.id, collection, rkey: uri.split("/").at(-1) ?? "" };
  const path = "/xrpc/com.atproto.repo.getRecord";
  return call({ method: "GET", path, query, isAuthorized: false }, ({ cid }) => ({ uri, cid: requireId(cid, "cid") }));
}

/** Looks up the accounts that the text mentions. A name that is not an account stays text. */
async function resolveMentions({ call, content }: CallContext): Promise<Record<string, string>> {
  const dids: Record<string, string> = {};
  for (const handle of listMentionedHandles(content.text)) {
    const path = "/xrpc/com.atproto.identity.resolveHandle";
    const request = call({ method: "GET", path, query: { handle }, isAuthorized: false }, ({ did }) =>
      requireId(did, "did"),
    );
    const did = await orIfRejected(request, undefined);
    if (did !== undefined) dids[handle] = did;
  }
  return dids;
}

export async function commit(context: CommitContext<BlueskyProgress>): Promise<CommitOutcome> {
  const { account, commitKey, committedAt } = context;
  const rkey = deriveRecordKey(commitKey, committedAt);
  const putRecord = (name: string, record: JsonObject): Promise<string> => {
    const json = { repo: account.id, collection: name, rkey, record };
    return context.call({ method: "POST", path: "/xrpc/com.atproto.repo.putRecord", json }, ({ uri }) =>
      requireId(uri, "uri"),
    );
  };
  // Before the post, so that no account can reply that may not. The record says nothing until the post exists.
  const gate = buildThreadgate(context, `at://${account.id}/${collection}/${rkey}`);
  if (gate) await putRecord(threadgate, gate);
  const id = await putRecord(collection, buildRecord(context));
  return toPublished({ id, url: `${buildProfileUrl(account.handle ?? account.id)}/post/${id.split("/").at(-1)}` });
}

/**
 * We choose the key of the record, so a repeated request writes the same record again. If the server rejects that, the
 * first request may have been accepted nevertheless.
 */
export async function lookUp({ elapsedMs }: LookUpContext): Promise<LookUpOutcome> {
  return elapsedMs < maxRepetitionMs ? { kind: "repeatable", ifRejected: "unconfirmed" } : { kind: "undecidable" };
}

/** The counts are not in the account's repository. This server has them for everyone, without credentials. */
const appView = "https://public.api.bsky.app";

export const results: ResultsModule = {
  definition: 1,
  sources: { likes: "likeCount", comments: "replyCount", reposts: "repostCount", quotes: "quoteCount" },
  batchSize: 25,
  async read({ call }, uris) {
    const query = uris.map((uri) => `uris=${encodeURIComponent(uri)}`).join("&");
    return call({ method: "GET", url: `${appView}/xrpc/app.bsky.feed.getPosts?${query}` }, ({ posts }) => {
      const listed = toObjectList(posts).flatMap((post) => (toText(post["uri"]) === undefined ? [] : [post]));
      return new Map(listed.map((post) => [requireId(post["uri"], "uri"), post]));
    });
  },
};

function buildThreadgate({ options, committedAt, replyTo }: CommitContext, post: string): JsonObject | undefined {
  if (replyTo !== null) return undefined; // the rules of the first part are for the whole thread
  const allow = listReplyRules(options)?.map((rule) => ({ $type: `${threadgate}#${rule}` }));
  return allow && { $type: threadgate, post, allow, createdAt: toIsoTime(committedAt) };
}

function buildRecord({ content, progress, committedAt, options }: CommitContext<BlueskyProgress>): JsonObject {
  const images = content.assets.map(({ id, altText, width, height }) => ({
    image: JSON.parse(requireMediaId(progress, id)) as unknown,
    alt: altText ?? "",
    ...(width && height ? { aspectRatio: { width, height } } : {}),
  }));
  const facets = buildFacets(content.text, progress.mentions ?? {});
  return {
    $type: collection,
    text: content.text,
    createdAt: toIsoTime(committedAt),
    ...buildOptionFields(options),
    reply: progress.reply,
    ...(facets.length === 0 ? {} : { facets }),
    ...(images.length === 0 ? {} : { embed: { $type: "app.bsky.embed.images", images } }),
  };
}
