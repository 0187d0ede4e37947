import type { FailedOutcome, LookUpOutcome, PublishRequest } from "#domain/publishing/ports.ts";
import type { PublicationProgress } from "#domain/publishing/progress.ts";
import { mediaRejectedOutcome } from "./classify-status.ts";
import type { CallOutcome, PublishCalls } from "./publish-calls.ts";
import type { AccountPosts, Publishing, PublishContext, RemotePost } from "./publishing.ts";

type PostComparison = Extract<Publishing["reconcile"], { findPosts: unknown }>;
/** How many posts are compared, each perhaps with a call: a server may return more than the call asked for. */
const maxComparedPosts = 40;
/** Whether another publication already has this post. */
type IsTaken = (remoteId: string) => Promise<boolean>;

const isPostComparison = (reconcile: Publishing["reconcile"]): reconcile is PostComparison =>
  typeof reconcile === "object" && "findPosts" in reconcile;

/** Stores the ids of the account's posts before the commit, so that none of them is mistaken for the new post later. */
export async function saveEarlierPostIds(
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
  isTaken: IsTaken,
): Promise<LookUpOutcome> {
  const { platform } = request.connection;
  const { commit, container, reconcile } = calls.getPublishing(platform);
  const context = calls.createContext(request);
  const { processingId } = request.progress;
  if (processingId !== undefined && commit.processing)
    return lookUpProcessedPost(calls, platform, commit.processing, processingId, context);
  if (reconcile === "unreadable") return { kind: "unreadable" };
  if (reconcile === "container" && container) return lookUpContainer(calls, platform, container, context);
  if (typeof reconcile === "object" && "publishedContainer" in reconcile && container) {
    const status = await lookUpContainer(calls, platform, container, context);
    // Not public yet, and the platform does not promise that a second commit would be harmless.
    if (status.kind === "repeatable")
      return {
        kind: "unidentified",
        appearsWithinMs: reconcile.publishedContainer.getAppearanceDelayMs?.(request.content),
      };
    if (status.kind !== "published" || status.url !== null) return status;
    return findContainerPost(calls, platform, reconcile.publishedContainer, context, isTaken);
  }
  if (!isPostComparison(reconcile)) throw new Error("this platform's commit is repeated, not looked up");
  const posts = await calls.call(platform, reconcile.buildCall(context), (body) => reconcile.findPosts(body, context));
  if ("kind" in posts) return toUnknown(posts);
  const newPosts = posts.value.filter(({ id }) => !request.progress.earlierPostIds?.includes(id));
  const candidates = await filterOutTaken(newPosts.slice(0, maxComparedPosts), isTaken);
  const matchingPosts = await selectByExactText(calls, platform, candidates, reconcile, context);
  if ("kind" in matchingPosts) return toUnknown(matchingPosts);
  const [post, ...others] = matchingPosts.value;
  // A person may have posted the same text by hand, and only a user can tell which post is ours.
  if (!post || (reconcile.listIds && others.length > 0))
    return { kind: "unidentified", appearsWithinMs: reconcile.getAppearanceDelayMs?.(request.content) };
  return { kind: "published", remoteId: post.id, url: post.url };
}

/** Finds out whether the platform has processed the media of a commit that it accepted. */
async function lookUpProcessedPost(
  calls: PublishCalls,
  platformId: string,
  { buildStatusCall, parseStatus }: NonNullable<Publishing["commit"]["processing"]>,
  processingId: string,
  context: PublishContext,
): Promise<LookUpOutcome> {
  const call = buildStatusCall(context, processingId);
  const status = await calls.call(platformId, call, (body) => parseStatus(body, context));
  if ("kind" in status) return toUnknown(status);
  if (status.value === "rejected") return mediaRejectedOutcome;
  if (status.value === "in_progress") return stillProcessingOutcome;
  return { kind: "published", remoteId: status.value.id, url: status.value.url };
}

const stillProcessingOutcome = {
  kind: "unknown",
  message: "the platform is still processing the media",
} as const satisfies LookUpOutcome;

async function lookUpContainer(
  calls: PublishCalls,
  platformId: string,
  { buildStatusCall, parseStatus }: NonNullable<Publishing["container"]>,
  context: PublishContext,
): Promise<LookUpOutcome> {
  const status = await calls.call(platformId, buildStatusCall(context), parseStatus);
  if ("kind" in status) return toUnknown(status);
  if (status.value === "ready") return { kind: "repeatable" };
  if (status.value === "rejected") return mediaRejectedOutcome;
  if (status.value === "expired")
    return {
      kind: "rejected",
      code: "expired",
      message: "The post was not published, and has expired at the platform.",
    };
  if (status.value === "published") return toContainerPost(context);
  return status.value === "in_progress" || "checkAfterMs" in status.value
    ? stillProcessingOutcome
    : { kind: "published", remoteId: status.value.id, url: status.value.url };
}

/** A public post that is known only by its container. */
const toContainerPost = ({ progress }: PublishContext): Extract<LookUpOutcome, { kind: "published" }> => ({
  kind: "published",
  remoteId: `container:${progress.containerId}`,
  url: null,
});

/** The container is public. Finds its post, for the URL. */
async function findContainerPost(
  calls: PublishCalls,
  platformId: string,
  { buildCall, findPosts }: AccountPosts,
  context: PublishContext,
  isTaken: IsTaken,
): Promise<LookUpOutcome> {
  const posts = await calls.call(platformId, buildCall(context), (body) => findPosts(body, context));
  if ("kind" in posts) return posts.kind === "rejected" ? toContainerPost(context) : toUnknown(posts);
  const [post, ...others] = await filterOutTaken(posts.value, isTaken);
  return post && others.length === 0
    ? { kind: "published", remoteId: post.id, url: post.url }
    : toContainerPost(context);
}

async function filterOutTaken(posts: readonly RemotePost[], isTaken: IsTaken): Promise<RemotePost[]> {
  const untakenPosts: RemotePost[] = [];
  for (const post of posts) if (!(await isTaken(post.id))) untakenPosts.push(post);
  return untakenPosts;
}

/** The candidates whose exact text matches what was sent. */
async function selectByExactText(
  calls: PublishCalls,
  platformId: string,
  candidates: RemotePost[],
  { exactText }: PostComparison,
  context: PublishContext,
): Promise<CallOutcome<RemotePost[]>> {
  if (!exactText) return { value: candidates };
  const matchingPosts: RemotePost[] = [];
  for (const post of candidates) {
    const call = exactText.buildCall(context, post);
    const isSame = await calls.call(platformId, call, (body) => exactText.isSame(body, context));
    if ("kind" in isSame) return isSame;
    if (isSame.value) matchingPosts.push(post);
  }
  return { value: matchingPosts };
}

/** A read that fails proves nothing, unless the credentials are no longer valid. */
function toUnknown(outcome: FailedOutcome): Extract<FailedOutcome, { kind: "reconnect" | "unknown" }> {
  if (outcome.kind === "reconnect") return outcome;
  const retryAfterMs = "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined;
  return { kind: "unknown", message: outcome.message, retryAfterMs };
}
