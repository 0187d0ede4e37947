import type { Clock } from "#lib/clock.ts";
import {
  checkParamNames,
  formatTime,
  GraphError,
  invalidParameter,
  listNodes,
  objectMissing,
  readInsights,
  selectFields,
  startGraphServer,
  type GraphRequest,
  type GraphServer,
  type Insights,
  type ListedNode,
} from "./graph-api.ts";
import {
  downloadMedia,
  readImage,
  readVideo,
  toMediaFile,
  toPublicMedia,
  type MediaFile,
  type PublicMedia,
  type PublicPost,
} from "./graph-media.ts";
import { takeFault } from "./http-stand-in.ts";

/**
 * A stand-in for the Pages API of Facebook, written from the documentation only, read on 2026-11-16
 * (developers.facebook.com):
 *
 * - /documentation/pages-api/posts and /docs/pages-api/getting-started
 * - /docs/graph-api/reference/page/feed
 * - /docs/graph-api/reference/page/photos and /docs/graph-api/reference/photo
 * - /docs/graph-api/reference/page/videos
 * - /docs/graph-api/reference/video-status. The other fields of videos are those of `AdVideo` in the Business SDK, and
 *   the fields of the phases are those of `VideoStatus` there. Their values are from the example in the guide to reels.
 *
 * | request | result |
 * | --- | --- |
 * | POST /{page}/feed | **a public post**: `message`, `attached_media` |
 * | POST /{page}/photos | an unpublished photo, by file |
 * | POST /{page}/videos | **a public post**, by `file_url` |
 * | GET /{page}/feed | the posts |
 * | GET /{post}, /{video} | fields |
 * | GET /{post}/insights | `metric` (/docs/graph-api/reference/insights, read on 2026-11-19) |
 *
 * Everything else is left out and rejected: other ways to upload, links, drafts, scheduled posts, targeting, albums,
 * reels and stories. So is the maximum length of a message, which the documentation does not state.
 */
export interface Facebook extends Pick<GraphServer, "origin" | "faults" | "rateLimit" | "requests" | "close"> {
  page: { id: string; name: string };
  /** The access token of the Page. */
  accessToken: string;
  /** The public posts, oldest first. */
  posts(): PublicPost[];
  /** Completes the processing of all videos. */
  finishProcessing(): void;
  /** Fails all videos that are still being processed, and removes their posts. */
  failVideos(): void;
  /** Adds a post of a visitor to the Page. Only the feed lists it. */
  addVisitorPost(text: string): void;
  /** Expires the access token of the Page. */
  expireAccessToken(): void;
  issueAccessToken(): string;
  /** How many status requests return `processing` for a video that is uploaded completely. */
  processingPolls: number;
  insights: Insights;
  /**
   * Error 506: "Duplicate posts cannot be published consecutively." The documentation does not say which posts are
   * duplicates; here these are posts without media and with equal text. Without this, nothing prevents duplicates.
   */
  rejectsDuplicates: boolean;
}

interface Photo {
  id: string;
  media: PublicMedia;
  createdAt: number;
  postId: string | undefined;
}

interface Video {
  id: string;
  media: PublicMedia;
  description: string;
  state: "uploaded" | "failed";
  remainingPolls: number;
  postId: string | undefined;
}

interface Post {
  id: string;
  author: { id: string; name: string };
  text: string;
  photos: Photo[];
  video: Video | undefined;
  createdAt: number;
}

const insightNames = ["post_media_view", "post_total_media_view_unique", "post_clicks", "post_reactions_by_type_total"];
const maxPhotoBytes = 10 * 1024 * 1024;
const maxVideoBytes = 2 ** 30;
const photoLifetimeMs = 86_400_000;

export async function startFacebook(clock: Clock): Promise<Facebook> {
  const page = { id: "546349135390552", name: "Atelier Studio" };
  const photos = new Map<string, Photo>();
  const videos = new Map<string, Video>();
  const posts: Post[] = [];
  let lastId = 1_002_088_839_996n;
  const nextId = (): string => String(++lastId);

  const graph = await startGraphServer({
    clock,
    version: undefined,
    usage: { accountId: page.id, type: "pages" },
    rateLimitCode: 80001,
    isPublishRequest: ({ method, segments }) => method === "POST" && ["feed", "videos"].includes(segments[1] ?? ""),
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
        insightNames,
        posts.find(({ id }) => id === node),
      );
    if (node !== page.id) {
      if (edge !== undefined || method !== "GET") throw objectMissing(node);
      return readNode(node, request);
    }
    switch (`${method} ${edge ?? ""}`) {
      case "POST feed":
        return createPost(request);
      case "POST photos":
        return createPhoto(request);
      case "POST videos":
        return createVideo(request);
      case "GET feed":
        return listNodes(posts.map(toListedNode), request, ["created_time", "message"]);
      default:
        throw invalidParameter(`Unsupported ${method.toLowerCase()} request`);
    }
  }

  function addPost(details: Pick<Post, "text" | "photos" | "video">, author = page): Post {
    const post: Post = { ...details, id: `${page.id}_${nextId()}`, author, createdAt: clock() };
    posts.push(post);
    return post;
  }

  function createPost(request: GraphRequest): object {
    checkParamNames(request, ["message", "attached_media"]);
    const text = request.params.get("message") ?? "";
    if (text === "") throw invalidParameter("Either link or message must be supplied");
    const attached = readAttachedMedia(request).map(findUnpublishedPhoto);
    const latest = posts.at(-1);
    const isDuplicate = latest?.text === text && latest.photos.length === 0 && !latest.video;
    if (standIn.rejectsDuplicates && attached.length === 0 && isDuplicate)
      throw new GraphError("(#506) Duplicate status message", 506);
    const post = addPost({ text, photos: attached, video: undefined });
    for (const photo of attached) photo.postId = post.id;
    return selectFields(toListedNode(post), request, ["id"]);
  }

  /** Unpublished photos are deleted after 24 hours. */
  function findUnpublishedPhoto(id: string): Photo {
    const photo = photos.get(id);
    if (!photo || (photo.postId === undefined && clock() - photo.createdAt >= photoLifetimeMs)) throw objectMissing(id);
    return photo;
  }

  async function createPhoto(request: GraphRequest): Promise<object> {
    const { params, files } = request;
    checkParamNames(request, ["published", "alt_text_custom"]);
    if (params.get("published") !== "false") throw invalidParameter("A published photo is not implemented here");
    const [upload, ...others] = files;
    if (!upload || others.length > 0)
      throw new GraphError("(#324) Missing or invalid image file: send one file or a url", 324);
    const file = await toMediaFile(Buffer.from(await upload.arrayBuffer()));
    await checkPhoto(takeFault(graph.faults, "failProcessing") ? undefined : file);
    const media = toPublicMedia(file, params.get("alt_text_custom"));
    const photo: Photo = { id: nextId(), media, createdAt: clock(), postId: undefined };
    photos.set(photo.id, photo);
    return { id: photo.id };
  }

  async function createVideo(request: GraphRequest): Promise<object> {
    const { params } = request;
    checkParamNames(request, ["description", "file_url"]);
    const file = await downloadMedia(params.get("file_url") ?? "", maxVideoBytes).catch(() => {
      throw new GraphError("(#389) Unable to fetch video file from URL.", 389);
    });
    if (!(await readVideo(file).catch(() => undefined)))
      throw new GraphError(
        "(#6000) There was a problem uploading your video file. Please try again with another file.",
        6000,
      );
    const video: Video = {
      id: nextId(),
      media: toPublicMedia(file, undefined),
      description: params.get("description") ?? "",
      state: takeFault(graph.faults, "failProcessing") ? "failed" : "uploaded",
      remainingPolls: standIn.processingPolls,
      postId: undefined,
    };
    videos.set(video.id, video);
    if (video.state === "uploaded") video.postId = addPost({ text: video.description, photos: [], video }).id;
    return { id: video.id };
  }

  function readNode(id: string, request: GraphRequest): object {
    const post = posts.find((candidate) => candidate.id === id);
    if (post) return selectFields(toListedNode(post), request, ["created_time", "message"]);
    const video = videos.get(id);
    if (!video) throw objectMissing(id);
    const node = toVideoNode(video);
    if (video.state === "uploaded" && video.remainingPolls > 0) video.remainingPolls--;
    return selectFields(node, request, ["description"]);
  }

  const standIn: Facebook = {
    ...graph,
    page,
    accessToken: graph.tokens.issue(page.id),
    posts: () =>
      posts
        .filter(({ author }) => author.id === page.id)
        .map((post) => ({
          id: post.id,
          text: post.text,
          media: [...post.photos, post.video].flatMap((item) => item?.media ?? []),
          url: toUrl(post.id),
        })),
    finishProcessing: () => {
      for (const video of videos.values()) video.remainingPolls = 0;
    },
    failVideos: () => {
      for (const post of posts.filter(({ video }) => video && video.remainingPolls > 0)) {
        posts.splice(posts.indexOf(post), 1);
        Object.assign(post.video!, { state: "failed", remainingPolls: 0 });
      }
    },
    addVisitorPost: (text) =>
      void addPost({ text, photos: [], video: undefined }, { id: "10153848260347999", name: "A visitor" }),
    expireAccessToken: () => graph.tokens.expire(page.id),
    issueAccessToken: () => (standIn.accessToken = graph.tokens.issue(page.id)),
    processingPolls: 1,
    insights: { canRead: true, values: new Map() },
    rejectsDuplicates: true,
  };
  return standIn;
}

const toUrl = (postId: string): string => `https://www.facebook.com/${postId}`;

/** `attached_media[0]={"media_fbid":"1"}` */
function readAttachedMedia({ params }: GraphRequest): string[] {
  const names = [...params.keys()].filter((name) => name.startsWith("attached_media"));
  return names.map((_, index) => {
    const text = params.get(`attached_media[${index}]`);
    if (text === undefined) throw invalidParameter("attached_media must be numbered from 0");
    const id = /^\{"media_fbid":"(\d+)"\}$/.exec(text)?.[1];
    if (id === undefined) throw invalidParameter('attached_media must contain {"media_fbid":"…"}');
    return id;
  });
}

const photoTypes = ["image/jpeg", "image/bmp", "image/png", "image/gif", "image/tiff"];

async function checkPhoto(file: MediaFile | undefined): Promise<void> {
  const image = file && (await readImage(file).catch(() => undefined));
  if (!file || !photoTypes.includes(file.mimeType) || (!image && file.mimeType !== "image/bmp") || image?.isAnimated)
    throw new GraphError("(#324) Missing or invalid image file", 324);
  if (file.bytes.length > maxPhotoBytes) throw new GraphError("(#324) Files can not exceed 10MB", 324);
}

function toListedNode(post: Post): ListedNode {
  const { id, text, photos, video, createdAt, author } = post;
  return {
    id,
    message: text || undefined,
    created_time: formatTime(createdAt),
    permalink_url: toUrl(id),
    attachments: photos.length > 0 || video ? { data: [toAttachment(post)] } : undefined,
    from: { name: author.name, id: author.id },
  };
}

function toAttachment({ photos, video }: Post): Record<string, unknown> {
  const toPhotoItem = ({ id }: Photo) => ({ media_type: "photo", type: "photo", target: { id } });
  if (video) return { media_type: "video", type: "video_inline", target: { id: video.id }, subattachments: undefined };
  if (photos.length === 1) return { ...toPhotoItem(photos[0]!), subattachments: undefined };
  return { media_type: "album", type: "album", subattachments: { data: photos.map(toPhotoItem) } };
}

const toVideoNode = (video: Video): Record<string, unknown> => ({
  id: video.id,
  description: video.description || undefined,
  post_id: video.postId,
  permalink_url: `/${video.id}`,
  status: toVideoStatus(video),
});

/** A failed phase has errors, and the next phases do not start. */
function toVideoStatus({ state, remainingPolls }: Video): Record<string, unknown> {
  const [complete, waiting] = [{ status: "complete" }, { status: "not_started" }];
  const toStatus = (videoStatus: string, uploading: object, processing: object, publishing: object) => ({
    video_status: videoStatus,
    uploading_phase: uploading,
    processing_phase: processing,
    publishing_phase: publishing,
  });
  if (state === "failed")
    return toStatus("error", complete, { status: "error", errors: [{ message: "Video processing failed" }] }, waiting);
  if (remainingPolls > 0) return toStatus("processing", complete, { status: "in_progress" }, waiting);
  return toStatus("ready", complete, complete, { status: "complete", publish_status: "published" });
}
