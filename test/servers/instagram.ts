import type { Clock } from "#lib/clock.ts";
import { GraphError, invalidParameter, type GraphRequest } from "./graph-api.ts";
import {
  checkLength,
  startContainerServer,
  type ContainerPlatform,
  type ContainerStandIn,
  type ProcessingOutcome,
} from "./graph-containers.ts";
import { downloadMedia, findVideoProblem, readImage, toPublicMedia, type MediaFile } from "./graph-media.ts";

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
 *
 * | request | result |
 * | --- | --- |
 * | POST /{ig}/media | a container: image, carousel item (image or VIDEO), REELS, CAROUSEL |
 * | GET /{container} | `id`, `status_code`, `status` |
 * | POST /{ig}/media_publish | **a public post** |
 * | GET /{ig}/content_publishing_limit | `quota_usage`, `config` |
 * | GET /{media}/insights | `metric` (reference/instagram-media/insights, read on 2026-11-19) |
 * | GET /{ig}/media, GET /{media} | the posts |
 *
 * Stories, tags, locations, covers by URL and resumable uploads are left out.
 */
export const startInstagram = (clock: Clock): Promise<ContainerStandIn> =>
  startContainerServer(clock, {
    version: undefined,
    account: { id: "17841405822304914", username: "atelier_studio" },
    type: "instagram",
    rateLimitCode: 80002,
    edges: { containers: "media", publish: "media_publish", quota: "content_publishing_limit", posts: "media" },
    params: { text: "caption", others: ["share_to_feed", "thumb_offset", "collaborators"] },
    insightNames: ["views", "reach", "likes", "comments", "saved", "shares", "reposts", "total_interactions"],
    maxChildren: 10,
    maxContainersPerDay: 400,
    processingPolls: { text: 0, image: 0, video: 1, carousel: 0 },
    // The documentation says 50 on one page and 100 on another.
    quotaTotal: 50,
    readKind,
    processMedia: async (request, kind) => {
      if (kind === "image") return processImage(request);
      return kind === "video" ? processVideo(request) : { media: [] };
    },
    toFailure: (kind) => ({ error: kind === "video" ? "2207053" : "2207032" }),
    errors: {
      containerMissing: (id) =>
        userError(24, 2207008, `The media builder with creation id = ${id} does not exist or has been expired.`),
      wrongChildCount: () =>
        userError(
          100,
          2207028,
          "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10 photos/videos.",
        ),
      notPublishable: ({ status, error }) => {
        if (status === "EXPIRED")
          return userError(-2, 2207020, "The media you are trying to access has expired. Please try to upload again.");
        if (status === "IN_PROGRESS")
          return userError(9007, 2207027, "The media is not ready for publishing, please wait for a moment");
        return userError(-1, Number(error), "Create media fail, please try to re-create media");
      },
      quotaExceeded: () =>
        userError(
          9,
          2207042,
          "You reached maximum number of posts that is allowed to be published by Content Publishing API.",
        ),
    },
    // If `status_code` is ERROR, `status` is an error subcode.
    toStatusNode: ({ status, error }) => ({ status_code: status, status: error ?? status }),
    toUrl: (postId) => `https://www.instagram.com/p/${postId}/`,
  });

const megabyte = 1024 * 1024;
const maxImageBytes = 8 * megabyte;
const videoLimits = {
  maxBytes: 300 * megabyte,
  minSeconds: 3,
  maxSeconds: 15 * 60,
  maxBitsPerSecond: 25_000_000,
};

const userError = (code: number, subcode: number, message: string): GraphError =>
  new GraphError(message, code, {
    error_subcode: subcode,
    is_transient: false,
    error_user_title: "Media can't be published",
    error_user_msg: message,
  });

function readKind(request: GraphRequest, isCarouselItem: boolean): ReturnType<ContainerPlatform["readKind"]> {
  const kind = readMediaKind(request, isCarouselItem);
  checkTexts(request, kind, isCarouselItem);
  checkSettings(request);
  return kind;
}

function checkSettings({ params }: GraphRequest): void {
  const offset = params.get("thumb_offset");
  for (const name of ["share_to_feed", "thumb_offset"])
    if (params.has(name) && params.get("media_type") !== "REELS") throw invalidParameter(`${name} is for reels only`);
  if (!["true", "false", undefined].includes(params.get("share_to_feed")))
    throw invalidParameter("share_to_feed must be a boolean");
  if (offset !== undefined && !/^\d+$/.test(offset)) throw invalidParameter("thumb_offset must be milliseconds");
  const collaborators: unknown = JSON.parse(params.get("collaborators") ?? "[]");
  const isValid =
    Array.isArray(collaborators) &&
    collaborators.length <= 3 &&
    collaborators.every((name) => typeof name === "string" && /^[\w.]{1,30}$/.test(name));
  if (!isValid) throw invalidParameter("collaborators must be up to 3 usernames");
}

function readMediaKind({ params }: GraphRequest, isCarouselItem: boolean): "image" | "video" | "carousel" {
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

function checkTexts(request: GraphRequest, kind: string, isCarouselItem: boolean): void {
  const { params } = request;
  const caption = params.get("caption") ?? "";
  if (caption !== "" && isCarouselItem) throw invalidParameter("caption is not supported on items of a carousel");
  if (params.has("alt_text") && kind !== "image") throw invalidParameter("alt_text is for images only");
  checkLength(request, "alt_text", 1000);
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
