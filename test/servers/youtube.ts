import { days, type Clock } from "#lib/clock.ts";
import { createAccountTokens, type AccountTokens } from "./account-tokens.ts";
import { inspectImage, inspectVideo } from "./inspect-media.ts";
import {
  createFaults,
  hashBytes,
  isRecord,
  readBearer,
  readContentType,
  Rejection,
  runWithFaults,
  serve,
  takeFault,
  type Faults,
  type RunningStandIn,
  type StandInRequest,
  type StandInResponse,
} from "./http-stand-in.ts";

/**
 * A stand-in for the YouTube Data API v3, written from its documentation and not from our client.
 *
 * | request | what it does |
 * | --- | --- |
 * | `POST /token` | redeems a code or a refresh token; `tokens.authorize` issues codes |
 * | `GET /youtube/v3/channels`, `/videoCategories`, `/videos` | the channel, the categories, the status of a video |
 * | `POST /upload/youtube/v3/videos` | starts a resumable upload; `Location` is the URL of the session |
 * | `PUT /session/{id}` | a part of the video, or a question about what has arrived: 308 until it is complete |
 * | `POST /upload/youtube/v3/thumbnails/set` | the thumbnail, only for verified channels |
 * | `PUT /youtube/v3/videos` | replaces the status of a video |
 *
 * Sources, read from September to November 2026 at https://developers.google.com/youtube/v3: guides/using_resumable_upload_protocol,
 * docs/videos, docs/videos/insert, docs/videos/update, docs/thumbnails/set, docs/errors, determine_quota_cost (videos.insert
 * has a bucket of 100 a day). Assumed, because no page says it: a session lasts a week, and an update of a video that is
 * locked as private (support.google.com, "Videos locked as private") succeeds without effect.
 */
export interface YouTubeStandIn extends RunningStandIn {
  /** The videos that are not private, oldest first. */
  posts(): YouTubeVideo[];
  /** All videos. */
  videos: YouTubeVideo[];
  /** Every request received, as `METHOD /path`. */
  requests: string[];
  channelId: string;
  tokens: AccountTokens;
  faults: YouTubeFaults;
  settings: { isAudited: boolean; isVerified: boolean; processingPolls: number; uploadsPerDay: number };
}

export interface YouTubeFaults extends Faults {
  /** Session starts: create the session, then close the connection. */
  dropSessionResponses: number;
  /** Parts: store the first half, then close the connection. */
  interruptedParts: number;
  /** Parts: store them, then close the connection. */
  dropPartResponses: number;
  /** Parts: respond with 503 without storing them. */
  failedParts: number;
  /** Parts: respond with 404; the session is gone. */
  expiredSessions: number;
  exceededQuotas: number;
}

export interface YouTubeVideo {
  id: string;
  title: string;
  /** The description. */
  text: string;
  tags: unknown;
  categoryId: unknown;
  status: Record<string, unknown>;
  isNotifying: boolean;
  sha256: string;
  thumbnail: string | undefined;
  remainingPolls: number;
  hasFailed: boolean;
}

interface Session {
  metadata: Omit<YouTubeVideo, "id" | "sha256" | "remainingPolls" | "hasFailed">;
  mimeType: string;
  total: number;
  content: Buffer;
  videoId: string | undefined;
  expiresAt: number;
}

const scopePrefix = "https://www.googleapis.com/auth/youtube";
const partUnit = 256 * 1024;

function reject(status: number, reason: string): Rejection {
  const errors = [{ domain: "youtube", reason, message: reason }];
  return new Rejection({ status, json: { error: { code: status, message: reason, errors } } });
}
const unavailable = reject(503, "backendError").response;

export async function startYouTube(clock: Clock): Promise<YouTubeStandIn> {
  const scopes = ["upload", "readonly", "force-ssl"].map((name) => `${scopePrefix}.${name}`);
  const tokens = createAccountTokens({ authorizationPath: "/o/oauth2/v2/auth", requiresPkce: true, scopes });
  const faults: YouTubeFaults = {
    ...createFaults(),
    dropSessionResponses: 0,
    interruptedParts: 0,
    dropPartResponses: 0,
    failedParts: 0,
    expiredSessions: 0,
    exceededQuotas: 0,
  };
  const settings = { isAudited: true, isVerified: true, processingPolls: 1, uploadsPerDay: 100 };
  const sessions = new Map<string, Session>();
  const videos: YouTubeVideo[] = [];
  const requests: string[] = [];
  const channelId = "UC_x5XG1OV2P6uZZ5FSM9Ttw";
  let uploads = 0;

  const server = await serve(async (request) => {
    requests.push(`${request.method} ${request.path}`);
    if (request.path === "/token") return grantTokens(request, tokens);
    if (request.path.startsWith("/session/")) return receivePart(request);
    const token = readBearer(request.headers);
    if (token === undefined || tokens.stateOf(token) !== "valid") throw reject(401, "authError");
    return runWithFaults(faults, {
      isPublishing: request.method === "PUT",
      unavailable,
      rateLimited: () => reject(403, "rateLimitExceeded").response,
      run: () => route(request),
    }).then((response) => (response?.status === 0 ? undefined : response));
  });

  const requireScope = (...names: string[]): void => {
    if (!names.some((name) => tokens.scopes.has(`${scopePrefix}.${name}`)))
      throw reject(403, "insufficientPermissions");
  };

  async function route(request: StandInRequest): Promise<StandInResponse> {
    const { query } = request;
    switch (`${request.method} ${request.path}`) {
      case "GET /youtube/v3/channels": {
        requireScope("readonly");
        return {
          status: 200,
          json: { items: [{ id: channelId, snippet: { title: "Atelier", customUrl: "@atelier" } }] },
        };
      }
      case "GET /youtube/v3/videoCategories": {
        if (query.get("part") !== "snippet" || !query.has("regionCode")) throw reject(400, "missingRequiredParameter");
        const categories = { "22": ["People & Blogs", true], "26": ["Howto & Style", true], "30": ["Movies", false] };
        const items = Object.entries(categories).map(([id, [title, assignable]]) => ({
          id,
          snippet: { title, assignable },
        }));
        return { status: 200, json: { kind: "youtube#videoCategoryListResponse", items } };
      }
      case "GET /youtube/v3/videos":
        requireScope("readonly", "force-ssl");
        return { status: 200, json: { kind: "youtube#videoListResponse", items: listVideos(query) } };
      case "POST /upload/youtube/v3/videos":
        requireScope("upload", "force-ssl");
        return startSession(request);
      case "POST /upload/youtube/v3/thumbnails/set":
        requireScope("upload", "force-ssl");
        return setThumbnail(request);
      case "PUT /youtube/v3/videos":
        requireScope("force-ssl");
        return updateVideo(request);
      default:
        throw reject(404, "notFound");
    }
  }

  function listVideos(query: URLSearchParams): unknown[] {
    if (!query.get("part")?.split(",").includes("status")) throw reject(400, "missingRequiredParameter");
    return videos
      .filter(({ id }) => query.get("id") === id)
      .map((video) => {
        if (video.status["uploadStatus"] === "uploaded" && video.remainingPolls-- <= 0)
          Object.assign(
            video.status,
            video.hasFailed ? { uploadStatus: "failed", failureReason: "codec" } : { uploadStatus: "processed" },
          );
        return { kind: "youtube#video", id: video.id, status: { ...video.status } };
      });
  }

  function startSession({ query, headers, body }: StandInRequest): StandInResponse {
    if (takeFault(faults, "exceededQuotas") || uploads >= settings.uploadsPerDay) throw reject(403, "quotaExceeded");
    if (query.get("uploadType") !== "resumable" || query.get("part") !== "snippet,status")
      throw reject(400, "badRequest");
    const { snippet, status } = readJson(headers["content-type"], body);
    if (!isRecord(snippet) || !isRecord(status)) throw reject(400, "badRequest");
    const { title, description = "", tags, categoryId } = snippet;
    if (typeof title !== "string" || title === "" || Array.from(title).length > 100 || /[<>]/.test(title))
      throw reject(400, "invalidTitle");
    if (typeof description !== "string" || Buffer.byteLength(description) > 5000 || /[<>]/.test(description))
      throw reject(400, "invalidDescription");
    if (tags !== undefined && (!Array.isArray(tags) || tags.join("").length > 500)) throw reject(400, "invalidTags");
    if (categoryId !== undefined && categoryId !== "22" && categoryId !== "26") throw reject(400, "invalidCategoryId");
    checkStatus(status);
    const [total, mimeType] = [Number(headers["x-upload-content-length"]), String(headers["x-upload-content-type"])];
    if (!Number.isSafeInteger(total) || total <= 0 || !mimeType.startsWith("video/")) throw reject(400, "badRequest");
    uploads++;
    const isNotifying = query.get("notifySubscribers") !== "false";
    const metadata = {
      title,
      text: description,
      tags,
      categoryId,
      status: { ...status },
      isNotifying,
      thumbnail: undefined,
    };
    const id = `${sessions.size + 1}-${channelId}`;
    const expiresAt = clock() + days(7);
    sessions.set(id, { metadata, mimeType, total, content: Buffer.alloc(0), videoId: undefined, expiresAt });
    if (takeFault(faults, "dropSessionResponses")) return { status: 0 };
    return { status: 200, headers: { location: `${server.origin}/session/${id}` } };
  }

  async function receivePart({ method, path, headers, body }: StandInRequest): Promise<StandInResponse | undefined> {
    const id = path.slice("/session/".length);
    if (takeFault(faults, "expiredSessions")) sessions.delete(id);
    const session = sessions.get(id);
    if (method !== "PUT" || !session || clock() > session.expiresAt) throw reject(404, "notFound");
    const [, range, total] = /^bytes (\*|\d+-\d+)\/(\d+)$/.exec(headers["content-range"] ?? "") ?? [];
    if (range === undefined || Number(total) !== session.total) throw reject(400, "badContentRange");
    if (range === "*") {
      if (body.length > 0) throw reject(400, "badRequest");
      return describeProgress(session);
    }
    if (takeFault(faults, "failedParts")) return unavailable;
    const [start = -1, end = -1] = range.split("-").map(Number);
    const isLast = end === session.total - 1;
    if (start !== session.content.length || body.length !== end - start + 1 || end >= session.total)
      throw reject(400, "badContentRange");
    if (!isLast && body.length % partUnit > 0) throw reject(400, "badContentLength");
    const isInterrupted = takeFault(faults, "interruptedParts");
    const stored = isInterrupted ? Math.floor(body.length / 2 / partUnit) * partUnit : body.length;
    session.content = Buffer.concat([session.content, body.subarray(0, stored)]);
    if (isInterrupted) return undefined;
    if (isLast) await completeVideo(session);
    return takeFault(faults, "dropPartResponses") ? undefined : describeProgress(session);
  }

  function describeProgress({ content, videoId }: Session): StandInResponse {
    if (videoId !== undefined) return { status: 201, json: { kind: "youtube#video", id: videoId } };
    return { status: 308, headers: content.length === 0 ? {} : { range: `bytes=0-${content.length - 1}` } };
  }

  async function completeVideo(session: Session): Promise<void> {
    const { metadata, content, mimeType } = session;
    const isValid = (await inspectVideo(content))?.mimeType === mimeType;
    const video: YouTubeVideo = {
      ...metadata,
      id: `video-${videos.length + 1}`,
      status: { ...metadata.status, uploadStatus: "uploaded" },
      sha256: hashBytes(content),
      remainingPolls: settings.processingPolls,
      hasFailed: !isValid || takeFault(faults, "failProcessing"),
    };
    if (!settings.isAudited) video.status["privacyStatus"] = "private";
    videos.push(video);
    session.videoId = video.id;
  }

  async function setThumbnail({ query, headers, body }: StandInRequest): Promise<StandInResponse> {
    const video = videos.find(({ id }) => id === query.get("videoId"));
    if (!video) throw reject(404, "videoNotFound");
    if (!settings.isVerified) throw reject(403, "forbidden");
    if ((await inspectImage(body))?.mimeType !== readContentType(headers)) throw reject(400, "invalidImage");
    video.thumbnail = hashBytes(body);
    return { status: 200, json: { kind: "youtube#thumbnailSetResponse" } };
  }

  /** The fields of `status` that the request does not name are removed. */
  function updateVideo({ query, headers, body }: StandInRequest): StandInResponse {
    if (query.get("part") !== "status") throw reject(400, "badRequest");
    const { id, status } = readJson(headers["content-type"], body);
    const video = videos.find((each) => each.id === id);
    if (!video) throw reject(404, "videoNotFound");
    if (!isRecord(status)) throw reject(400, "badRequest");
    checkStatus(status);
    const { uploadStatus } = video.status;
    video.status = { ...status, uploadStatus, ...(settings.isAudited ? {} : { privacyStatus: "private" }) };
    return { status: 200, json: { kind: "youtube#video", id, status: { ...video.status } } };
  }

  return {
    ...server,
    posts: () => videos.filter(({ status }) => status["privacyStatus"] !== "private"),
    videos,
    requests,
    channelId,
    tokens,
    faults,
    settings,
  };
}

function checkStatus(status: Record<string, unknown>): void {
  const fields = ["privacyStatus", "selfDeclaredMadeForKids", "containsSyntheticMedia"];
  if (Object.keys(status).some((name) => !fields.includes(name))) throw reject(400, "badRequest");
  if (!["public", "unlisted", "private"].includes(String(status["privacyStatus"]))) throw reject(400, "invalidStatus");
  if (fields.slice(1).some((name) => ![undefined, true, false].includes(status[name] as boolean)))
    throw reject(400, "badRequest");
}

function readJson(type: string | undefined, body: Buffer): Record<string, unknown> {
  if (!type?.startsWith("application/json")) throw reject(400, "badRequest");
  const json = JSON.parse(body.toString()) as unknown;
  if (!isRecord(json)) throw reject(400, "parseError");
  return json;
}

function grantTokens({ body }: StandInRequest, tokens: AccountTokens): StandInResponse {
  const form = new URLSearchParams(body.toString());
  const isClient = form.get("client_id") === tokens.clientId && form.get("client_secret") === tokens.clientSecret;
  if (!isClient || !tokens.grant(form)) return { status: 400, json: { error: "invalid_grant" } };
  const { accessToken, refreshToken, scopes } = tokens;
  const json = { access_token: accessToken, expires_in: 3599, token_type: "Bearer", scope: [...scopes].join(" ") };
  return { status: 200, json: { ...json, refresh_token: refreshToken } };
}
