import { minutes, seconds } from "#lib/clock.ts";
import { parseList, requireId, toObject, toObjectList, toText, toUrl } from "../call-api.ts";
import type { MediaUpload } from "../media-upload.ts";
import type { ApiCall, JsonObject } from "../platform.ts";
import type { ContainerStatus, PublishContext, Publishing, RemotePost } from "../publishing.ts";

/** How many of the account's newest posts are compared to find the post that a container became. */
const maxComparedPosts = 10;
/** How long after a lost response a container may still become public. */
const appearanceDelayMs = minutes(5);
/** How far Meta's clock may be behind ours. */
const clockToleranceMs = seconds(60);

/** How Instagram and Threads differ. Both publish containers, and fetch media from URLs. */
export interface ContainerPlatform {
  /** The API version in the path of each call. */
  version: string;
  /** Edges of the account in the Graph API. The edge is the last part of a call's path. */
  edges: { containers: string; publish: string; quota: string; posts: string };
  /** The field that has the status of a container. */
  statusField: string;
  /** The field that has the text of a post, and the parameter that sets it. */
  text: { field: string; param: string };
  /** The parameters of a container with one file. */
  buildMediaParams: (context: PublishContext, isChild: boolean, index: number) => Record<string, string>;
  /** Additional parameters of a post without files, if the platform allows such posts. */
  textOnlyParams?: Record<string, string>;
}

type ContainerPublishing = Pick<
  Publishing,
  "quota" | "media" | "container" | "commit" | "permalink" | "reconcile" | "fetchedMedia"
>;

export function createContainerPublishing(platform: ContainerPlatform): ContainerPublishing {
  const { version, edges, statusField, text } = platform;

  const buildCall = (
    { accessToken, endpoints }: PublishContext,
    path: string,
    params: { query: Record<string, string> } | { form: Record<string, string> },
  ): ApiCall => ({
    method: "form" in params ? "POST" : "GET",
    url: `${endpoints.api}/${version}/${path}`,
    bearer: accessToken,
    ...params,
  });
  const buildStatusCall = (context: PublishContext, containerId: string): ApiCall =>
    buildCall(context, encodeURIComponent(containerId), { query: { fields: statusField } });
  const buildAccountPath = ({ account }: PublishContext, edge: string): string =>
    `${encodeURIComponent(account.id)}/${edge}`;

  /** Uploads one file of a post with several files. */
  const childUpload: MediaUpload = {
    buildFetchCall: (context, asset) =>
      buildCall(context, buildAccountPath(context, edges.containers), {
        form: platform.buildMediaParams(context, true, context.content.assets.indexOf(asset)),
      }),
    parseId,
    processing: {
      isPending: () => true,
      buildStatusCall,
      parseStatus: (body) => {
        const status = parseContainerStatus(body[statusField]);
        return status === "ready" || status === "in_progress" || status === "expired" ? status : "rejected";
      },
    },
  };

  function buildContainerParams(context: PublishContext): Record<string, string> {
    const { content, progress } = context;
    const textParams = content.text === "" ? {} : { [text.param]: content.text };
    if (content.assets.length === 0) return { ...platform.textOnlyParams, ...textParams };
    if (content.assets.length === 1) return { ...platform.buildMediaParams(context, false, 0), ...textParams };
    const children = content.assets.map(({ id }) => progress.mediaIds[id] ?? "").join(",");
    return { media_type: "CAROUSEL", children, ...textParams };
  }

  return {
    fetchedMedia: "all",
    quota: {
      buildCall: (context) =>
        buildCall(context, buildAccountPath(context, edges.quota), { query: { fields: "quota_usage,config" } }),
      isReached: ({ data }) => {
        const [{ quota_usage: used, config } = {}] = toObjectList(data);
        const total = toObject(config)["quota_total"];
        return typeof used === "number" && typeof total === "number" && used >= total;
      },
    },
    media: (_asset, content) => (content.assets.length > 1 ? childUpload : undefined),
    container: {
      buildCall: (context) =>
        buildCall(context, buildAccountPath(context, edges.containers), { form: buildContainerParams(context) }),
      parseId,
      buildStatusCall: (context) => buildStatusCall(context, context.progress.containerId ?? ""),
      parseStatus: (body) => parseContainerStatus(body[statusField]),
    },
    commit: {
      buildCall: (context) =>
        buildCall(context, buildAccountPath(context, edges.publish), {
          form: { creation_id: context.progress.containerId ?? "" },
        }),
      parsePost: (body) => ({ id: parseId(body), url: null }),
    },
    permalink: {
      buildCall: (context, postId) =>
        buildCall(context, encodeURIComponent(postId), { query: { fields: "permalink" } }),
      parseUrl: parsePermalink,
    },
    reconcile: {
      publishedContainer: {
        buildCall: (context) =>
          buildCall(context, buildAccountPath(context, edges.posts), {
            query: { fields: `id,permalink,timestamp,${text.field}`, limit: String(maxComparedPosts) },
          }),
        findPosts: ({ data }, { content, progress, committedAt = 0 }): RemotePost[] => {
          const earliestTime = (progress.firstCommittedAt ?? committedAt) - clockToleranceMs;
          const posts = toObjectList(data).filter(
            (post) =>
              Date.parse(toText(post["timestamp"]) ?? "") >= earliestTime &&
              (toText(post[text.field]) ?? "").trim() === content.text.trim(),
          );
          return parseList(posts, (post) => ({ id: parseId(post), url: parsePermalink(post) }));
        },
        getAppearanceDelayMs: () => appearanceDelayMs,
      },
    },
  };
}

const parseId = (body: JsonObject): string => requireId(body["id"]);

const parsePermalink = ({ permalink }: JsonObject): string | null => toUrl(permalink);

const containerStatuses: Readonly<Record<string, ContainerStatus>> = {
  EXPIRED: "expired",
  ERROR: "rejected",
  FINISHED: "ready",
  IN_PROGRESS: "in_progress",
  PUBLISHED: "published",
};

function parseContainerStatus(value: unknown): ContainerStatus {
  const status = containerStatuses[toText(value) ?? ""];
  if (status === undefined) throw new Error("the response has no known status");
  return status;
}
