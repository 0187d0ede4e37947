import { randomBytes } from "node:crypto";
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
  downloadMedia,
  readImage,
  readVideo,
  toMediaFile,
  toPublicMedia,
  type MediaFile,
  type PublicMedia,
  type PublicPost,
} from "./graph-media.ts";

/**
 * A stand-in for the Pages API of Facebook, written from the documentation only, read on 2026-11-16
 * (developers.facebook.com):
 *
 * - /documentation/pages-api/posts and /docs/pages-api/getting-started
 * - /docs/graph-api/reference/page/feed
 * - /docs/graph-api/reference/page/photos and /docs/graph-api/reference/photo
 * - /docs/graph-api/reference/page/videos
 * - /docs/video-api/guides/publishing (also an earlier version, which describes the upload phases)
 * - /docs/graph-api/guides/upload
 * - /docs/graph-api/reference/video-status. The other fields of videos are those of `AdVideo` in the Business SDK, and
 *   the fields of the phases are those of `VideoStatus` there. Their values are from the example in the guide to reels.
 *
 * | request | result |
 * | --- | --- |
 * | POST /{page}/feed | **a public post**: `message` or `link`, `attached_media` |
 * | POST /{page}/photos | a photo, by file or `url`; **a public post** unless `published=false` |
 * | POST /{page}/videos | **a public post**: `file_url`, a file, an uploaded handle, or `upload_phase=finish` |
 * | POST /{page}/videos `upload_phase=start`, `transfer`, `cancel` | an upload in chunks |
 * | POST /{app}/uploads, POST and GET /upload:{session} | an upload that gives a handle |
 * | GET /{page}/feed, /posts, /published_posts | the posts |
 * | GET /{post}, /{photo}, /{video}, /{page} | fields |
 * | GET /me, GET /me/accounts | the user, the Page and its token, with the user's token |
 *
 * `{page}` is the Page id or `me`. Scheduled posts, targeting, albums, reels and stories are left out, and so is the
 * maximum length of a message, which the documentation does not state.
 */
export interface Facebook extends Pick<
  GraphServer,
  "origin" | "faults" | "rateLimit" | "requests" | "advanceTime" | "close"
> {
  page: { id: string; name: string };
  appId: string;
  /** The access token of the Page. */
  accessToken: string;
  userAccessToken: string;
  /** The public posts, oldest first. */
  posts(): FacebookPost[];
  /** Completes the processing of all videos. */
  finishProcessing(): void;
  /** Fails all videos that are still being processed. Their posts are not public. */
  failVideos(): void;
  /** Adds a post of a visitor to the Page. Only the feed lists it. */
  addVisitorPost(text: string): void;
  /** Expires the access token of the Page. */
  expireAccessToken(): void;
  issueAccessToken(): string;
  /** How many status requests return `processing` for a video that is uploaded completely. */
  processingPolls: number;
  /** The size of a chunk in an upload by phases. */
  chunkBytes: number;
  /**
   * Error 506: "Duplicate posts cannot be published consecutively." The documentation does not say which posts are
   * duplicates; here these are posts without media and with equal text and link. Without this, nothing prevents
   * duplicates.
   */
  rejectsDuplicates: boolean;
}

export interface FacebookPost extends PublicPost {
  link: string | undefined;
}

interface Photo {
  id: string;
  media: PublicMedia;
  caption: string;
  createdAt: number;
  isPublishedAlone: boolean;
  postId: string | undefined;
}

interface Video {
  id: string;
  media: PublicMedia | undefined;
  title: string | undefined;
  description: string;
  createdAt: number;
  state: "uploading" | "uploaded" | "failed";
  remainingPolls: number;
  postId: string | undefined;
}

interface Post {
  id: string;
  author: { id: string; name: string };
  text: string;
  link: string | undefined;
  photos: Photo[];
  video: Video | undefined;
  isPublished: boolean;
  createdAt: number;
}

interface ChunkedUpload {
  video: Video;
  fileSize: number;
  chunks: Buffer[];
  size: number;
}

interface FileUpload {
  id: string;
  fileLength: number;
  bytes: Buffer;
  handle: string | undefined;
}

const maxPhotoBytes = 10 * 1024 * 1024;
const maxVideoBytes = 2 ** 30;
const photoLifetimeMs = 86_400_000;

export async function startFacebook(): Promise<Facebook> {
  const page = { id: "546349135390552", name: "Atelier Studio" };
  const appId = "1353269864728879";
  const user = { id: "10153848260347724", name: "Ada Atelier" };
  const photos = new Map<string, Photo>();
  const videos = new Map<string, Video>();
  const posts: Post[] = [];
  const chunkedUploads = new Map<string, ChunkedUpload>();
  const fileUploads = new Map<string, FileUpload>();
  let lastId = 1_002_088_839_996n;
  const nextId = (): string => String(++lastId);

  const graph = await startGraphServer({
    usage: { accountId: page.id, type: "pages" },
    rateLimitCode: 80001,
    isPublishRequest: ({ method, segments, params }) =>
      method === "POST" &&
      ["feed", "photos", "videos"].includes(segments[1] ?? "") &&
      !["false", "0"].includes(params.get("published") ?? "") &&
      ["", "finish"].includes(params.get("upload_phase") ?? ""),
    handle,
  });

  async function handle(request: GraphRequest): Promise<object> {
    const { method, segments } = request;
    const [node = "", edge, ...rest] = segments;
    const owner = graph.tokens.authenticate(request);
    if (rest.length > 0) throw new GraphError(`(#2500) Unknown path components: /${rest.join("/")}`, 2500);
    const isUser = owner === user.id;
    if (node.startsWith("upload:")) return handleFileUpload(node, request, isUser);
    if (`${method} ${node}/${edge ?? ""}` === `POST ${appId}/uploads`) return startFileUpload(request, isUser);
    if (method === "GET" && isUser && ["me", user.id].includes(node)) {
      if (edge === undefined) return selectFields({ ...user, email: undefined }, request, ["name"]);
      if (edge === "accounts") return listAccounts(request);
    }
    if (method === "POST" && isUser) throw new GraphError("(#200) A Page access token is required", 200, {}, 403);
    if (node === page.id || (node === "me" && !isUser)) return handlePage(edge, request);
    if (edge !== undefined || method !== "GET") throw objectMissing(node);
    return readNode(node, request);
  }

  async function handlePage(edge: string | undefined, request: GraphRequest): Promise<object> {
    const defaultFields = ["created_time", "message"];
    const { method } = request;
    switch (`${method} ${edge ?? ""}`) {
      case "POST feed":
        return createPost(request);
      case "POST photos":
        return createPhoto(request);
      case "POST videos":
        return createVideo(request);
      case "GET feed":
        return listNodes(posts.map(toListedNode), request, defaultFields);
      case "GET posts":
      case "GET published_posts":
        return listNodes(posts.filter(isOwnPublicPost).map(toListedNode), request, defaultFields);
      case "GET ":
        return selectFields({ ...page, username: undefined }, request, ["name"]);
      default:
        throw invalidParameter(`Unsupported ${method.toLowerCase()} request`);
    }
  }

  function listAccounts(request: GraphRequest): object {
    const tasks = ["ANALYZE", "ADVERTISE", "MODERATE", "CREATE_CONTENT", "MANAGE"];
    const node = { ...page, access_token: standIn.accessToken, category: "Media", tasks };
    return listNodes([{ node, createdAt: 0 }], request, ["access_token", "category", "name", "tasks"]);
  }

  function addPost(details: Pick<Post, "text" | "link" | "photos" | "video">, isPublished: boolean): Post {
    const post: Post = { ...details, id: `${page.id}_${nextId()}`, author: page, isPublished, createdAt: graph.now() };
    posts.push(post);
    return post;
  }

  const isOwnPublicPost = ({ isPublished, author }: Post): boolean => isPublished && author.id === page.id;

  function createPost(request: GraphRequest): object {
    const { params } = request;
    checkParamNames(request, ["message", "link", "published", "attached_media"]);
    const text = params.get("message") ?? "";
    const link = params.get("link");
    if (text === "" && link === undefined) throw invalidParameter("Either link or message must be supplied");
    if (link !== undefined && !URL.canParse(link)) throw invalidParameter("link must be a URL");
    const attached = readAttachedMedia(request).map(findUnpublishedPhoto);
    const isPublished = readBoolean(request, "published", true);
    const latest = posts.findLast((post) => post.isPublished);
    const isDuplicate = latest?.text === text && latest.link === link && latest.photos.length === 0 && !latest.video;
    if (standIn.rejectsDuplicates && isPublished && attached.length === 0 && isDuplicate)
      throw new GraphError("(#506) Duplicate status message", 506);
    const post = addPost({ text, link, photos: attached, video: undefined }, isPublished);
    for (const photo of attached) photo.postId = post.id;
    return selectFields(toListedNode(post).node, request, ["id"]);
  }

  function findUnpublishedPhoto(id: string): Photo {
    const photo = findPhoto(id);
    if (!photo || photo.isPublishedAlone) throw objectMissing(id);
    return photo;
  }

  /** Unpublished photos are deleted after 24 hours. */
  function findPhoto(id: string): Photo | undefined {
    const photo = photos.get(id);
    const isDeleted = photo?.postId === undefined && graph.now() - (photo?.createdAt ?? 0) >= photoLifetimeMs;
    return isDeleted ? undefined : photo;
  }

  async function createPhoto(request: GraphRequest): Promise<object> {
    const { params, files } = request;
    checkParamNames(request, ["url", "caption", "message", "name", "published", "alt_text_custom", "temporary"]);
    const url = params.get("url");
    if (files.length + (url === undefined ? 0 : 1) !== 1)
      throw new GraphError("(#324) Missing or invalid image file: send one file or a url", 324);
    const isPublished = readBoolean(request, "published", true);
    if (isPublished && readBoolean(request, "temporary", false))
      throw invalidParameter("published must be false for a temporary photo");
    const file =
      url === undefined ? await readFile(files[0]) : await downloadMedia(url, maxPhotoBytes).catch(() => undefined);
    await checkPhoto(takeFault(graph.faults, "failProcessing") ? undefined : file);
    const photo: Photo = {
      id: nextId(),
      media: toPublicMedia(file!, params.get("alt_text_custom")),
      caption: params.get("caption") ?? params.get("message") ?? params.get("name") ?? "",
      createdAt: graph.now(),
      isPublishedAlone: isPublished,
      postId: undefined,
    };
    photos.set(photo.id, photo);
    if (!isPublished) return { id: photo.id };
    photo.postId = addPost({ text: photo.caption, link: undefined, photos: [photo], video: undefined }, true).id;
    return { id: photo.id, post_id: photo.postId };
  }

  async function createVideo(request: GraphRequest): Promise<object> {
    const { params, files } = request;
    checkParamNames(request, [
      "title",
      "description",
      "published",
      "file_url",
      "fbuploader_video_file_chunk",
      "upload_phase",
      "file_size",
      "upload_session_id",
      "start_offset",
    ]);
    const phase = params.get("upload_phase");
    const url = params.get("file_url");
    const handle = params.get("fbuploader_video_file_chunk");
    if (phase !== undefined) {
      if (url !== undefined) throw invalidParameter("file_url cannot be used with upload_phase");
      return handleUploadPhase(phase, request);
    }
    if (files.length + [url, handle].filter((value) => value !== undefined).length !== 1)
      throw invalidParameter("Send one of source, file_url and fbuploader_video_file_chunk");
    const file = await readVideoFile(request);
    const video = createEmptyVideo();
    await finishVideo(video, file, request);
    return { id: video.id };
  }

  async function readVideoFile({ params, files }: GraphRequest): Promise<MediaFile | undefined> {
    const url = params.get("file_url");
    const handle = params.get("fbuploader_video_file_chunk");
    if (url !== undefined)
      return downloadMedia(url, maxVideoBytes).catch(() => {
        throw new GraphError("(#389) Unable to fetch video file from URL.", 389);
      });
    if (handle === undefined) return readFile(files[0]);
    const upload = [...fileUploads.values()].find((candidate) => candidate.handle === handle);
    if (!upload) throw invalidParameter("The file handle is unknown");
    return toMediaFile(upload.bytes);
  }

  function createEmptyVideo(): Video {
    const video: Video = {
      id: nextId(),
      media: undefined,
      title: undefined,
      description: "",
      createdAt: graph.now(),
      state: "uploading",
      remainingPolls: standIn.processingPolls,
      postId: undefined,
    };
    videos.set(video.id, video);
    return video;
  }

  async function finishVideo(video: Video, file: MediaFile | undefined, request: GraphRequest): Promise<void> {
    if (!file || !(await readVideo(file).catch(() => undefined)))
      throw new GraphError(
        "(#6000) There was a problem uploading your video file. Please try again with another file.",
        6000,
      );
    const { params } = request;
    Object.assign(video, {
      media: toPublicMedia(file, undefined),
      title: params.get("title"),
      description: params.get("description") ?? "",
      state: takeFault(graph.faults, "failProcessing") ? "failed" : "uploaded",
    });
    if (video.state === "failed") return;
    const details = { text: video.description, link: undefined, photos: [], video };
    video.postId = addPost(details, readBoolean(request, "published", true)).id;
  }

  async function handleUploadPhase(phase: string, request: GraphRequest): Promise<object> {
    const { params, files } = request;
    if (phase === "start") return startChunkedUpload(Number(params.get("file_size")));
    const id = params.get("upload_session_id") ?? "";
    const upload = chunkedUploads.get(id);
    if (!upload) throw invalidParameter("upload_session_id is missing or unknown");
    switch (phase) {
      case "transfer": {
        const chunk = await readFile(files.find(({ name }) => name !== "") ?? files[0]);
        const startOffset = params.get("start_offset");
        const expectedBytes = Math.min(standIn.chunkBytes, upload.fileSize - upload.size);
        if (!chunk || expectedBytes === 0) throw invalidParameter("video_file_chunk is missing or not expected");
        if (startOffset !== String(upload.size)) throw invalidParameter(`start_offset must be ${upload.size}`);
        if (chunk.bytes.length !== expectedBytes) throw invalidParameter(`The chunk must have ${expectedBytes} bytes`);
        upload.chunks.push(chunk.bytes);
        upload.size += chunk.bytes.length;
        return nextRange(upload);
      }
      case "finish":
        if (upload.size !== upload.fileSize)
          throw new GraphError("(#6001) There was a problem uploading your video. Please try again.", 6001);
        await finishVideo(upload.video, await toMediaFile(Buffer.concat(upload.chunks)), request);
        return { success: true };
      case "cancel":
        chunkedUploads.delete(id);
        return { success: true };
      default:
        throw invalidParameter("upload_phase must be one of start, transfer, finish, cancel");
    }
  }

  function startChunkedUpload(fileSize: number): object {
    if (!Number.isInteger(fileSize) || fileSize < 1) throw invalidParameter("file_size is required");
    const id = nextId();
    const upload = { video: createEmptyVideo(), fileSize, chunks: [], size: 0 };
    chunkedUploads.set(id, upload);
    return { upload_session_id: id, video_id: upload.video.id, ...nextRange(upload) };
  }

  const nextRange = ({ size, fileSize }: ChunkedUpload): object => ({
    start_offset: String(size),
    end_offset: String(Math.min(size + standIn.chunkBytes, fileSize)),
  });

  function startFileUpload(request: GraphRequest, isUser: boolean): object {
    if (!isUser) throw new GraphError("(#200) A User access token is required", 200, {}, 403);
    checkParamNames(request, ["file_name", "file_length", "file_type"]);
    const { params } = request;
    const fileLength = Number(params.get("file_length"));
    const types = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];
    if (!params.get("file_name") || !(fileLength > 0) || !types.includes(params.get("file_type") ?? ""))
      throw invalidParameter("file_name, file_length and a valid file_type are required");
    const id = `upload:${randomBytes(12).toString("base64url")}`;
    fileUploads.set(id, { id, fileLength, bytes: Buffer.alloc(0), handle: undefined });
    return { id };
  }

  function handleFileUpload(id: string, request: GraphRequest, isUser: boolean): object {
    const upload = fileUploads.get(id);
    if (!upload || !isUser) throw objectMissing(id);
    if (!request.headers.authorization?.startsWith("OAuth "))
      throw invalidParameter("You must include the access token in the header (Authorization: OAuth)");
    const { bytes, fileLength } = upload;
    if (request.method === "GET") return { id, file_offset: bytes.length };
    if (request.headers["file_offset"] !== String(bytes.length))
      throw invalidParameter(`file_offset must be ${bytes.length}`);
    upload.bytes = Buffer.concat([bytes, request.rawBody]);
    if (upload.bytes.length > fileLength) throw invalidParameter("The file is longer than file_length");
    if (upload.bytes.length < fileLength) return { id, file_offset: upload.bytes.length };
    upload.handle = `2:${randomBytes(24).toString("base64")}`;
    return { h: upload.handle };
  }

  function readNode(id: string, request: GraphRequest): object {
    const post = posts.find((candidate) => candidate.id === id);
    if (post) return selectFields(toListedNode(post).node, request, ["created_time", "message"]);
    const photo = findPhoto(id);
    if (photo) return selectFields(toPhotoNode(photo), request, ["created_time", "name"]);
    const video = videos.get(id);
    if (!video) throw objectMissing(id);
    const node = toVideoNode(video);
    if (video.state === "uploaded" && video.remainingPolls > 0) video.remainingPolls--;
    return selectFields(node, request, ["description", "created_time"]);
  }

  const standIn: Facebook = {
    ...graph,
    page,
    appId,
    accessToken: graph.tokens.issue(page.id),
    userAccessToken: graph.tokens.issue(user.id),
    posts: () =>
      posts.filter(isOwnPublicPost).map((post) => ({
        id: post.id,
        text: post.text,
        link: post.link,
        media: [...post.photos, post.video].flatMap((item) => item?.media ?? []),
        createdAt: new Date(post.createdAt),
        url: toUrl(post.id),
      })),
    finishProcessing: () => {
      for (const video of videos.values()) video.remainingPolls = 0;
    },
    failVideos: () => {
      for (const post of posts.filter(({ video }) => video && video.remainingPolls > 0)) {
        Object.assign(post, { isPublished: false });
        Object.assign(post.video!, { state: "failed", remainingPolls: 0 });
      }
    },
    addVisitorPost: (text) => {
      const post = addPost({ text, link: undefined, photos: [], video: undefined }, true);
      post.author = { id: "10153848260347999", name: "A visitor" };
    },
    expireAccessToken: () => graph.tokens.expire(page.id),
    issueAccessToken: () => (standIn.accessToken = graph.tokens.issue(page.id)),
    processingPolls: 1,
    chunkBytes: 1024 * 1024,
    rejectsDuplicates: true,
  };
  return standIn;
}

const toUrl = (postId: string): string => `https://www.facebook.com/${postId}`;

const readFile = async (file: File | undefined): Promise<MediaFile | undefined> =>
  file && toMediaFile(Buffer.from(await file.arrayBuffer()));

/** `attached_media[0]={"media_fbid":"1"}`, or all as an array in `attached_media`. */
function readAttachedMedia({ params }: GraphRequest): string[] {
  const indexed = [...params].filter(([name]) => name.startsWith("attached_media["));
  const array = params.get("attached_media");
  if (indexed.some((_, index) => !params.has(`attached_media[${index}]`)))
    throw invalidParameter("attached_media must be numbered from 0");
  const texts = indexed.map((_, index) => params.get(`attached_media[${index}]`));
  try {
    const items = array === undefined ? texts.map((text) => JSON.parse(text ?? "")) : JSON.parse(array);
    return (items as { media_fbid: unknown }[]).map(({ media_fbid: id }) => {
      if (typeof id !== "string" && typeof id !== "number") throw new Error("no media_fbid");
      return String(id);
    });
  } catch {
    throw invalidParameter('attached_media must contain {"media_fbid":"…"}');
  }
}

const photoTypes = ["image/jpeg", "image/bmp", "image/png", "image/gif", "image/tiff"];

async function checkPhoto(file: MediaFile | undefined): Promise<void> {
  const image = file && (await readImage(file).catch(() => undefined));
  if (!file || !photoTypes.includes(file.mimeType) || (!image && file.mimeType !== "image/bmp") || image?.isAnimated)
    throw new GraphError("(#324) Missing or invalid image file", 324);
  if (file.bytes.length > maxPhotoBytes) throw new GraphError("(#324) Files can not exceed 10MB", 324);
}

function toListedNode(post: Post): ListedNode {
  const { id, text, link, photos, video, isPublished, createdAt, author } = post;
  const [photo] = photos;
  return {
    createdAt,
    node: {
      id,
      message: text || undefined,
      created_time: formatTime(createdAt),
      updated_time: formatTime(createdAt),
      is_published: isPublished,
      permalink_url: toUrl(id),
      status_type: toStatusType(post),
      attachments: photo || video || link ? { data: [toAttachment(post)] } : undefined,
      full_picture: undefined,
      from: { name: author.name, id: author.id },
      story: undefined,
    },
  };
}

function toStatusType({ photos, video, link }: Post): string {
  if (video) return "added_video";
  if (photos.length > 0) return "added_photos";
  return link === undefined ? "mobile_status_update" : "shared_story";
}

function toAttachment({ photos, video, link }: Post): Record<string, unknown> {
  const [photo] = photos;
  const items = photos.map(({ id }) => ({ media_type: "photo", type: "photo", target: { id }, url: undefined }));
  const none = { subattachments: undefined, target: undefined, url: undefined };
  if (video) return { ...none, media_type: "video", type: "video_inline", target: { id: video.id } };
  if (!photo) return { ...none, media_type: "link", type: "share", url: link };
  if (photos.length === 1) return { ...none, media_type: "photo", type: "photo", target: { id: photo.id } };
  return { ...none, media_type: "album", type: "album", subattachments: { data: items } };
}

const toPhotoNode = ({ id, caption, createdAt, postId, media }: Photo): Record<string, unknown> => ({
  id,
  name: caption || undefined,
  created_time: formatTime(createdAt),
  alt_text_custom: media.altText ?? undefined,
  alt_text: undefined,
  page_story_id: postId,
  link: `https://www.facebook.com/photo.php?fbid=${id}`,
});

function toVideoNode(video: Video): Record<string, unknown> {
  const { id, title, description, createdAt, postId } = video;
  return {
    id,
    title,
    description: description || undefined,
    created_time: formatTime(createdAt),
    post_id: postId,
    permalink_url: `/${id}`,
    published: postId !== undefined,
    status: toVideoStatus(video),
  };
}

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
  if (state === "uploading") return toStatus("uploading", { status: "in_progress" }, waiting, waiting);
  if (remainingPolls > 0) return toStatus("processing", complete, { status: "in_progress" }, waiting);
  return toStatus("ready", complete, complete, { status: "complete", publish_status: "published" });
}
