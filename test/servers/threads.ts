import {
  checkParamNames,
  formatTime,
  GraphError,
  invalidParameter,
  listNodes,
  objectMissing,
  readBoolean,
  selectFields,
  startGraphServer,
  takeFault,
  type GraphRequest,
  type GraphServer,
  type ListedNode,
} from "./graph-api.ts";
import {
  containerLifetimeMs,
  countPoll,
  parseIds,
  readContainerState,
  type Container,
  type ProcessingOutcome,
  type ProcessingPolls,
} from "./graph-containers.ts";
import {
  downloadMedia,
  findVideoProblem,
  readImage,
  toPublicMedia,
  type PublicPost,
  type VideoProblem,
} from "./graph-media.ts";

/**
 * A stand-in for the Threads API, written from the documentation only, read on 2026-11-16 (developers.facebook.com):
 *
 * - /documentation/threads/overview
 * - /documentation/threads/posts and /documentation/threads/posts/accessibility
 * - /documentation/threads/reference/publishing
 * - /documentation/threads/reference/media-retrieval
 * - /documentation/threads/retrieve-and-discover-posts/retrieve-posts
 * - /documentation/threads/troubleshooting
 * - /docs/threads/get-started/long-lived-tokens
 *
 * | request | result |
 * | --- | --- |
 * | POST /{user}/threads | a container: TEXT, IMAGE, VIDEO, CAROUSEL; **a public post** with `auto_publish_text` |
 * | GET /{container} | `id`, `status`, `error_message` |
 * | POST /{user}/threads_publish | **a public post** |
 * | GET /{user}/threads_publishing_limit | `quota_usage`, `config` |
 * | GET /{user}/threads, GET /{media} | the posts |
 * | GET /{user} | the account |
 * | GET /refresh_access_token | another token |
 *
 * `{user}` is the account id or `me`; the version is v1.0. Replies, quotes, polls, GIFs, spoilers, ghost posts, locations
 * and country lists are left out.
 *
 * The documentation does not say what happens if a container is published again. Here, that makes another public
 * post, so that tests notice a client that repeats the request. The documentation gives no error code for exceeded
 * limits either. Here, code 100 (invalid parameter) rejects a container, and 613 (custom rate limit) reports that a
 * quota is exceeded.
 */
export interface Threads extends Pick<
  GraphServer,
  "origin" | "faults" | "rateLimit" | "requests" | "advanceTime" | "close"
> {
  account: { id: string; username: string; name: string };
  accessToken: string;
  /** The public posts, oldest first. */
  posts(): PublicPost[];
  /** Expires the access token. */
  expireAccessToken(): void;
  issueAccessToken(): string;
  processingPolls: ProcessingPolls;
  /** `quota_total`. */
  quotaTotal: number;
}

const megabyte = 1024 * 1024;
const maxImageBytes = 8 * megabyte;
const videoLimits = { maxBytes: 1024 * megabyte, minSeconds: 0, maxSeconds: 300, maxBitsPerSecond: 100_000_000 };
const quotaWindowMs = 24 * 60 * 60 * 1000;

interface Post {
  id: string;
  container: Container;
  createdAt: number;
  media: PublicPost["media"];
}

export async function startThreads(): Promise<Threads> {
  const account = { id: "31415926535897932", username: "atelier.studio", name: "Atelier Studio" };
  const containers = new Map<string, Container>();
  const posts: Post[] = [];
  let lastId = 18_027_182_818_284_590n;
  const nextId = (): string => String(++lastId);

  const graph = await startGraphServer({
    version: "v1.0",
    usage: { accountId: account.id, type: "threads" },
    rateLimitCode: 4,
    isPublishRequest: ({ method, segments, params }) =>
      method === "POST" &&
      (segments[1] === "threads_publish" || (segments[1] === "threads" && params.get("auto_publish_text") === "true")),
    handle,
  });

  async function handle(request: GraphRequest): Promise<object> {
    const { method, segments } = request;
    const [node = "", edge, ...rest] = segments;
    if (method === "GET" && node === "refresh_access_token") return refreshToken(request);
    graph.tokens.authenticate(request);
    if (rest.length > 0) throw new GraphError(`(#2500) Unknown path components: /${rest.join("/")}`, 2500);
    const isAccount = node === account.id || node === "me";
    if (edge !== undefined && !isAccount) throw objectMissing(node);
    switch (`${method} ${edge ?? ""}`) {
      case "POST threads":
        return createContainer(request);
      case "POST threads_publish":
        return publishById(request);
      case "GET threads_publishing_limit":
        return readLimit(request);
      case "GET threads":
        return listNodes(posts.map(toListedNode), request, ["id"]);
      case "GET ":
        return isAccount ? selectFields(toAccountNode(), request, ["id"]) : readNode(node, request);
      default:
        throw invalidParameter(`Unsupported ${method.toLowerCase()} request`);
    }
  }

  function refreshToken(request: GraphRequest): object {
    if (request.params.get("grant_type") !== "th_refresh_token")
      throw invalidParameter("grant_type must be th_refresh_token");
    return graph.tokens.refresh(request);
  }

  async function createContainer(request: GraphRequest): Promise<object> {
    const { params } = request;
    checkParamNames(request, [
      "media_type",
      "text",
      "image_url",
      "video_url",
      "is_carousel_item",
      "children",
      "alt_text",
      "link_attachment",
      "topic_tag",
      "reply_control",
      "auto_publish_text",
    ]);
    const kind = readKind(request);
    checkTexts(request, kind);
    const isCarouselItem = readBoolean(request, "is_carousel_item", false);
    if (isCarouselItem && kind !== "image" && kind !== "video")
      throw invalidParameter("Only images and videos can appear in a carousel");
    const isAutoPublished = readBoolean(request, "auto_publish_text", false);
    if (isAutoPublished && kind !== "text") throw invalidParameter("auto_publish_text only works for text posts");
    const hasFault = ["image", "video"].includes(kind) && takeFault(graph.faults, "failProcessing");
    const container: Container = {
      id: nextId(),
      kind,
      text: params.get("text") ?? "",
      isCarouselItem,
      children: kind === "carousel" ? findChildren(request) : [],
      createdAt: graph.now(),
      isPublished: false,
      remainingPolls: standIn.processingPolls[kind],
      processing: hasFault ? Promise.resolve({ error: "UNKNOWN" }) : processMedia(request, kind),
    };
    containers.set(container.id, container);
    return isAutoPublished ? publish(container) : { id: container.id };
  }

  function findChildren({ params }: GraphRequest): Container[] {
    const ids = parseIds(params.get("children") ?? "");
    if (ids.length < 2 || ids.length > 20)
      throw invalidParameter("Carousels must have at least 2 and no more than 20 children");
    return ids.map((id) => {
      const child = containers.get(id);
      if (!child || graph.now() - child.createdAt >= containerLifetimeMs) throw objectMissing(id);
      if (!child.isCarouselItem) throw invalidParameter(`Container ${id} was not created with is_carousel_item`);
      return child;
    });
  }

  async function publishById(request: GraphRequest): Promise<object> {
    checkParamNames(request, ["creation_id"]);
    const id = request.params.get("creation_id");
    if (id === undefined) throw invalidParameter("The parameter creation_id is required.");
    const container = containers.get(id);
    if (!container) throw objectMissing(id);
    if (container.isCarouselItem) throw invalidParameter(`Container ${id} is an item of a carousel`);
    return publish(container);
  }

  async function publish(container: Container): Promise<object> {
    const { status, media } = await readContainerState(container, graph.now());
    if (status !== "FINISHED" && status !== "PUBLISHED")
      throw invalidParameter(`The container can't be published, its status is ${status}`);
    if (countRecentPosts() >= standIn.quotaTotal)
      throw new GraphError("(#613) Calls to this api have exceeded the rate limit.", 613);
    container.isPublished = true;
    const post = { id: nextId(), container, createdAt: graph.now(), media: media ?? [] };
    posts.push(post);
    return { id: post.id };
  }

  const countRecentPosts = (): number =>
    posts.filter(({ createdAt }) => createdAt > graph.now() - quotaWindowMs).length;

  function readLimit(request: GraphRequest): object {
    const config = { quota_total: standIn.quotaTotal, quota_duration: 86_400 };
    const usage = { quota_usage: countRecentPosts(), config };
    return { data: [selectFields(usage, request, ["quota_usage"])] };
  }

  async function readNode(id: string, request: GraphRequest): Promise<object> {
    const post = posts.find((candidate) => candidate.id === id);
    if (post) return selectFields(toListedNode(post).node, request, ["id"]);
    const container = containers.get(id);
    if (!container) throw objectMissing(id);
    const { status, error } = await readContainerState(container, graph.now());
    countPoll(container);
    return selectFields({ id, status, error_message: error }, request, ["id", "status"]);
  }

  const toAccountNode = (): Record<string, unknown> => ({
    ...account,
    threads_profile_picture_url: undefined,
    threads_biography: "",
    is_verified: false,
  });

  function toListedNode({ id, container, createdAt, media }: Post): ListedNode {
    const types = { text: "TEXT_POST", image: "IMAGE", video: "VIDEO", carousel: "CAROUSEL_ALBUM" };
    const children = container.children.map((child) => ({ id: child.id }));
    return {
      createdAt,
      node: {
        id,
        media_product_type: "THREADS",
        media_type: types[container.kind],
        permalink: toUrl(account.username, id),
        owner: { id: account.id },
        username: account.username,
        text: container.text || undefined,
        timestamp: formatTime(createdAt),
        shortcode: id,
        children: children.length > 0 ? { data: children } : undefined,
        is_quote_post: false,
        alt_text: container.kind === "carousel" ? undefined : (media[0]?.altText ?? undefined),
        media_url: undefined,
        thumbnail_url: undefined,
      },
    };
  }

  const standIn: Threads = {
    ...graph,
    account,
    accessToken: graph.tokens.issue(account.id),
    posts: () =>
      posts.map(({ id, container, createdAt, media }) => ({
        id,
        text: container.text,
        media,
        createdAt: new Date(createdAt),
        url: toUrl(account.username, id),
      })),
    expireAccessToken: () => graph.tokens.expire(account.id),
    issueAccessToken: () => (standIn.accessToken = graph.tokens.issue(account.id)),
    processingPolls: { text: 0, image: 1, video: 1, carousel: 0 },
    quotaTotal: 250,
  };
  return standIn;
}

const toUrl = (username: string, id: string): string => `https://www.threads.com/@${username}/post/${id}`;

const kinds = { TEXT: "text", IMAGE: "image", VIDEO: "video", CAROUSEL: "carousel" } as const;
const sourceParams = { text: "text", image: "image_url", video: "video_url", carousel: "children" } as const;

function readKind({ params }: GraphRequest): Container["kind"] {
  const mediaType = params.get("media_type") ?? "";
  const kind = Object.hasOwn(kinds, mediaType) ? kinds[mediaType as keyof typeof kinds] : undefined;
  if (!kind) throw invalidParameter("media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL");
  if ((params.get(sourceParams[kind]) ?? "") === "")
    throw invalidParameter(`The parameter ${sourceParams[kind]} is required for media_type=${mediaType}.`);
  for (const name of ["image_url", "video_url", "children"])
    if (params.has(name) && name !== sourceParams[kind])
      throw invalidParameter(`${name} can't be used with media_type=${mediaType}`);
  return kind;
}

const replyControls = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];

function checkTexts({ params }: GraphRequest, kind: Container["kind"]): void {
  const text = params.get("text") ?? "";
  const altText = params.get("alt_text");
  const link = params.get("link_attachment");
  const topic = params.get("topic_tag");
  const replyControl = params.get("reply_control");
  if (countCharacters(text) > 500) throw invalidParameter("Text posts are limited to 500 characters");
  if (altText !== undefined && kind !== "image" && kind !== "video")
    throw invalidParameter("alt_text is for images and videos only");
  if (altText !== undefined && Array.from(altText).length > 1000)
    throw invalidParameter("The maximum length of alt_text is 1,000 characters");
  if (link !== undefined && (kind !== "text" || !URL.canParse(link)))
    throw invalidParameter("link_attachment must be a valid URL and is for text posts only");
  if (topic !== undefined && !/^[^.&]{1,50}$/.test(topic))
    throw invalidParameter("topic_tag has 1 to 50 characters and no periods or ampersands");
  if (replyControl !== undefined && !replyControls.includes(replyControl))
    throw invalidParameter("reply_control is unknown");
  const links = new Set(text.match(/\b(?:https?:\/\/|www\.)\S+/g) ?? []);
  if (link !== undefined) links.add(link);
  if (links.size > 5) throw invalidParameter("THREADS_API__LINK_LIMIT_EXCEEDED");
}

/** Counts an emoji as its number of UTF-8 bytes, and any other character as its number of code points. */
function countCharacters(text: string): number {
  let count = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const isEmoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(segment);
    count += isEmoji ? Buffer.byteLength(segment) : Array.from(segment).length;
  }
  return count;
}

const videoErrors: Record<VideoProblem, string> = {
  container: "FAILED_PROCESSING_VIDEO",
  codec: "FAILED_PROCESSING_VIDEO",
  size: "FAILED_PROCESSING_VIDEO",
  duration: "INVALID_DURATION",
  "frame rate": "INVALID_FRAME_RATE",
  // The documentation spells it this way.
  "aspect ratio": "INVALID_ASPEC_RATIO",
  "bit rate": "INVALID_BIT_RATE",
  "audio codec": "FAILED_PROCESSING_AUDIO",
  "audio channels": "INVALID_AUDIO_CHANNELS",
};

async function processMedia({ params }: GraphRequest, kind: Container["kind"]): Promise<ProcessingOutcome> {
  const altText = params.get("alt_text");
  if (kind === "video") {
    const file = await downloadMedia(params.get("video_url") ?? "", videoLimits.maxBytes).catch(() => undefined);
    if (!file) return { error: "FAILED_DOWNLOADING_VIDEO" };
    const problem = await findVideoProblem(file, videoLimits);
    return problem ? { error: videoErrors[problem] } : { media: [toPublicMedia(file, altText)] };
  }
  if (kind !== "image") return { media: [] };
  // All other documented messages are about videos.
  const failure = { error: "UNKNOWN" };
  const file = await downloadMedia(params.get("image_url") ?? "", maxImageBytes).catch(() => undefined);
  if (!file || file.bytes.length > maxImageBytes || !["image/jpeg", "image/png"].includes(file.mimeType))
    return failure;
  const image = await readImage(file).catch(() => undefined);
  if (!image || image.width / image.height > 10 || image.height / image.width > 10) return failure;
  return { media: [toPublicMedia(file, altText)] };
}
