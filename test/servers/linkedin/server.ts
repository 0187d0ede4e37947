import {
  createFaults,
  isRecord,
  readBearer,
  readContentType,
  Rejection,
  runWithFaults,
  serve,
  takeFault,
  type Faults,
  type PublicMedia,
  type RunningStandIn,
  type StandInRequest,
  type StandInResponse,
} from "../http-stand-in.ts";
import { createAccountTokens, type AccountTokens } from "../account-tokens.ts";
import { accessDenied, invalidValue, rateLimited, reject, unauthorized, unavailable } from "./errors.ts";
import { createMediaStore, documentedLimits, type MediaKind, type Processing } from "./media.ts";
import { createPostStore, type StoredPost } from "./posts.ts";

/**
 * A stand-in for LinkedIn, written from its documentation and not from our client.
 *
 * | request | what it does |
 * | --- | --- |
 * | `GET /v2/userinfo` | the signed-in member (OpenID Connect) |
 * | `POST /oauth/v2/accessToken` | redeems a code or a refresh token; `tokens.authorize` issues codes |
 * | `POST /rest/images?action=initializeUpload` | image URN and upload URL |
 * | `POST /rest/documents?action=initializeUpload` | document URN and upload URL |
 * | `POST /rest/videos?action=initializeUpload` | video URN and one upload URL per 4 MB part |
 * | `PUT {uploadUrl}` | the bytes; a video part responds with its ETag |
 * | `POST /rest/videos?action=finalizeUpload` | joins the parts, in the order of their ETags |
 * | `GET /rest/{images,videos,documents}/{urn}` | processing status |
 * | `POST /rest/posts` | creates a public post: 201, no body, its URN in `x-restli-id` |
 * | `GET /rest/posts/{urn}`, `GET /rest/posts?q=author` | reads posts; needs the restricted scope `r_member_social` |
 *
 * Sources, 2026-11-16: pages below https://learn.microsoft.com/en-us/linkedin/ (versions from 2023 to 2026). The live
 * pages could not be read. Stored copies had only the first 1,500 to 2,000 characters of these pages:
 *
 * - marketing: versioning
 * - marketing/community-management/shares: posts-api, images-api, videos-api, documents-api, multiimage-post-api,
 *   little-text-format
 * - shared/api-guide/concepts: error-handling, rate-limits, protocol-version
 *
 * The rest of these pages (error tables, limits, examples) and the following pages are known only from notes in public
 * repositories that quote them:
 *
 * - marketing/community-management/shares: post-api-schema, vector-asset-api (headers of uploads), ugc-post-api (3,000
 *   characters, duplicates for 10 minutes)
 * - consumer/integrations/self-serve: share-on-linkedin (150 requests per member and day)
 * - shared/authentication: authorization-code-flow, programmatic-refresh-tokens
 *
 * Bodies of responses, from public issues:
 *
 * - https://github.com/Arisamiga/Linkedin-RSS/issues/5 (422 for a duplicate)
 * - https://github.com/PipedreamHQ/pipedream/issues/18398 (426 for a retired version)
 * - https://github.com/ComposioHQ/composio/issues/2710 (duplicates that name a post which doesn't exist)
 */
export interface LinkedInStandIn extends RunningStandIn {
  /** The public posts, oldest first. A post is public once all its media are processed, and never if one fails. */
  posts(): LinkedInPost[];
  /** Every request received, as `METHOD /path?query`. */
  requests: string[];
  /** The id of the signed-in member, as in `urn:li:person:{id}`. */
  memberId: string;
  /** Organizations whose page the member administers. */
  organizations: Set<string>;
  tokens: AccountTokens;
  faults: LinkedInFaults;
  settings: LinkedInSettings;
  /** Moves the clock of the stand-in: upload URLs expire, the daily quota resets, duplicates are accepted again. */
  advanceClock(ms: number): void;
}

export interface LinkedInFaults extends Faults {
  /** Requests that create a duplicate: the error names the URN of a post that doesn't exist as the original. */
  duplicatesOfMissingPosts: number;
}

export interface LinkedInSettings {
  /** Versions of the API by `YYYYMM`; a version is active for at least one year. */
  activeVersions: Set<string>;
  processing: Record<MediaKind, Processing>;
  /** Requests of the member per day (UTC). */
  dailyRequests: number;
  limits: typeof documentedLimits;
  /** LinkedIn issues refresh tokens only to approved apps. */
  issuesRefreshTokens: boolean;
  /** The origin of upload URLs; by default that of the stand-in. Tests that put a proxy in front of it change it. */
  uploadOrigin: string;
}

export interface LinkedInPost {
  id: string;
  author: string;
  /** What readers see: without escapes, and cut where the text doesn't follow the little text format. */
  text: string;
  hashtags: string[];
  mentions: string[];
  visibility: string;
  media: (PublicMedia & { title: string | undefined })[];
  createdAt: Date;
}

const dayMs = 24 * 60 * 60 * 1000;
const resources = { images: "image", videos: "video", documents: "document" } as const;

export async function startLinkedIn(): Promise<LinkedInStandIn> {
  let clockOffset = 0;
  const now = (): number => Date.now() + clockOffset;
  const memberId = "8675309abc";
  const organizations = new Set(["urn:li:organization:2414183"]);
  const tokens = createAccountTokens({
    authorizationPath: "/oauth/v2/authorization",
    requiresPkce: false,
    scopes: ["openid", "profile", "w_member_social"],
  });
  const faults: LinkedInFaults = { ...createFaults(), duplicatesOfMissingPosts: 0 };
  const settings: LinkedInSettings = {
    activeVersions: new Set(
      ["202512", "202601", "202602", "202603", "202604", "202605"].concat(["202606", "202607", "202608", "202609"]),
    ),
    processing: { image: { polls: 0, ms: 0 }, video: { polls: 1, ms: 0 }, document: { polls: 1, ms: 0 } },
    dailyRequests: 150,
    limits: structuredClone(documentedLimits),
    issuesRefreshTokens: true,
    uploadOrigin: "",
  };
  const quota = { day: 0, used: 0 };
  const requests: string[] = [];

  const canActAs = (urn: string): boolean => {
    if (urn === `urn:li:person:${memberId}`) return tokens.scopes.has("w_member_social");
    return organizations.has(urn) && tokens.scopes.has("w_organization_social");
  };
  const media = createMediaStore({
    now,
    uploadOrigin: () => settings.uploadOrigin,
    processing: settings.processing,
    limits: settings.limits,
    takeProcessingFailure: () => takeFault(faults, "failProcessing"),
    canActAs,
    canReadMemberContent: () => tokens.scopes.has("r_member_social"),
    isTokenValid: (token) => tokens.stateOf(token) === "valid",
  });
  const posts = createPostStore({
    now,
    media,
    canActAs,
    canRead: (author) =>
      tokens.scopes.has(author.startsWith("urn:li:person:") ? "r_member_social" : "r_organization_social"),
    takeDuplicateOfMissingPost: () => takeFault(faults, "duplicatesOfMissingPosts"),
  });

  const server = await serve(async (request) => {
    const query = request.query.toString();
    requests.push(`${request.method} ${request.path}${query ? `?${query}` : ""}`);
    if (request.path.startsWith("/dms-uploads/")) return media.upload(request);
    if (request.method === "POST" && request.path === "/oauth/v2/accessToken")
      return grantTokens(request, tokens, settings.issuesRefreshTokens);
    checkToken(request);
    const isPublishing = request.method === "POST" && request.path === "/rest/posts";
    return runWithFaults(faults, { isPublishing, unavailable, rateLimited, run: () => route(request) });
  });

  settings.uploadOrigin = server.origin;

  function checkToken(request: StandInRequest): void {
    const token = readBearer(request.headers);
    if (token === undefined) throw unauthorized(65604, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
    const state = tokens.stateOf(token);
    if (state === "expired")
      throw unauthorized(65602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired");
    if (state === "unknown") throw unauthorized(65600, "INVALID_ACCESS_TOKEN", "Invalid access token");
  }

  function checkVersion(request: StandInRequest): void {
    const version = request.headers["linkedin-version"];
    if (typeof version !== "string")
      throw reject(
        400,
        "VERSION_MISSING",
        "A version must be present. Please specify a version by adding the LinkedIn-Version header.",
      );
    if (!settings.activeVersions.has(version)) {
      const requestedVersion = version.length === 6 ? `${version}01` : version;
      throw reject(426, "NONEXISTENT_VERSION", `Requested version ${requestedVersion} is not active`);
    }
    if (request.headers["x-restli-protocol-version"] !== "2.0.0")
      throw reject(400, "BAD_REQUEST", "All APIs require the request header X-Restli-Protocol-Version: 2.0.0");
  }

  function chargeQuota(): void {
    const day = Math.floor(now() / dayMs);
    if (quota.day !== day) Object.assign(quota, { day, used: 0 });
    if (quota.used >= settings.dailyRequests) throw new Rejection(rateLimited());
    quota.used++;
  }

  async function route(request: StandInRequest): Promise<StandInResponse> {
    const { method, path, query } = request;
    if (method === "GET" && path === "/v2/userinfo") {
      if (!tokens.scopes.has("openid")) throw accessDenied("userinfo.GET.NO_VERSION");
      return { status: 200, json: { sub: memberId, name: "Ada Example", given_name: "Ada", family_name: "Example" } };
    }
    const [, resource = "", key] = /^\/rest\/(posts|images|videos|documents)(?:\/(.+))?$/.exec(path) ?? [];
    if (resource === "") throw reject(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${path}`);
    checkVersion(request);
    chargeQuota();
    if (resource === "posts") {
      if (method === "POST" && key === undefined) return posts.create(readJson(request));
      if (method === "GET") return key === undefined ? posts.find(request) : posts.read(decodeUrn(key));
    } else {
      const kind = resources[resource as keyof typeof resources];
      const action = query.get("action");
      if (method === "GET" && key !== undefined) return media.read(kind, decodeUrn(key));
      if (method === "POST" && action === "initializeUpload") return media.initialize(kind, readJson(request));
      if (method === "POST" && action === "finalizeUpload" && kind === "video")
        return media.finalize(readJson(request));
    }
    throw reject(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${method} ${path}`);
  }

  const toPublicPost = (post: StoredPost): LinkedInPost => ({
    id: post.urn,
    author: post.author,
    text: post.rendered.text,
    hashtags: post.rendered.hashtags,
    mentions: post.rendered.mentions,
    visibility: post.visibility,
    media: post.media.map(({ asset: { mimeType, bytes, sha256 }, altText, title }) => ({
      mimeType,
      bytes,
      sha256,
      altText,
      title,
    })),
    createdAt: new Date(post.createdAt),
  });

  return {
    ...server,
    posts: () => posts.listLive().map(toPublicPost),
    requests,
    memberId,
    organizations,
    tokens,
    faults,
    settings,
    advanceClock: (ms) => void (clockOffset += ms),
  };
}

function readJson(request: StandInRequest): Record<string, unknown> {
  if (readContentType(request.headers) !== "application/json")
    throw new Rejection({ status: 415, json: { status: 415, message: "Unsupported media type" } });
  let value: unknown;
  try {
    value = JSON.parse(request.body.toString());
  } catch {
    throw reject(400, "BAD_REQUEST", "Cannot parse the request body as JSON");
  }
  if (!isRecord(value)) throw invalidValue("body");
  return value;
}

/** Rest.li 2.0 (concepts/protocol-version): "You must URL encode the entire resource key." */
function decodeUrn(key: string): string {
  if (key.includes(":")) throw reject(400, "BAD_REQUEST", "The resource key must be URL encoded");
  return decodeURIComponent(key);
}

function grantTokens(request: StandInRequest, tokens: AccountTokens, issuesRefreshTokens: boolean): StandInResponse {
  const form = new URLSearchParams(request.body.toString());
  const isClient = form.get("client_id") === tokens.clientId && form.get("client_secret") === tokens.clientSecret;
  if (readContentType(request.headers) !== "application/x-www-form-urlencoded" || !isClient)
    return { status: 401, json: { error: "invalid_client", error_description: "Client authentication failed" } };
  if (!tokens.grant(form)) {
    const description = "The provided authorization grant or refresh token is invalid, expired or revoked.";
    return { status: 400, json: { error: "invalid_grant", error_description: description } };
  }
  const { accessToken, refreshToken, scopes } = tokens;
  const json = {
    access_token: accessToken,
    expires_in: 5_184_000,
    ...(issuesRefreshTokens ? { refresh_token: refreshToken, refresh_token_expires_in: 31_536_000 } : {}),
    scope: [...scopes].join(" "),
  };
  return { status: 200, json };
}
