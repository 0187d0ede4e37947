import type { Clock } from "#lib/clock.ts";
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
import { createMediaStore } from "./media.ts";
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
 * | `GET /rest/{videos,documents}/{urn}` | processing status |
 * | `GET /v2/socialActions/{urn}` | the numbers of likes and comments |
 * | `POST /rest/posts` | creates a public post: 201, no body, its URN in `x-restli-id` |
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
  tokens: AccountTokens;
  faults: LinkedInFaults;
  /** How many status requests return `PROCESSING`. Images are processed at once. */
  settings: {
    processingPolls: number;
    canReadSocialActions: boolean;
    /** What every post has. */
    socialActions: { likes: number; comments: number };
  };
}

export interface LinkedInFaults extends Faults {
  /** Requests that create a duplicate: the error names the URN of a post that doesn't exist as the original. */
  duplicatesOfMissingPosts: number;
}

export interface LinkedInPost {
  id: string;
  /** What readers see: without escapes, and cut where the text doesn't follow the little text format. */
  text: string;
  hashtags: string[];
  visibility: string;
  media: (PublicMedia & { title: string | undefined })[];
}

/** A version is active for at least one year. */
const activeVersions = new Set(
  ["202512", "202601", "202602", "202603", "202604", "202605"].concat(["202606", "202607", "202608", "202609"]),
);
const resources = { images: "image", videos: "video", documents: "document" } as const;

export async function startLinkedIn(clock: Clock): Promise<LinkedInStandIn> {
  const memberId = "8675309abc";
  const tokens = createAccountTokens({
    authorizationPath: "/oauth/v2/authorization",
    requiresPkce: false,
    scopes: ["openid", "profile", "w_member_social"],
  });
  const faults: LinkedInFaults = { ...createFaults(), duplicatesOfMissingPosts: 0 };
  const settings = { processingPolls: 1, canReadSocialActions: true, socialActions: { likes: 0, comments: 0 } };
  const requests: string[] = [];

  const canActAs = (urn: string): boolean =>
    urn === `urn:li:person:${memberId}` && tokens.scopes.has("w_member_social");
  const media = createMediaStore({
    clock,
    uploadOrigin: () => server.origin,
    settings,
    takeProcessingFailure: () => takeFault(faults, "failProcessing"),
    canActAs,
    isTokenValid: (token) => tokens.stateOf(token) === "valid",
  });
  const posts = createPostStore({
    clock,
    media,
    canActAs,
    takeDuplicateOfMissingPost: () => takeFault(faults, "duplicatesOfMissingPosts"),
  });

  const server = await serve(async (request) => {
    const query = request.query.toString();
    requests.push(`${request.method} ${request.path}${query ? `?${query}` : ""}`);
    if (request.path.startsWith("/dms-uploads/")) return media.upload(request);
    if (request.method === "POST" && request.path === "/oauth/v2/accessToken") return grantTokens(request, tokens);
    checkToken(request);
    const isPublishing = request.method === "POST" && request.path === "/rest/posts";
    return runWithFaults(faults, { isPublishing, unavailable, rateLimited, run: () => route(request) });
  });

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
    if (!activeVersions.has(version)) {
      const requestedVersion = version.length === 6 ? `${version}01` : version;
      throw reject(426, "NONEXISTENT_VERSION", `Requested version ${requestedVersion} is not active`);
    }
    if (request.headers["x-restli-protocol-version"] !== "2.0.0")
      throw reject(400, "BAD_REQUEST", "All APIs require the request header X-Restli-Protocol-Version: 2.0.0");
  }

  async function route(request: StandInRequest): Promise<StandInResponse> {
    const { method, path, query } = request;
    if (method === "GET" && path === "/v2/userinfo") {
      if (!tokens.scopes.has("openid")) throw accessDenied("userinfo.GET.NO_VERSION");
      return { status: 200, json: { sub: memberId, name: "Ada Example", given_name: "Ada", family_name: "Example" } };
    }
    const [, urn] = /^\/v2\/socialActions\/([^/]+)$/.exec(path) ?? [];
    if (method === "GET" && urn !== undefined) return readSocialActions(decodeUrn(urn));
    const [, resource = "", key] = /^\/rest\/(posts|images|videos|documents)(?:\/(.+))?$/.exec(path) ?? [];
    if (resource === "") throw reject(404, "RESOURCE_NOT_FOUND", `No virtual resource found for ${path}`);
    checkVersion(request);
    if (resource === "posts") {
      if (method === "POST" && key === undefined) return posts.create(readJson(request));
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

  /** Reading is documented for `r_member_social`; apps with `w_member_social` report that they may read, too. */
  function readSocialActions(urn: string): StandInResponse {
    if (!settings.canReadSocialActions) throw accessDenied("socialActions.GET.NO_VERSION");
    if (!posts.listLive().some((post) => post.urn === urn)) throw reject(404, "NOT_FOUND", `${urn} does not exist`);
    const { likes, comments } = settings.socialActions;
    const likesSummary = { totalLikes: likes, aggregatedTotalLikes: likes, likedByCurrentUser: false };
    const commentsSummary = { totalFirstLevelComments: comments, aggregatedTotalComments: comments };
    return { status: 200, json: { target: urn, likesSummary, commentsSummary } };
  }

  const toPublicPost = (post: StoredPost): LinkedInPost => ({
    id: post.urn,
    text: post.rendered.text,
    hashtags: post.rendered.hashtags,
    visibility: post.visibility,
    media: post.media.map(({ asset: { mimeType, sha256 }, altText, title }) => ({ mimeType, sha256, altText, title })),
  });

  return {
    ...server,
    posts: () => posts.listLive().map(toPublicPost),
    requests,
    memberId,
    tokens,
    faults,
    settings,
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

function grantTokens(request: StandInRequest, tokens: AccountTokens): StandInResponse {
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
    refresh_token: refreshToken,
    refresh_token_expires_in: 31_536_000,
    scope: [...scopes].join(" "),
  };
  return { status: 200, json };
}
