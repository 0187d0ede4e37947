import { days, type Clock } from "#lib/clock.ts";
import {
  checkParamNames,
  formatTime,
  GraphError,
  invalidParameter,
  listNodes,
  objectMissing,
  permissionMissing,
  readInsights,
  readBoolean,
  selectFields,
  startGraphServer,
  type GraphRequest,
  type GraphServer,
  type GraphServerOptions,
  type Insights,
} from "./graph-api.ts";
import type { PublicMedia, PublicPost } from "./graph-media.ts";
import { takeFault } from "./http-stand-in.ts";

/**
 * Media containers, which Instagram and Threads share. Sources, read on 2026-11-16:
 *
 * - https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-container
 * - https://developers.facebook.com/documentation/threads/troubleshooting
 *
 * The documentation does not say what happens if a container is published again. Here, that makes another public
 * post, so that tests notice a client that repeats the request.
 */
export interface ContainerStandIn extends Pick<GraphServer, "origin" | "faults" | "rateLimit" | "requests" | "close"> {
  account: { id: string; username: string };
  accessToken: string;
  /** The public posts, oldest first. */
  posts(): PublicPost[];
  /** Expires the access token. */
  expireAccessToken(): void;
  issueAccessToken(): string;
  processingPolls: ProcessingPolls;
  /** `quota_total` */
  quotaTotal: number;
  insights: Insights;
  /** Whether the token has the permission to read replies. */
  canReadReplies: boolean;
}

export interface ContainerPlatform extends Pick<GraphServerOptions, "rateLimitCode"> {
  version: string | undefined;
  type: GraphServerOptions["usage"]["type"];
  account: ContainerStandIn["account"];
  processingPolls: ProcessingPolls;
  quotaTotal: number;
  /** `replies` only if the account can reply to its own posts, with `reply_to_id`. */
  edges: { containers: string; publish: string; quota: string; posts: string; replies?: string };
  /** The parameters of a container, besides those that both platforms have. */
  params: { text: string; others: readonly string[] };
  insightNames: readonly string[];
  maxChildren: number;
  maxContainersPerDay: number;
  /** Throws if a parameter is wrong. */
  readKind(request: GraphRequest, isCarouselItem: boolean): Container["kind"];
  /** Fetches and checks the media. A rejection rejects the request. */
  processMedia(request: GraphRequest, kind: Container["kind"]): Promise<ProcessingOutcome> | ProcessingOutcome;
  /** The outcome if a test injects `failProcessing`. */
  toFailure(kind: Container["kind"]): { error: string };
  errors: {
    containerMissing(id: string): GraphError;
    wrongChildCount(): GraphError;
    /** For a container that is not ready. */
    notPublishable(state: ContainerState): GraphError;
    quotaExceeded(): GraphError;
  };
  toStatusNode(state: ContainerState): Record<string, unknown>;
  toUrl(postId: string): string;
}

export interface Container {
  id: string;
  kind: "text" | "image" | "video" | "carousel";
  text: string;
  isCarouselItem: boolean;
  /** `params.others`, as sent. */
  settings: Record<string, string>;
  children: Container[];
  createdAt: number;
  isPublished: boolean;
  /** The number of status requests that return IN_PROGRESS. */
  remainingPolls: number;
  /** Resolves when the media are fetched and checked. */
  processing: Promise<ProcessingOutcome>;
}

interface Post {
  id: string;
  container: Container;
  createdAt: number;
  media: PublicPost["media"];
}

export async function startContainerServer(clock: Clock, platform: ContainerPlatform): Promise<ContainerStandIn> {
  const { account, edges, errors } = platform;
  const containers = new Map<string, Container>();
  const posts: Post[] = [];
  let lastId = 17_889_615_691_921_648n;
  const nextId = (): string => String(++lastId);

  const graph = await startGraphServer({
    clock,
    version: platform.version,
    usage: { accountId: account.id, type: platform.type },
    rateLimitCode: platform.rateLimitCode,
    isPublishRequest: ({ method, segments }) => method === "POST" && segments[1] === edges.publish,
    handle,
  });

  async function handle(request: GraphRequest): Promise<object> {
    const { method, segments } = request;
    const [node = "", edge, ...rest] = segments;
    graph.tokens.authenticate(request);
    if (rest.length > 0) throw new GraphError(`(#2500) Unknown path components: /${rest.join("/")}`, 2500);
    if (method === "GET" && edge === "insights")
      return readInsights(
        request,
        standIn.insights,
        platform.insightNames,
        posts.find(({ id }) => id === node),
      );
    if (edge !== undefined && node !== account.id) throw objectMissing(node);
    switch (`${method} ${edge ?? ""}`) {
      case `POST ${edges.containers}`:
        return createContainer(request);
      case `POST ${edges.publish}`:
        return publish(request);
      case `GET ${edges.quota}`:
        return readLimit(request);
      case `GET ${edges.posts}`:
        return listNodes(posts.filter((post) => !isReply(post)).map(toPostNode), request, ["id"]);
      case `GET ${edges.replies ?? "no edge"}`:
        if (!standIn.canReadReplies) throw permissionMissing();
        return listNodes(posts.filter(isReply).map(toPostNode), request, ["id"]);
      case "GET ":
        return readNode(node, request);
      default:
        throw invalidParameter(`Unsupported ${method.toLowerCase()} request`);
    }
  }

  async function createContainer(request: GraphRequest): Promise<object> {
    const { text, others } = platform.params;
    checkParamNames(request, [
      text,
      "media_type",
      "image_url",
      "video_url",
      "alt_text",
      "is_carousel_item",
      "children",
      ...others,
    ]);
    const since = clock() - days(1);
    if ([...containers.values()].filter(({ createdAt }) => createdAt > since).length >= platform.maxContainersPerDay)
      throw new GraphError("(#4) Application request limit reached", 4);
    const isCarouselItem = readBoolean(request, "is_carousel_item", false);
    const kind = platform.readKind(request, isCarouselItem);
    const settings = Object.fromEntries([...request.params].filter(([name]) => others.includes(name)));
    const parentId = settings["reply_to_id"];
    if (parentId !== undefined && !posts.some((post) => post.id === parentId)) throw objectMissing(parentId);
    if (isCarouselItem && Object.keys(settings).length > 0)
      throw invalidParameter(`${Object.keys(settings).join()} can't be used with items of a carousel`);
    const hasFault = ["image", "video"].includes(kind) && takeFault(graph.faults, "failProcessing");
    const container: Container = {
      id: nextId(),
      kind,
      text: request.params.get(text) ?? "",
      isCarouselItem,
      settings,
      children: kind === "carousel" ? findChildren(request) : [],
      createdAt: clock(),
      isPublished: false,
      remainingPolls: standIn.processingPolls[kind],
      processing: Promise.resolve(hasFault ? platform.toFailure(kind) : await platform.processMedia(request, kind)),
    };
    containers.set(container.id, container);
    return { id: container.id };
  }

  /** Ids separated by commas. */
  function findChildren({ params }: GraphRequest): Container[] {
    const ids = (params.get("children") ?? "").split(",");
    if (ids.length < 2 || ids.length > platform.maxChildren) throw errors.wrongChildCount();
    return ids.map((id) => {
      const child = containers.get(id);
      if (!child || clock() - child.createdAt >= containerLifetimeMs) throw errors.containerMissing(id);
      if (!child.isCarouselItem) throw invalidParameter(`Container ${id} was not created with is_carousel_item`);
      return child;
    });
  }

  async function publish(request: GraphRequest): Promise<object> {
    checkParamNames(request, ["creation_id"]);
    const id = request.params.get("creation_id");
    if (id === undefined) throw invalidParameter("The parameter creation_id is required.");
    const container = containers.get(id);
    if (!container) throw errors.containerMissing(id);
    if (container.isCarouselItem) throw invalidParameter(`Container ${id} is an item of a carousel`);
    const state = await readContainerState(container, clock());
    if (!state.media) throw errors.notPublishable(state);
    const isOverQuota = container.settings["reply_to_id"] === undefined && countRecentPosts() >= standIn.quotaTotal;
    if (isOverQuota) throw errors.quotaExceeded();
    container.isPublished = true;
    const post = { id: nextId(), container, createdAt: clock(), media: state.media };
    posts.push(post);
    return { id: post.id };
  }

  const countRecentPosts = (): number =>
    posts.filter((post) => !isReply(post) && post.createdAt > clock() - days(1)).length;

  function readLimit(request: GraphRequest): object {
    // "threads_manage_replies" is required for these fields.
    if (request.params.get("fields")?.includes("reply_")) throw permissionMissing();
    const config = { quota_total: standIn.quotaTotal, quota_duration: 86_400 };
    const usage = { quota_usage: countRecentPosts(), config };
    return { data: [selectFields(usage, request, ["quota_usage"])] };
  }

  async function readNode(id: string, request: GraphRequest): Promise<object> {
    const post = posts.find((candidate) => candidate.id === id);
    if (post) return selectFields(toPostNode(post), request, ["id"]);
    const container = containers.get(id);
    if (!container) throw objectMissing(id);
    const state = await readContainerState(container, clock());
    countPoll(container);
    return selectFields({ id, ...platform.toStatusNode(state) }, request, ["id"]);
  }

  const toPostNode = ({ id, container, createdAt }: Post): Record<string, unknown> => ({
    id,
    [platform.params.text]: container.text || undefined,
    permalink: platform.toUrl(id),
    timestamp: formatTime(createdAt),
    ...(edges.replies === undefined
      ? {}
      : { replied_to: container.settings["reply_to_id"] && { id: container.settings["reply_to_id"] } }),
  });

  const standIn: ContainerStandIn = {
    ...graph,
    account,
    accessToken: graph.tokens.issue(account.id),
    posts: () =>
      posts.map(({ id, container: { text, settings }, media }) => ({
        id,
        text,
        settings,
        media,
        url: platform.toUrl(id),
      })),
    expireAccessToken: () => graph.tokens.expire(account.id),
    issueAccessToken: () => (standIn.accessToken = graph.tokens.issue(account.id)),
    processingPolls: platform.processingPolls,
    quotaTotal: platform.quotaTotal,
    canReadReplies: true,
    insights: { canRead: true, values: new Map() },
  };
  return standIn;
}

const isReply = ({ container }: Post): boolean => container.settings["reply_to_id"] !== undefined;

export type ProcessingOutcome = { media: PublicMedia[] } | { error: string };

type ContainerStatus = "EXPIRED" | "ERROR" | "FINISHED" | "IN_PROGRESS" | "PUBLISHED";

/** How many status requests return IN_PROGRESS before the outcome of a container. */
type ProcessingPolls = Record<Container["kind"], number>;

const containerLifetimeMs = days(1);

interface ContainerState {
  status: ContainerStatus;
  /** The reason if the status is ERROR. */
  error?: string;
  /** The media if the status is FINISHED or PUBLISHED. */
  media?: PublicMedia[];
}

async function readContainerState(container: Container, now: number): Promise<ContainerState> {
  if (container.isPublished) return { status: "PUBLISHED", ...(await readMedia(container)) };
  if (now - container.createdAt >= containerLifetimeMs) return { status: "EXPIRED" };
  const all = [container, ...container.children];
  if (all.some(({ remainingPolls }) => remainingPolls > 0)) return { status: "IN_PROGRESS" };
  const outcome = await readMedia(container);
  return "error" in outcome ? { status: "ERROR", ...outcome } : { status: "FINISHED", ...outcome };
}

/** The media of the container, or of its children in their order. */
async function readMedia(container: Container): Promise<ProcessingOutcome> {
  const media: PublicMedia[] = [];
  for (const { processing } of [container, ...container.children]) {
    const outcome = await processing;
    if ("error" in outcome) return outcome;
    media.push(...outcome.media);
  }
  return { media };
}

/** Counts a status request of a container. For a carousel, it also counts as a request of each child. */
function countPoll(container: Container): void {
  for (const each of [container, ...container.children])
    Object.assign(each, { remainingPolls: Math.max(0, each.remainingPolls - 1) });
}

/** Rejects a text or URL that is longer than `max` code points. */
export function checkLength({ params }: GraphRequest, name: string, max: number): void {
  if (Array.from(params.get(name) ?? "").length > max)
    throw invalidParameter(`The maximum length of ${name} is ${max} characters`);
}
