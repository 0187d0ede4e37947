import type { FailedOutcome, LookUpOutcome, PublicationProgress, PublishRequest } from "#domain/publishing/ports.ts";
import type { CallOutcome, PublishCalls } from "./publish-calls.ts";
import type { Publishing, PublishContext, RemotePost } from "./publishing.ts";

export const mediaRejected = {
  kind: "rejected",
  code: "media_rejected",
  message: "The platform rejected the media.",
} as const;

type PostComparison = Extract<Publishing["reconcile"], { findPosts: unknown }>;

const isPostComparison = (reconcile: Publishing["reconcile"]): reconcile is PostComparison =>
  typeof reconcile === "object" && "findPosts" in reconcile;

/** Before the commit: remembers the account's posts, so that none of them is mistaken for the new one later. */
export async function readEarlierPosts(
  calls: PublishCalls,
  request: PublishRequest,
  saveProgress: (progress: PublicationProgress) => Promise<void>,
): Promise<FailedOutcome | undefined> {
  const { reconcile } = calls.getPublishing(request.connection.platform);
  if (!isPostComparison(reconcile) || !reconcile.listIds) return undefined;
  const call = reconcile.buildCall(calls.createContext(request));
  const earlierPostIds = await calls.call(request.connection.platform, call, reconcile.listIds);
  if ("kind" in earlierPostIds) return earlierPostIds;
  await saveProgress({ ...request.progress, earlierPostIds: earlierPostIds.value });
  return undefined;
}

/** Finds out whether an earlier commit made the post public. */
export async function lookUpPost(
  calls: PublishCalls,
  request: PublishRequest,
  isTaken: (remoteId: string) => Promise<boolean>,
): Promise<LookUpOutcome> {
  const { platform } = request.connection;
  const { container, reconcile } = calls.getPublishing(platform);
  const context = calls.createContext(request);
  if (reconcile === "container" && container) return readContainer(calls, platform, container, context);
  if (!isPostComparison(reconcile)) throw new Error("this platform's commit is repeated, not looked up");
  const posts = await calls.call(platform, reconcile.buildCall(context), (body) => reconcile.findPosts(body, context));
  if ("kind" in posts) return toUnknown(posts);
  const candidates: RemotePost[] = [];
  for (const post of posts.value)
    if (!request.progress.earlierPostIds?.includes(post.id) && !(await isTaken(post.id))) candidates.push(post);
  const samePosts = await selectByExactText(calls, platform, candidates, reconcile, context);
  if ("kind" in samePosts) return toUnknown(samePosts);
  const [post, ...others] = samePosts.value;
  // A person may have posted the same text by hand, and only a user can tell which post is ours.
  if (!post || (reconcile.listIds && others.length > 0)) return { kind: "unidentified" };
  return { kind: "published", remoteId: post.id, url: post.url };
}

async function readContainer(
  calls: PublishCalls,
  platformId: string,
  { buildStatusCall, parseStatus }: NonNullable<Publishing["container"]>,
  context: PublishContext,
): Promise<LookUpOutcome> {
  const status = await calls.call(platformId, buildStatusCall(context), parseStatus);
  if ("kind" in status) return toUnknown(status);
  if (status.value === "ready") return { kind: "repeatable" };
  if (status.value === "rejected") return mediaRejected;
  return status.value === "in_progress"
    ? { kind: "unknown", message: "the platform is still processing the media" }
    : { kind: "published", remoteId: status.value.id, url: status.value.url };
}

/** The candidates whose exact text is what was sent. */
async function selectByExactText(
  calls: PublishCalls,
  platformId: string,
  candidates: RemotePost[],
  { exactText }: PostComparison,
  context: PublishContext,
): Promise<CallOutcome<RemotePost[]>> {
  if (!exactText) return { value: candidates };
  const samePosts: RemotePost[] = [];
  for (const post of candidates) {
    const call = exactText.buildCall(context, post);
    const isSame = await calls.call(platformId, call, (body) => exactText.isSame(body, context));
    if ("kind" in isSame) return isSame;
    if (isSame.value) samePosts.push(post);
  }
  return { value: samePosts };
}

/** A read that fails proves nothing, unless the credentials are no longer valid. */
function toUnknown(outcome: FailedOutcome): Extract<FailedOutcome, { kind: "reconnect" | "unknown" }> {
  if (outcome.kind === "reconnect") return outcome;
  const retryAfterMs = "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined;
  return { kind: "unknown", message: outcome.message, retryAfterMs };
}
