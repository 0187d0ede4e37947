import { requireId, toObjectList, toUrl } from "#connectors/call-api.ts";
import type {
  CommitContext,
  LookUpContext,
  Preparation,
  PrepareContext,
  ResultsModule,
} from "#connectors/publishing/publish-module.ts";
import { toPublished } from "#connectors/publishing/read-back.ts";
import { listMediaIds, uploadFiles } from "#connectors/publishing/upload-files.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { minutes } from "#lib/clock.ts";
import { keyLifetimeMs } from "./sandbox-api.ts";

export const canReply = true;

export const listPostHosts = (api: string): string[] => [new URL(api).hostname];

export async function prepare(context: PrepareContext): Promise<Preparation> {
  await uploadFiles(context, (asset) => {
    const headers = {
      "content-type": asset.mimeType,
      ...(asset.altText === null ? {} : { "x-alt-text": encodeURIComponent(asset.altText) }),
    };
    return context.call({ method: "POST", path: "/api/media", headers, file: { asset } }, ({ id }) => ({
      id: requireId(id),
      isPending: false,
    }));
  });
  return "prepared";
}

export async function commit(context: CommitContext): Promise<CommitOutcome> {
  const { call, commitKey, content, options, replyTo } = context;
  const headers = { "idempotency-key": commitKey };
  const json = { text: content.text, mediaIds: listMediaIds(context), options, replyTo: replyTo?.parentId ?? null };
  const post = await call({ method: "POST", path: "/api/posts", headers, json }, ({ id, url }) => ({
    id: requireId(id),
    url: toUrl(url),
  }));
  return toPublished(post);
}

export const results: ResultsModule = {
  definition: 1,
  sources: { likes: "likes", comments: "comments", reposts: "reposts" },
  batchSize: 50,
  read: ({ call }, postIds) =>
    call({ method: "GET", path: "/api/metrics", query: { ids: postIds.join(",") } }, ({ posts }) => {
      return new Map(toObjectList(posts).map((post) => [requireId(post["id"]), post]));
    }),
};

/** The sandbox recognizes the key of a commit for a while, and then responds as to the first request. */
export async function lookUp({ elapsedMs }: LookUpContext): Promise<LookUpOutcome> {
  const isRecognized = elapsedMs < keyLifetimeMs - minutes(5);
  return isRecognized ? { kind: "repeatable", ifRejected: "failed" } : { kind: "undecidable" };
}
