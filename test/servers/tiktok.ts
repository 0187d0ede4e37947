import { minutes, type Clock } from "#lib/clock.ts";
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
 * A stand-in for TikTok's Content Posting API, written from its documentation and not from our client.
 *
 * | request | what it does |
 * | --- | --- |
 * | `POST /v2/oauth/token/`, `GET /v2/user/info/` | tokens and the account; `authorize` consents |
 * | `POST /v2/post/publish/creator_info/query/` | what the account offers |
 * | `POST /v2/post/publish/video/init/`, `/inbox/video/init/` | starts an upload of a video, or of a draft |
 * | `PUT /upload/{id}` | chunks in order: 206, and 201 after the last, which starts the posting |
 * | `POST /v2/post/publish/content/init/` | images, which it fetches at once |
 * | `POST /v2/post/publish/status/fetch/` | the status; ids of posts are integers of 64 bits |
 *
 * Sources, read from September to November 2026 at https://developers.tiktok.com/doc: content-posting-api-reference-direct-post,
 * -upload-video, -photo-post, -get-video-status, -query-creator-info, content-posting-api-media-transfer-guide,
 * oauth-user-access-token-management. Assumed, because no page says it: a chunk counts only when it is complete, an
 * upload that was not completed fails after an hour, and images are fetched before the response.
 */
export interface TikTokStandIn extends RunningStandIn {
  /** What was posted, oldest first, also for the account alone. Drafts are not posts. */
  posts(): TikTokPost[];
  drafts(): TikTokPost[];
  /** Every request received, as `METHOD /path`. */
  requests: string[];
  account: { id: string; handle: string };
  tokens: AccountTokens;
  /** Consents, as the user does. TikTok has its own names for two parameters. */
  authorize(location: string): string;
  faults: TikTokFaults;
  settings: {
    isAudited: boolean;
    /** Whether posts never become public although TikTok accepted them. */
    keepsPrivate: boolean;
    processingPolls: number;
    moderationPolls: number;
    initsPerMinute: number;
    creator: Record<string, unknown>;
  };
}

export interface TikTokFaults extends Faults {
  /** Inits: create the upload, then close the connection. */
  dropInitResponses: number;
  /** Chunks except the last: close the connection without storing it. */
  interruptedChunks: number;
  /** Chunks except the last: store it, then close the connection. */
  dropChunkResponses: number;
  failedChunks: number;
  /** Chunks: respond with 403, and fail the upload. */
  expiredUploads: number;
  tooManyPosts: number;
}

export interface TikTokPost {
  id: string;
  text: string;
  title: string | undefined;
  info: Record<string, unknown>;
  files: string[];
}

interface Publish {
  id: string;
  isDraft: boolean;
  info: Record<string, unknown>;
  title: string | undefined;
  text: string;
  total: number;
  chunkSize: number;
  chunkCount: number;
  chunks: Buffer[];
  files: string[];
  createdAt: number;
  status: string;
  failReason: string | undefined;
  polls: number;
  moderationPolls: number;
}

const megabyte = 1_000_000;

function reject(status: number, code: string): Rejection {
  return new Rejection({ status, json: { data: {}, error: { code, message: code, log_id: "20261119" } } });
}
const unavailable = reject(503, "internal_error").response;

export async function startTikTok(clock: Clock): Promise<TikTokStandIn> {
  const scopes = ["user.info.basic", "user.info.profile", "video.publish", "video.upload"];
  const tokens = createAccountTokens({ authorizationPath: "/v2/auth/authorize/", requiresPkce: false, scopes });
  const faults: TikTokFaults = {
    ...createFaults(),
    dropInitResponses: 0,
    interruptedChunks: 0,
    dropChunkResponses: 0,
    failedChunks: 0,
    expiredUploads: 0,
    tooManyPosts: 0,
  };
  const settings = {
    isAudited: true,
    keepsPrivate: false,
    processingPolls: 1,
    moderationPolls: 1,
    initsPerMinute: 6,
    creator: {
      creator_username: "atelier",
      creator_nickname: "Atelier",
      privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
      comment_disabled: false,
      duet_disabled: false,
      stitch_disabled: true,
      max_video_post_duration_sec: 300,
    } as Record<string, unknown>,
  };
  const account = { id: "-000atelier", handle: "atelier" };
  const publishes: Publish[] = [];
  const requests: string[] = [];
  const initTimes: number[] = [];

  const server = await serve(async (request) => {
    requests.push(`${request.method} ${request.path}`);
    if (request.path === "/v2/oauth/token/") return grantTokens(request, tokens);
    if (request.path.startsWith("/upload/")) return receiveChunk(request);
    const token = readBearer(request.headers);
    if (token === undefined || tokens.stateOf(token) !== "valid") throw reject(401, "access_token_invalid");
    return runWithFaults(faults, {
      isPublishing: request.path.endsWith("/content/init/"),
      unavailable,
      rateLimited: () => reject(429, "rate_limit_exceeded").response,
      run: () => route(request),
    }).then((response) => (response?.status === 0 ? undefined : response));
  });

  const requireScope = (name: string): void => {
    if (!tokens.scopes.has(name)) throw reject(401, "scope_not_authorized");
  };

  async function route(request: StandInRequest): Promise<StandInResponse> {
    const endpoint = `${request.method} ${request.path.replace("/v2/post/publish/", "")}`;
    if (endpoint === "GET /v2/user/info/") {
      const user = { open_id: account.id, username: account.handle, display_name: "Atelier" };
      return { status: 200, json: { data: { user }, error: { code: "ok" } } };
    }
    const body = readJson(request);
    switch (endpoint) {
      case "POST creator_info/query/":
        requireScope("video.publish");
        return succeed(settings.creator);
      case "POST video/init/":
        requireScope("video.publish");
        return startVideo(body, false);
      case "POST inbox/video/init/":
        requireScope("video.upload");
        return startVideo(body, true);
      case "POST content/init/":
        return publishImages(body);
      case "POST status/fetch/":
        return readStatus(body);
      default:
        throw reject(404, "not_found");
    }
  }

  function countInit(): void {
    initTimes.push(clock());
    if (initTimes.filter((time) => time > clock() - minutes(1)).length > settings.initsPerMinute)
      throw reject(429, "rate_limit_exceeded");
    if (takeFault(faults, "tooManyPosts")) throw reject(403, "spam_risk_too_many_posts");
  }

  function createPublish(publish: Partial<Publish> & Pick<Publish, "isDraft" | "info" | "text">): Publish {
    const id = `${publish.isDraft ? "v_inbox" : "v_pub"}_file~v2-1.${publishes.length + 1}`;
    const defaults = { title: undefined, total: 0, chunkSize: 0, chunkCount: 0, chunks: [], files: [] };
    const progress = { status: "PROCESSING_UPLOAD", failReason: undefined, polls: settings.processingPolls };
    const created = { id, createdAt: clock(), ...defaults, ...progress, ...publish };
    publishes.push({ ...created, moderationPolls: settings.moderationPolls });
    return publishes.at(-1)!;
  }

  function startVideo(body: Record<string, unknown>, isDraft: boolean): StandInResponse {
    const { post_info: info = {}, source_info: source, ...others } = body;
    if (!isRecord(source) || !isRecord(info) || Object.keys(others).length > 0 || isDraft === "post_info" in body)
      throw reject(400, "invalid_params");
    const { title = "", ...choices } = info;
    if (typeof title !== "string" || title.length > 2200) throw reject(400, "invalid_params");
    if (!isDraft) checkChoices(choices, ["disable_duet", "disable_stitch", "is_aigc", "video_cover_timestamp_ms"]);
    const { video_size: total, chunk_size: chunkSize, total_chunk_count: chunkCount, source: kind } = source;
    if (kind !== "FILE_UPLOAD" || !isSize(total) || !isSize(chunkSize)) throw reject(400, "invalid_params");
    if (total > 4000 * megabyte) throw reject(400, "invalid_params");
    // Files under 5 MB are one chunk; other chunks have 5 to 64 MB, and the last one takes the rest.
    const isWhole = chunkSize === total && total <= 64 * megabyte;
    const isValidSize = isWhole || (chunkSize >= 5 * megabyte && chunkSize <= 64 * megabyte && total >= 5 * megabyte);
    if (!isValidSize || chunkCount !== Math.floor(total / chunkSize) || chunkCount > 1000)
      throw reject(400, "invalid_params");
    countInit();
    const upload = { total, chunkSize, chunkCount };
    const publish = createPublish({ isDraft, info: choices, text: title, ...upload });
    if (takeFault(faults, "dropInitResponses")) return { status: 0 };
    const upload_url = `${server.origin}/upload/${publish.id}?upload_id=1&upload_token=secret`;
    return succeed({ publish_id: publish.id, upload_url });
  }

  function checkChoices(choices: Record<string, unknown>, more: readonly string[]): void {
    const toggles = ["disable_comment", "brand_content_toggle", "brand_organic_toggle", ...more];
    for (const [name, value] of Object.entries(choices)) {
      const isNumber = name === "video_cover_timestamp_ms" && Number.isInteger(value);
      const isToggle = toggles.includes(name) && name !== "video_cover_timestamp_ms" && typeof value === "boolean";
      if (name !== "privacy_level" && !isNumber && !isToggle) throw reject(400, "invalid_params");
    }
    const { privacy_level: level, brand_content_toggle: isBranded } = choices;
    const options = settings.creator["privacy_level_options"] as unknown[];
    if (!options.includes(level)) throw reject(400, "privacy_level_option_mismatch");
    if (isBranded === true && level === "SELF_ONLY") throw reject(400, "invalid_params");
    for (const name of ["comment", "duet", "stitch"])
      if (settings.creator[`${name}_disabled`] === true && choices[`disable_${name}`] === false)
        throw reject(400, "invalid_params");
    if (!settings.isAudited && level !== "SELF_ONLY")
      throw reject(403, "unaudited_client_can_only_post_to_private_accounts");
  }

  async function receiveChunk({
    method,
    path,
    query,
    headers,
    body,
  }: StandInRequest): Promise<StandInResponse | undefined> {
    const publish = publishes.find(({ id }) => path === `/upload/${id}`);
    if (method !== "PUT" || !publish || query.get("upload_token") !== "secret") throw reject(404, "not_found");
    if (takeFault(faults, "expiredUploads") || clock() > publish.createdAt + minutes(60)) {
      fail(publish, "upload_expired");
      throw reject(403, "expired");
    }
    const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "") ?? [];
    const stored = countBytes(publish);
    const index = publish.chunks.length;
    const isLast = index === publish.chunkCount - 1;
    const expectedEnd = isLast ? publish.total - 1 : stored + publish.chunkSize - 1;
    if (Number(start) !== stored || stored === publish.total) throw reject(416, "range_not_satisfiable");
    if (Number(total) !== publish.total || Number(end) !== expectedEnd) throw reject(400, "invalid_range");
    if (body.length !== expectedEnd - stored + 1 || !readContentType(headers).startsWith("video/"))
      throw reject(400, "invalid_range");
    if (!isLast) {
      if (takeFault(faults, "interruptedChunks")) return undefined;
      if (takeFault(faults, "failedChunks")) return unavailable;
      publish.chunks.push(body);
      if (takeFault(faults, "dropChunkResponses")) return undefined;
      return { status: 206, headers: { "content-range": `bytes 0-${Number(end)}/${publish.total}` } };
    }
    if (takeFault(faults, "dropPublishRequests")) return undefined;
    publish.chunks.push(body);
    await completeVideo(publish);
    if (takeFault(faults, "dropPublishResponses")) return undefined;
    return takeFault(faults, "failPublishResponses") ? unavailable : { status: 201 };
  }

  async function completeVideo(publish: Publish): Promise<void> {
    const content = Buffer.concat(publish.chunks);
    publish.files = [hashBytes(content)];
    const video = await inspectVideo(content);
    const maxSeconds = Number(settings.creator["max_video_post_duration_sec"]);
    if (!video) fail(publish, "file_format_check_failed");
    else if (video.seconds > maxSeconds) fail(publish, "duration_check_failed");
    else if (takeFault(faults, "failProcessing")) fail(publish, "internal");
  }

  async function publishImages(body: Record<string, unknown>): Promise<StandInResponse> {
    const { media_type: type, post_mode: mode, post_info: info, source_info: source, is_aigc: isAigc = false } = body;
    const isDraft = mode === "MEDIA_UPLOAD";
    requireScope(isDraft ? "video.upload" : "video.publish");
    if (type !== "PHOTO" || (!isDraft && mode !== "DIRECT_POST") || !isRecord(info) || !isRecord(source))
      throw reject(400, "invalid_params");
    const { title = "", description = "", ...choices } = info;
    if (typeof title !== "string" || title.length > 90) throw reject(400, "invalid_params");
    if (typeof description !== "string" || description.length > 4000) throw reject(400, "invalid_params");
    if (!isDraft) checkChoices(choices, ["auto_add_music"]);
    else if (Object.keys(choices).length > 0) throw reject(400, "invalid_params");
    const { photo_images: urls, photo_cover_index: cover, source: kind } = source;
    if (kind !== "PULL_FROM_URL" || !Array.isArray(urls) || urls.length === 0 || urls.length > 35 || cover !== 0)
      throw reject(400, "invalid_params");
    countInit();
    const publish = createPublish({ isDraft, info: { ...choices, is_aigc: isAigc }, text: description, title });
    publish.status = "PROCESSING_DOWNLOAD";
    for (const url of urls) await fetchImage(publish, String(url));
    return succeed({ publish_id: publish.id });
  }

  async function fetchImage(publish: Publish, url: string): Promise<void> {
    const response = await fetch(url, { redirect: "error" });
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = (await inspectImage(bytes))?.mimeType ?? "";
    publish.files.push(hashBytes(bytes));
    if (!response.ok) fail(publish, "photo_pull_failed");
    else if (!["image/jpeg", "image/webp"].includes(type) || bytes.length > 20 * megabyte)
      fail(publish, "picture_size_check_failed");
  }

  function readStatus({ publish_id: id }: Record<string, unknown>): StandInResponse {
    const publish = publishes.find((each) => each.id === id);
    if (!publish) throw reject(400, "invalid_publish_id");
    const uploaded_bytes = countBytes(publish);
    if (publish.status.startsWith("PROCESSING")) advance(publish);
    const data = { status: publish.status, fail_reason: publish.failReason, uploaded_bytes };
    if (publish.status !== "PUBLISH_COMPLETE" || !isPublic(publish)) return succeed(data);
    if (publish.moderationPolls-- > 0) return succeed({ ...data, publicaly_available_post_id: [] });
    // An integer that a double can't represent.
    const text = JSON.stringify({ data: { ...data, publicaly_available_post_id: ["ID"] }, error: { code: "ok" } });
    const bytes = Buffer.from(text.replace('"ID"', toPostId(publish)));
    return { status: 200, headers: { "content-type": "application/json" }, bytes };
  }

  function advance(publish: Publish): void {
    const isComplete = publish.total === 0 || countBytes(publish) === publish.total;
    if (!isComplete && clock() > publish.createdAt + minutes(60)) fail(publish, "upload_expired");
    if (!isComplete || publish.polls-- > 0) return;
    publish.status = publish.isDraft ? "SEND_TO_USER_INBOX" : "PUBLISH_COMPLETE";
  }

  const toPostId = ({ id }: Publish): string => `74123456789012345${id.split(".").at(-1)?.padStart(2, "0")}`;
  const isPublic = ({ info }: Publish): boolean =>
    info["privacy_level"] === "PUBLIC_TO_EVERYONE" && settings.isAudited && !settings.keepsPrivate;
  const fail = (publish: Publish, failReason: string): void =>
    void Object.assign(publish, { status: "FAILED", failReason });
  const countBytes = ({ chunks }: Publish): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0);

  /** Posts appear whether or not a client reads their status. */
  const listComplete = (isDraft: boolean): TikTokPost[] =>
    publishes
      .filter((each) => each.isDraft === isDraft && each.status !== "FAILED" && each.files.length > 0)
      .map((each) => ({ id: toPostId(each), text: each.text, title: each.title, info: each.info, files: each.files }));

  return {
    ...server,
    posts: () => listComplete(false),
    drafts: () => listComplete(true),
    requests,
    account,
    tokens,
    authorize(location) {
      const url = new URL(location);
      url.searchParams.set("client_id", url.searchParams.get("client_key") ?? "");
      url.searchParams.set("scope", (url.searchParams.get("scope") ?? "").replaceAll(",", " "));
      return tokens.authorize(url.href);
    },
    faults,
    settings,
  };
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const succeed = (data: Record<string, unknown>): StandInResponse => ({
  status: 200,
  json: { data, error: { code: "ok", message: "", log_id: "20261119" } },
});

function readJson({ headers, body }: StandInRequest): Record<string, unknown> {
  if (readContentType(headers) !== "application/json") throw reject(400, "invalid_params");
  const json = JSON.parse(body.toString()) as unknown;
  if (!isRecord(json)) throw reject(400, "invalid_params");
  return json;
}

function grantTokens({ body }: StandInRequest, tokens: AccountTokens): StandInResponse {
  const form = new URLSearchParams(body.toString());
  const isClient = form.get("client_key") === tokens.clientId && form.get("client_secret") === tokens.clientSecret;
  if (!isClient || !tokens.grant(form)) return { status: 400, json: { error: "invalid_grant" } };
  const { accessToken, refreshToken, scopes } = tokens;
  const lifetimes = { expires_in: 7200, refresh_expires_in: 15_552_000 };
  const json = { access_token: accessToken, refresh_token: refreshToken, scope: [...scopes].join(","), ...lifetimes };
  return { status: 200, json: { ...json, token_type: "Bearer", open_id: "-000atelier" } };
}
