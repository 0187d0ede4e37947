import type { Clock } from "#lib/clock.ts";
import {
  createFaults,
  readBearer,
  readContentType,
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
import { forbidden, notFound, rateLimited, readJson, unauthorized, unavailable } from "./errors.ts";
import { createMediaStore } from "./media.ts";
import { createPostStore } from "./posts.ts";

/**
 * A stand-in for X (API v2), written from its documentation and not from our client.
 *
 * | request | what it does |
 * | --- | --- |
 * | `GET /2/users/me` | the signed-in user |
 * | `POST /2/oauth2/token` | redeems a code or a refresh token; `tokens.authorize` issues codes |
 * | `POST /2/media/upload/initialize` | starts a chunked upload and returns the media id |
 * | `POST /2/media/upload/{id}/append` | one segment, as form data |
 * | `POST /2/media/upload/{id}/finalize` | joins the segments; videos and GIFs are processed after that |
 * | `GET /2/media/upload?command=STATUS&media_id={id}` | processing status |
 * | `POST /2/media/upload` | an image in one request |
 * | `POST /2/media/metadata` | alt text |
 * | `POST /2/tweets` | creates a public post, or a reply to one of the account: 201 with its id |
 * | `GET /2/tweets?ids=` | up to 100 posts, with `public_metrics` |
 * | `GET /2/users/{id}/tweets` | the posts of a user, newest first |
 *
 * Sources, read on 2026-11-16 in https://github.com/xdevplatform/docs at commit 2871328 (2026-08-22), published at
 * https://docs.x.com: openapi.json (version 2.167), x-api/media/introduction, x-api/media/quickstart/best-practices and
 * media-upload-chunked, x-api/posts/manage-tweets/integrate, x-api/posts/timelines/integrate,
 * x-api/fundamentals/rate-limits, response-codes-and-errors and data-dictionary,
 * fundamentals/authentication/oauth-2-0/user-access-token. Details of errors that these pages don't show, from public
 * issues: https://github.com/akrherz/iembot/issues/163 (403 for a duplicate),
 * https://github.com/gundogan8/FotBot/issues/22 (400 for a long text),
 * https://github.com/plhery/node-twitter-api-v2/issues/375 and https://github.com/abraham/twitteroauth/issues/1222 (400
 * for media that are not ready). `text.ts` names the sources of character counting.
 */
export interface XStandIn extends RunningStandIn {
  /** The public posts, oldest first. */
  posts(): XPost[];
  /** Every request received, as `METHOD /path?query`. */
  requests: string[];
  userId: string;
  username: string;
  tokens: AccountTokens;
  faults: XFaults;
  /** How often a client reads the status of a video or GIF until its processing ends. */
  settings: { processingPolls: number };
  /** Sets the public metrics of a post. */
  setMetrics(postId: string, metrics: Record<string, number>): void;
  deletePost(postId: string): void;
}

export interface XFaults extends Faults {
  /** Reads of the timeline that don't contain the newest post yet. */
  staleReads: number;
}

export interface XPost {
  id: string;
  /** As sent, in normalization form C. */
  text: string;
  media: PublicMedia[];
  /** `reply_settings` and `made_with_ai`, as sent. */
  settings: Record<string, unknown>;
  replyTo: string | null;
}

const endpoints = {
  "GET /2/users/me": ["tweet.read", "users.read"],
  "GET /2/users/:id/tweets": ["tweet.read", "users.read"],
  "GET /2/tweets": ["tweet.read", "users.read"],
  "POST /2/tweets": ["tweet.read", "tweet.write", "users.read"],
  "POST /2/media/upload": ["media.write"],
  "GET /2/media/upload": ["media.write"],
  "POST /2/media/upload/initialize": ["media.write"],
  "POST /2/media/upload/:id/append": ["media.write"],
  "POST /2/media/upload/:id/finalize": ["media.write"],
  "POST /2/media/metadata": ["media.write"],
} as const;
type Endpoint = keyof typeof endpoints;

/** X's ids contain the milliseconds since this time. */
const idEpoch = 1_288_834_974_657n;

export async function startX(clock: Clock): Promise<XStandIn> {
  const [userId, username] = ["2244994945", "atelier"];
  const tokens = createAccountTokens({
    authorizationPath: "/i/oauth2/authorize",
    requiresPkce: true,
    scopes: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  });
  const faults: XFaults = { ...createFaults(), staleReads: 0 };
  const settings = { processingPolls: 1 };
  const requests: string[] = [];

  let sequence = 0n;
  const createId = (): string => String(((BigInt(clock()) - idEpoch) << 22n) + sequence++);
  const media = createMediaStore({
    clock,
    createId,
    settings,
    takeProcessingFailure: () => takeFault(faults, "failProcessing"),
  });
  const takeStaleRead = (): boolean => takeFault(faults, "staleReads");
  const posts = createPostStore({ clock, createId, userId, username, media, takeStaleRead });

  const server = await serve(async (request) => {
    const query = request.query.toString();
    requests.push(`${request.method} ${request.path}${query ? `?${query}` : ""}`);
    if (request.method === "POST" && request.path === "/2/oauth2/token") return grantTokens(request, tokens);
    const { endpoint, id } = findEndpoint(request);
    const token = readBearer(request.headers);
    if (token === undefined || tokens.stateOf(token) !== "valid") throw unauthorized();
    if (!endpoints[endpoint].every((scope) => tokens.scopes.has(scope))) throw forbidden("Forbidden");
    return runWithFaults(faults, {
      isPublishing: endpoint === "POST /2/tweets",
      unavailable,
      rateLimited: () => ({ ...rateLimited, headers: createLimitHeaders() }),
      run: () => route(endpoint, id, request),
    });
  });

  const createLimitHeaders = (): Record<string, string> => ({
    "x-rate-limit-remaining": "0",
    "x-rate-limit-reset": String(Math.ceil(clock() / 1000) + 1),
  });

  async function route(endpoint: Endpoint, id: string, request: StandInRequest): Promise<StandInResponse> {
    switch (endpoint) {
      case "GET /2/users/me":
        return { status: 200, json: { data: { id: userId, name: "Atelier", username } } };
      case "GET /2/users/:id/tweets":
        return posts.readTimeline(id, request.query);
      case "GET /2/tweets":
        return posts.readMany(request.query);
      case "POST /2/tweets":
        return posts.create(readJson(request));
      case "POST /2/media/upload":
        return media.uploadAtOnce(request);
      case "GET /2/media/upload":
        return media.readStatus(request.query);
      case "POST /2/media/upload/initialize":
        return media.initialize(readJson(request));
      case "POST /2/media/upload/:id/append":
        return media.append(id, request);
      case "POST /2/media/upload/:id/finalize":
        return media.finalize(id);
      case "POST /2/media/metadata":
        return media.describe(readJson(request));
    }
  }

  return {
    ...server,
    posts: () =>
      posts.posts.map((post) => ({
        id: post.id,
        text: post.text,
        settings: post.settings,
        replyTo: post.replyTo,
        media: post.media.map(({ mimeType, sha256, altText }) => ({ mimeType, sha256, altText })),
      })),
    requests,
    userId,
    username,
    tokens,
    faults,
    settings,
    setMetrics: (postId, metrics) => Object.assign(posts.posts.find(({ id }) => id === postId)!.metrics, metrics),
    deletePost: (postId) =>
      void posts.posts.splice(
        posts.posts.findIndex(({ id }) => id === postId),
        1,
      ),
  };
}

function findEndpoint({ method, path }: StandInRequest): { endpoint: Endpoint; id: string } {
  const id = /^\/2\/(?:media\/upload|users)\/(\d{1,19})\//.exec(path)?.[1] ?? "";
  const endpoint = `${method} ${id ? path.replace(id, ":id") : path}`;
  if (!(endpoint in endpoints)) throw notFound();
  return { endpoint: endpoint as Endpoint, id };
}

/** Confidential clients authenticate with the `Authorization` header. */
function grantTokens(request: StandInRequest, tokens: AccountTokens): StandInResponse {
  const form = new URLSearchParams(request.body.toString());
  const credentials = Buffer.from(`${tokens.clientId}:${tokens.clientSecret}`).toString("base64");
  const isForm = readContentType(request.headers) === "application/x-www-form-urlencoded";
  if (request.headers.authorization !== `Basic ${credentials}`)
    return { status: 401, json: { error: "unauthorized_client", error_description: "Missing valid authorization" } };
  if (!isForm || !tokens.grant(form)) {
    const description = "Value passed for the token was invalid.";
    return { status: 400, json: { error: "invalid_request", error_description: description } };
  }
  const { accessToken, refreshToken, scopes } = tokens;
  const json = {
    token_type: "bearer",
    expires_in: 7200,
    access_token: accessToken,
    scope: [...scopes].join(" "),
    // "Only if the `offline.access` scope is requested".
    ...(scopes.has("offline.access") ? { refresh_token: refreshToken } : {}),
  };
  return { status: 200, json };
}
