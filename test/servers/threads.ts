import type { Clock } from "#lib/clock.ts";
import { GraphError, invalidParameter, objectMissing, type GraphRequest } from "./graph-api.ts";
import {
  checkLength,
  startContainerServer,
  type ContainerPlatform,
  type ContainerStandIn,
  type ProcessingOutcome,
} from "./graph-containers.ts";
import { downloadMedia, findVideoProblem, readImage, toPublicMedia, type VideoProblem } from "./graph-media.ts";

/**
 * A stand-in for the Threads API, written from the documentation only, read on 2026-11-16 (developers.facebook.com):
 *
 * - /documentation/threads/overview
 * - /documentation/threads/posts and /documentation/threads/posts/accessibility
 * - /documentation/threads/reference/publishing
 * - /documentation/threads/reference/media-retrieval
 * - /documentation/threads/retrieve-and-discover-posts/retrieve-posts
 * - /documentation/threads/troubleshooting
 * - /documentation/threads/reply-management and …/retrieve-and-manage-replies/create-replies, read on 2026-11-19
 *
 * | request | result |
 * | --- | --- |
 * | POST /{user}/threads | a container: TEXT, IMAGE, VIDEO, CAROUSEL |
 * | GET /{container} | `id`, `status`, `error_message` |
 * | POST /{user}/threads_publish | **a public post** |
 * | GET /{user}/threads_publishing_limit | `quota_usage`, `config` |
 * | GET /{media}/insights | `metric` (/documentation/threads/insights, read on 2026-11-19) |
 * | GET /{user}/threads, GET /{user}/replies, GET /{media} | the posts, and the replies |
 *
 * The version is v1.0. Quotes, polls, GIFs, spoilers, ghost posts, locations, country lists and link attachments are
 * left out.
 *
 * The documentation gives no error code for exceeded limits. Here, code 100 (invalid parameter) rejects a container,
 * and 613 (custom rate limit) reports that a quota is exceeded.
 */
export const startThreads = (clock: Clock): Promise<ContainerStandIn> =>
  startContainerServer(clock, {
    version: "v1.0",
    account: { id: "31415926535897932", username: "atelier.studio" },
    type: "threads",
    rateLimitCode: 4,
    edges: {
      containers: "threads",
      publish: "threads_publish",
      quota: "threads_publishing_limit",
      posts: "threads",
      replies: "replies",
    },
    params: { text: "text", others: ["reply_control", "topic_tag", "reply_to_id"] },
    insightNames: ["views", "likes", "replies", "reposts", "quotes", "shares"],
    maxChildren: 20,
    maxContainersPerDay: Infinity,
    processingPolls: { text: 0, image: 1, video: 1, carousel: 0 },
    quotaTotal: 250,
    readKind,
    processMedia,
    toFailure: () => ({ error: "UNKNOWN" }),
    errors: {
      containerMissing: objectMissing,
      wrongChildCount: () => invalidParameter("Carousels must have at least 2 and no more than 20 children"),
      notPublishable: ({ status }) => invalidParameter(`The container can't be published, its status is ${status}`),
      quotaExceeded: () => new GraphError("(#613) Calls to this api have exceeded the rate limit.", 613),
    },
    toStatusNode: ({ status, error }) => ({ status, error_message: error }),
    toUrl: (postId) => `https://www.threads.com/@atelier.studio/post/${postId}`,
  });

const megabyte = 1024 * 1024;
const maxImageBytes = 8 * megabyte;
const videoLimits = { maxBytes: 1024 * megabyte, minSeconds: 0, maxSeconds: 300, maxBitsPerSecond: 100_000_000 };

type Kind = ReturnType<ContainerPlatform["readKind"]>;

const kinds = { TEXT: "text", IMAGE: "image", VIDEO: "video", CAROUSEL: "carousel" } as const;
const sourceParams = { text: "text", image: "image_url", video: "video_url", carousel: "children" } as const;

function readKind(request: GraphRequest, isCarouselItem: boolean): Kind {
  const kind = readMediaKind(request);
  checkTexts(request, kind);
  checkSettings(request);
  if (isCarouselItem && kind !== "image" && kind !== "video")
    throw invalidParameter("Only images and videos can appear in a carousel");
  return kind;
}

function readMediaKind({ params }: GraphRequest): Kind {
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

function checkTexts(request: GraphRequest, kind: Kind): void {
  const text = request.params.get("text") ?? "";
  if (countCharacters(text) > 500) throw invalidParameter("Text posts are limited to 500 characters");
  if (request.params.has("alt_text") && kind !== "image" && kind !== "video")
    throw invalidParameter("alt_text is for images and videos only");
  checkLength(request, "alt_text", 1000);
  const links = new Set(text.match(/\b(?:https?:\/\/|www\.)\S+/g) ?? []);
  if (links.size > 5) throw invalidParameter("THREADS_API__LINK_LIMIT_EXCEEDED");
}

const replyControls = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];

function checkSettings({ params }: GraphRequest): void {
  const control = params.get("reply_control");
  if (control !== undefined && !replyControls.includes(control))
    throw invalidParameter(`reply_control must be one of ${replyControls.join(", ")}`);
  const topic = params.get("topic_tag");
  // "at least 1 character and no more than 50", and no periods or ampersands.
  if (topic !== undefined && !/^[^.&]{1,50}$/u.test(topic)) throw invalidParameter("topic_tag is not valid");
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

async function processMedia({ params }: GraphRequest, kind: Kind): Promise<ProcessingOutcome> {
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
