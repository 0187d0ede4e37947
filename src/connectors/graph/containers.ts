import type { ContentAsset } from "#domain/model/publication-content.ts";
import { parentUnknownOutcome } from "#domain/jobs/publishing/read-part.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import { minutes } from "#lib/clock.ts";
import { parseList, requireId, toObject, toObjectList, toText, toUrl } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { StepFailure, mediaRejectedOutcome, orIfRejected, stillProcessingOutcome } from "../publishing/step-failure.ts";
import type {
  CallContext,
  CommitContext,
  ModuleProgress,
  LookUpContext,
  Preparation,
  PrepareContext,
  PublishModule,
} from "../publishing/publish-module.ts";
import { clockToleranceMs, excludeOtherPosts, toPublished, type RemotePost } from "../publishing/read-back.ts";
import { classifyGraphError } from "./errors.ts";
import {
  awaitFiles,
  awaitProcessing,
  listMediaIds,
  uploadFiles,
  type ProcessingStatus,
} from "../publishing/upload-files.ts";

/** How many of the account's newest posts are compared to find the post that a container became. */
const maxComparedPosts = 10;
/** A post whose id can't be found gets the id of its container, which no post has. */
const unknownPostPrefix = "container:";
/** How long after a lost response a container may still become public. */
const appearanceDelayMs = minutes(5);

/** What Instagram and Threads call the same things. */
interface ContainerNames {
  /** The API version in the path of each call. */
  version: string;
  /** Edges of the account in the Graph API. The edge is the last part of a call's path. */
  edges: { containers: string; publish: string; quota: string; posts: string; replies?: string };
  /** The field that has the status of a container. */
  statusField: string;
  /** The field that has the text of a post, which is also the parameter that sets it. */
  textField: string;
}

export interface ContainerProgress extends ModuleProgress {
  containerId?: string | undefined;
}

/** The parameters of a container, such as the URL of its file. */
type ContainerParams = Record<string, string>;

/**
 * How Instagram and Threads publish: both publish containers, and fetch media from URLs. `buildFileParams` returns the
 * parameters of a file's container; `isChild` if the post has several files. `buildPostParams`: further
 * parameters of the post's container.
 */
export function createContainerModule(
  hosts: readonly string[],
  names: ContainerNames,
  buildFileParams: (asset: ContentAsset, url: string, isChild: boolean) => ContainerParams,
  buildPostParams: (context: CallContext) => ContainerParams,
): PublishModule {
  return {
    listPostHosts: () => [...hosts],
    fetchedMedia: "all",
    ...(names.edges.replies === undefined ? {} : { canReply: true }),
    classifyError: classifyGraphError,
    // The status of the container shows whether an earlier commit made the post public.
    canCheckCommit: ({ containerId }: ContainerProgress) => containerId !== undefined,
    prepare(context) {
      const { assets } = context.content;
      const files = assets.map((asset) => buildFileParams(asset, context.createMediaUrl(asset), assets.length > 1));
      return prepareContainer(context, names, files, buildPostParams(context));
    },
    commit: (context) => commitContainer(context, names),
    lookUp: (context) => lookUpContainer(context, names),
  };
}

/** Creates a container for the post, and waits until the platform has processed it. `files`: one entry per file. */
async function prepareContainer(
  context: PrepareContext<ContainerProgress>,
  names: ContainerNames,
  files: readonly ContainerParams[],
  postParams: ContainerParams,
): Promise<Preparation> {
  const hasContainer = context.progress.containerId !== undefined;
  if (context.replyTo?.parentId.startsWith(unknownPostPrefix)) throw new StepFailure(parentUnknownOutcome);
  if (!hasContainer) {
    await checkQuota(context, names);
    if (files.length > 1 && (await prepareChildren(context, names, files)) === "expired") return "expired";
    const params = { ...buildMediaParams(context, files), ...buildTextParams(context, names), ...postParams };
    await context.save({ containerId: await createContainer(context, names, params) });
  }
  const { containerId = "" } = context.progress;
  const readStatus = () => readContainerStatus(context, names, containerId);
  const { kind } = await awaitProcessing(context, () =>
    // The platform may no longer know the container of an earlier run. If that run sent a commit, a user publishes again
    // and has checked the account.
    hasContainer ? orIfRejected(readStatus(), { kind: "expired" }) : readStatus(),
  );
  switch (kind) {
    case "published":
      return "already_committed";
    case "expired":
      return "expired";
    case "rejected":
      throw new StepFailure(mediaRejectedOutcome);
    case "ready":
      // Only now: the container of an earlier run might have been public, and a quota that is used up ends the run.
      if (hasContainer) await checkQuota(context, names);
      return "prepared";
  }
}

/** Creates a container for each file of a post with several files. */
async function prepareChildren(
  context: PrepareContext,
  names: ContainerNames,
  files: readonly ContainerParams[],
): Promise<"ready" | "expired"> {
  await uploadFiles(context, async (asset) => {
    const params = files[context.content.assets.indexOf(asset)] ?? {};
    return { id: await createContainer(context, names, params), isPending: true };
  });
  return awaitFiles(context, (id) => readContainerStatus(context, names, id));
}

function buildMediaParams(context: CallContext, [file, ...others]: readonly ContainerParams[]): ContainerParams {
  if (!file) return { media_type: "TEXT" };
  return others.length === 0 ? file : { media_type: "CAROUSEL", children: listMediaIds(context).join(",") };
}

const buildTextParams = ({ content }: CallContext, { textField }: ContainerNames): ContainerParams =>
  content.text === "" ? {} : { [textField]: content.text };

/** Publishes the container. */
async function commitContainer(
  context: CommitContext<ContainerProgress>,
  names: ContainerNames,
): Promise<CommitOutcome> {
  const form = { creation_id: context.progress.containerId ?? "" };
  const path = buildEdgePath(context, names, names.edges.publish);
  const id = await context.call({ method: "POST", path, form }, parseId);
  const readCall = { method: "GET", path: buildObjectPath(names, id), query: { fields: "permalink" } } as const;
  // The post is public already, also if this call fails.
  return toPublished({ id, url: await context.call(readCall, parsePermalink).catch(() => null) });
}

/**
 * Reads the status of the container. The commit is never repeated, because the platform does not promise that this is
 * harmless.
 */
async function lookUpContainer(
  context: LookUpContext<ContainerProgress>,
  names: ContainerNames,
): Promise<LookUpOutcome> {
  const { containerId = "" } = context.progress;
  const { kind } = await readContainerStatus(context, names, containerId);
  switch (kind) {
    case "published":
      return toPublished(
        (await findContainerPost(context, names)) ?? { id: `${unknownPostPrefix}${containerId}`, url: null },
      );
    case "ready":
      return { kind: "not_found", appearsWithinMs: appearanceDelayMs };
    case "in_progress":
      return stillProcessingOutcome;
    case "rejected":
      return mediaRejectedOutcome;
    case "expired": {
      const message = "The post was not published, and has expired at the platform.";
      return { kind: "rejected", code: "expired", message };
    }
  }
}

/** Finds the post that the container became, for its URL. Undefined unless exactly one post can be it. */
async function findContainerPost(
  context: LookUpContext<ContainerProgress>,
  names: ContainerNames,
): Promise<RemotePost | undefined> {
  const { replyTo } = context;
  const earliestTime = context.firstCommittedAt - clockToleranceMs;
  const isCandidate = (post: JsonObject): boolean =>
    Date.parse(toText(post["timestamp"]) ?? "") >= earliestTime &&
    (toText(post[names.textField]) ?? "").trim() === context.content.text.trim() &&
    toText(toObject(post["replied_to"])["id"]) === replyTo?.parentId;
  const { posts: postEdge, replies: edge = postEdge } = names.edges;
  const fields = `id,permalink,timestamp,${names.textField}${replyTo ? ",replied_to" : ""}`;
  const query = { fields, limit: String(maxComparedPosts) };
  const path = buildEdgePath(context, names, replyTo ? edge : postEdge);
  const posts = context.call({ method: "GET", path, query }, ({ data }) =>
    parseList(toObjectList(data).filter(isCandidate), (post) => ({ id: parseId(post), url: parsePermalink(post) })),
  );
  const [post, ...others] = await excludeOtherPosts(context, await orIfRejected(posts, []));
  return others.length === 0 ? post : undefined;
}

/** If the platform does not let us read the quota, continues: it rejects the commit if the quota is reached. */
async function checkQuota(context: CallContext, names: ContainerNames): Promise<void> {
  const prefix = context.replyTo ? "reply_" : "";
  const [usageField, configField] = [`${prefix}quota_usage`, `${prefix}config`];
  const query = { fields: `${usageField},${configField}` };
  const path = buildEdgePath(context, names, names.edges.quota);
  const isReached = context.call({ method: "GET", path, query }, ({ data }) => {
    const [quota = {}] = toObjectList(data);
    const used = quota[usageField];
    const total = toObject(quota[configField])["quota_total"];
    return typeof used === "number" && typeof total === "number" && used >= total;
  });
  const message = "the account has published as many posts as the platform allows for now";
  if (await orIfRejected(isReached, false))
    throw new StepFailure({ kind: "retry_later", retryAfterMs: undefined, message });
}

function createContainer(context: CallContext, names: ContainerNames, form: ContainerParams): Promise<string> {
  return context.call({ method: "POST", path: buildEdgePath(context, names, names.edges.containers), form }, parseId);
}

const statusKinds: Readonly<Record<string, ProcessingStatus["kind"]>> = {
  EXPIRED: "expired",
  ERROR: "rejected",
  FINISHED: "ready",
  IN_PROGRESS: "in_progress",
  PUBLISHED: "published",
};

function readContainerStatus(
  context: CallContext,
  names: ContainerNames,
  containerId: string,
): Promise<ProcessingStatus> {
  const query = { fields: names.statusField };
  return context.call({ method: "GET", path: buildObjectPath(names, containerId), query }, (body) => {
    const kind = statusKinds[toText(body[names.statusField]) ?? ""];
    if (kind === undefined) throw new Error("the response has no known status");
    return { kind };
  });
}

const buildObjectPath = ({ version }: ContainerNames, id: string): string => `/${version}/${encodeURIComponent(id)}`;

const buildEdgePath = ({ account }: CallContext, names: ContainerNames, edge: string): string =>
  `${buildObjectPath(names, account.id)}/${edge}`;

const parseId = (body: JsonObject): string => requireId(body["id"]);

const parsePermalink = ({ permalink }: JsonObject): string | null => toUrl(permalink);
