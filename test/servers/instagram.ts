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
  type MediaFile,
  type PublicPost,
} from "./graph-media.ts";

/**
 * A stand-in for the content publishing API of Instagram, written from the documentation only, read on 2026-11-16
 * (developers.facebook.com):
 *
 * - /docs/instagram-platform/content-publishing
 * - /documentation/instagram-platform/instagram-graph-api/reference/ig-user/media
 * - /documentation/instagram-platform/instagram-graph-api/reference/ig-user/media_publish
 * - /documentation/instagram-platform/instagram-graph-api/reference/ig-user/content_publishing_limit
 * - /documentation/instagram-platform/instagram-graph-api/reference/ig-container
 * - /documentation/instagram-platform/instagram-graph-api/reference/error-codes
 * - /documentation/instagram-platform/reference/instagram-media
 * - /documentation/instagram-platform/reference/refresh_access_token
 *
 * | request | result |
 * | --- | --- |
 * | POST /{ig}/media | a container: image, carousel item (image or VIDEO), REELS, CAROUSEL |
 * | GET /{container} | `id`, `status_code`, `status` |
 * | POST /{ig}/media_publish | **a public post** |
 * | GET /{ig}/content_publishing_limit | `quota_usage`, `config` |
 * | GET /{ig}/media, GET /{media} | the posts |
 * | GET /{ig} | the account |
 * | GET /refresh_access_token | another token |
 *
 * `{ig}` is the account id or `me`. Stories, tags, collaborators, locations, covers and resumable uploads are left out.
 *
 * The documentation does not say what happens if a container is published again. Here, that makes another public
 * post, so that tests notice a client that repeats the request.
 */
export interface Instagram extends Pick<
  GraphServer,
  "origin" | "faults" | "rateLimit" | "requests" | "advanceTime" | "close"
> {
  account: { id: string; username: string };
  accessToken: string;
  /** The public posts, oldest first. */
  posts(): PublicPost[];
  /** Expires the access token. */
  expireAccessToken(): void;
  issueAccessToken(): string;
  processingPolls: ProcessingPolls;
  /** `quota_total`. The documentation says 50 on one page and 100 on another. */
  quotaTotal: number;
}

const megabyte = 1024 * 1024;
const maxImageBytes = 8 * megabyte;
const videoLimits = {
  maxBytes: 300 * megabyte,
  minSeconds: 3,
  maxSeconds: 15 * 60,
  maxBitsPerSecond: 25_000_000,
};
const maxContainersPerDay = 400;
const quotaWindowMs = 24 * 60 * 60 * 1000;

interface Post {
  id: string;
  container: Container;
  createdAt: number;
  media: PublicPost["media"];
}

export async function startInstagram(): Promise<Instagram> {
  const account = { id: "17841405822304914", username: "atelier_studio" };
  const containers = new Map<string, Container>();
  const posts: Post[] = [];
  let lastId = 17_889_615_691_921_648n;
  const nextId = (): string => String(++lastId);

  const graph = await startGraphServer({
    usage: { accountId: account.id, type: "instagram" },
    rateLimitCode: 80002,
    isPublishRequest: ({ method, segments }) => method === "POST" && segments[1] === "media_publish",
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
      case "POST media":
        return createContainer(request);
      case "POST media_publish":
        return publish(request);
      case "GET content_publishing_limit":
        return readLimit(request);
      case "GET media":
        return listNodes(posts.map(toListedNode), request, ["id"]);
      case "GET ":
        return isAccount ? selectFields(toAccountNode(), request, ["id"]) : readNode(node, request);
      default:
        throw invalidParameter(`Unsupported ${method.toLowerCase()} request`);
    }
  }

  function refreshToken(request: GraphRequest): object {
    if (request.params.get("grant_type") !== "ig_refresh_token")
      throw invalidParameter("grant_type must be ig_refresh_token");
    return graph.tokens.refresh(request);
  }

  async function createContainer(request: GraphRequest): Promise<object> {
    const { params } = request;
    checkParamNames(request, [
      "image_url",
      "video_url",
      "media_type",
      "caption",
      "alt_text",
      "is_carousel_item",
      "children",
      "share_to_feed",
    ]);
    const since = graph.now() - quotaWindowMs;
    if ([...containers.values()].filter(({ createdAt }) => createdAt > since).length >= maxContainersPerDay)
      throw new GraphError("(#4) Application request limit reached", 4);

    const isCarouselItem = readBoolean(request, "is_carousel_item", false);
    const kind = readKind(request, isCarouselItem);
    checkTexts(request, kind, isCarouselItem);
    if (params.has("share_to_feed") && params.get("media_type") !== "REELS")
      throw invalidParameter("share_to_feed is for reels only");
    const container: Container = {
      id: nextId(),
      kind,
      text: params.get("caption") ?? "",
      isCarouselItem,
      children: kind === "carousel" ? findChildren(request) : [],
      createdAt: graph.now(),
      isPublished: false,
      remainingPolls: standIn.processingPolls[kind],
      processing: Promise.resolve({ media: [] }),
    };
    const hasFault = kind !== "carousel" && takeFault(graph.faults, "failProcessing");
    if (hasFault) container.processing = Promise.resolve({ error: kind === "video" ? "2207053" : "2207032" });
    else if (kind === "image") container.processing = Promise.resolve(await processImage(request));
    else if (kind === "video") container.processing = processVideo(request);
    containers.set(container.id, container);
    return { id: container.id };
  }

  function findChildren({ params }: GraphRequest): Container[] {
    const ids = parseIds(params.get("children") ?? "");
    if (ids.length < 2 || ids.length > 10)
      throw userError(
        100,
        2207028,
        "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10 photos/videos.",
      );
    return ids.map((id) => {
      const child = containers.get(id);
      if (!child || graph.now() - child.createdAt >= containerLifetimeMs) throw builderMissing(id);
      if (!child.isCarouselItem) throw invalidParameter(`Container ${id} was not created with is_carousel_item`);
      return child;
    });
  }

  async function publish(request: GraphRequest): Promise<object> {
    checkParamNames(request, ["creation_id"]);
    const id = request.params.get("creation_id");
    if (id === undefined) throw invalidParameter("The parameter creation_id is required.");
    const container = containers.get(id);
    if (!container) throw builderMissing(id);
    if (container.isCarouselItem) throw invalidParameter(`Container ${id} is an item of a carousel`);
    const { status, error, media } = await readContainerState(container, graph.now());
    if (status === "EXPIRED")
      throw userError(-2, 2207020, "The media you are trying to access has expired. Please try to upload again.");
    if (status === "IN_PROGRESS")
      throw userError(9007, 2207027, "The media is not ready for publishing, please wait for a moment");
    if (status === "ERROR") throw userError(-1, Number(error), "Create media fail, please try to re-create media");
    if (countRecentPosts() >= standIn.quotaTotal)
      throw userError(
        9,
        2207042,
        "You reached maximum number of posts that is allowed to be published by Content Publishing API.",
      );
    container.isPublished = true;
    const post = { id: nextId(), container, createdAt: graph.now(), media: media ?? [] };
    posts.push(post);
    return { id: post.id };
  }

  const countRecentPosts = (since = graph.now() - quotaWindowMs): number =>
    posts.filter(({ createdAt }) => createdAt > since).length;

  function readLimit(request: GraphRequest): object {
    const since = request.params.get("since");
    const sinceMs = since === undefined ? undefined : Number(since) * 1000;
    if (sinceMs !== undefined && !(sinceMs >= graph.now() - quotaWindowMs))
      throw invalidParameter("since must be a Unix timestamp no older than 24 hours");
    const config = { quota_total: standIn.quotaTotal, quota_duration: 86_400 };
    // The documented sample request asks for `rate_limit_settings`, but its sample response contains `config`.
    const fields = (request.params.get("fields") ?? "quota_usage").replace("rate_limit_settings", "config");
    const usage = { quota_usage: countRecentPosts(sinceMs), config };
    return { data: [selectFields(usage, { params: new Map([["fields", fields]]) }, [])] };
  }

  async function readNode(id: string, request: GraphRequest): Promise<object> {
    const post = posts.find((candidate) => candidate.id === id);
    if (post) return selectFields(toListedNode(post).node, request, ["id"]);
    const container = containers.get(id);
    if (!container) throw objectMissing(id);
    const { status, error } = await readContainerState(container, graph.now());
    countPoll(container);
    // If `status_code` is ERROR, `status` is an error subcode.
    return selectFields({ id, status_code: status, status: error ?? status }, request, ["id"]);
  }

  const toAccountNode = (): Record<string, unknown> => ({
    ...account,
    user_id: account.id,
    name: "Atelier Studio",
    account_type: "BUSINESS",
    media_count: posts.length,
    profile_picture_url: undefined,
  });

  function toListedNode({ id, container, createdAt, media }: Post): ListedNode {
    const types = { image: "IMAGE", video: "VIDEO", carousel: "CAROUSEL_ALBUM", text: undefined };
    return {
      createdAt,
      node: {
        id,
        caption: container.text || undefined,
        media_type: types[container.kind],
        media_product_type: container.kind === "video" ? "REELS" : "FEED",
        permalink: toUrl(id),
        shortcode: id,
        timestamp: formatTime(createdAt),
        username: account.username,
        owner: { id: account.id },
        alt_text: container.kind === "image" ? (media[0]?.altText ?? undefined) : undefined,
        children:
          container.children.length > 0 ? { data: container.children.map((child) => ({ id: child.id })) } : undefined,
        media_url: undefined,
        thumbnail_url: undefined,
      },
    };
  }

  const standIn: Instagram = {
    ...graph,
    account,
    accessToken: graph.tokens.issue(account.id),
    posts: () =>
      posts.map(({ id, container, createdAt, media }) => ({
        id,
        text: container.text,
        media,
        createdAt: new Date(createdAt),
        url: toUrl(id),
      })),
    expireAccessToken: () => graph.tokens.expire(account.id),
    issueAccessToken: () => (standIn.accessToken = graph.tokens.issue(account.id)),
    processingPolls: { text: 0, image: 0, video: 1, carousel: 0 },
    quotaTotal: 50,
  };
  return standIn;
}

const toUrl = (id: string): string => `https://www.instagram.com/p/${id}/`;

const userError = (code: number, subcode: number, message: string): GraphError =>
  new GraphError(message, code, {
    error_subcode: subcode,
    is_transient: false,
    error_user_title: "Media can't be published",
    error_user_msg: message,
  });

const builderMissing = (id: string): GraphError =>
  userError(24, 2207008, `The media builder with creation id = ${id} does not exist or has been expired.`);

function readKind({ params }: GraphRequest, isCarouselItem: boolean): Container["kind"] {
  const mediaType = params.get("media_type");
  const hasImage = params.has("image_url");
  const hasVideo = params.has("video_url");
  if (mediaType === "CAROUSEL") {
    if (hasImage || hasVideo || isCarouselItem)
      throw invalidParameter("A carousel has children and no media of its own");
    if (!params.has("children")) throw invalidParameter("The parameter children is required.");
    return "carousel";
  }
  if (params.has("children")) throw invalidParameter("children is for carousels only");
  if (mediaType === undefined || mediaType === "IMAGE") {
    if (hasVideo) throw invalidParameter("The parameter media_type is required for videos.");
    if (!hasImage) throw invalidParameter("The parameter image_url is required.");
    return "image";
  }
  if (mediaType === "REELS" && isCarouselItem) throw invalidParameter("Reels cannot appear in carousels");
  // A single video is a reel; VIDEO is for the items of a carousel.
  if (mediaType !== "REELS" && !(mediaType === "VIDEO" && isCarouselItem))
    throw userError(100, 2207023, `The media type ${mediaType} is unknown.`);
  if (hasImage || !hasVideo) throw invalidParameter("The parameter video_url is required.");
  return "video";
}

function checkTexts({ params }: GraphRequest, kind: Container["kind"], isCarouselItem: boolean): void {
  const caption = params.get("caption") ?? "";
  const altText = params.get("alt_text");
  if (caption !== "" && isCarouselItem) throw invalidParameter("caption is not supported on items of a carousel");
  if (altText !== undefined && kind !== "image") throw invalidParameter("alt_text is for images only");
  if (altText !== undefined && Array.from(altText).length > 1000)
    throw invalidParameter("alt_text must be at most 1000 characters");
  const captionLength = Array.from(caption).length;
  const hashtags = caption.match(/#[\p{L}\p{N}_]+/gu) ?? [];
  if (captionLength > 2200 || hashtags.length > 30)
    throw userError(
      36004,
      2207010,
      `The submitted image's caption was ${captionLength} characters long. The maximum number of characters permitted for a caption is 2200. Please submit media with a shorter caption.`,
    );
  if ((caption.match(/(?<![\w.])@[\w.]+/g) ?? []).length > 20)
    throw userError(100, 2207040, "Cannot use more than 20 tags per created media.");
}

async function fetchMedia(url: string, maxBytes: number): Promise<MediaFile> {
  // "URLs that contain only US ASCII characters, or the request will fail"
  if (!/^[\x21-\x7e]+$/.test(url)) throw invalidParameter("The URL must contain only US ASCII characters");
  return downloadMedia(url, maxBytes).catch(() => {
    throw userError(9004, 2207052, `The media could not be fetched from this uri: ${url}`);
  });
}

async function processImage({ params }: GraphRequest): Promise<ProcessingOutcome> {
  const file = await fetchMedia(params.get("image_url") ?? "", maxImageBytes);
  if (file.bytes.length >= maxImageBytes)
    throw userError(36000, 2207004, "The image is too large to download. It should be less than 8 MiB.");
  const image = await readImage(file).catch(() => undefined);
  if (file.mimeType !== "image/jpeg" || !image || image.isMultiImage)
    throw userError(
      36001,
      2207005,
      `The image format ${file.mimeType} is not supported. Supported formats are: image/jpeg.`,
    );
  const ratio = image.width / image.height;
  if (ratio < 4 / 5 || ratio > 1.91)
    throw userError(
      36003,
      2207009,
      `The submitted image with aspect ratio ${ratio} cannot be published. Please submit an image with a valid aspect ratio.`,
    );
  return { media: [toPublicMedia(file, params.get("alt_text"))] };
}

/** Video uploads are asynchronous: the status of the container reports what went wrong. */
async function processVideo({ params }: GraphRequest): Promise<ProcessingOutcome> {
  try {
    const file = await fetchMedia(params.get("video_url") ?? "", videoLimits.maxBytes);
    const problem = await findVideoProblem(file, videoLimits);
    return problem ? { error: "2207026" } : { media: [toPublicMedia(file, undefined)] };
  } catch {
    return { error: "2207052" };
  }
}
