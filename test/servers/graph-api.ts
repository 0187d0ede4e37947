import { randomBytes } from "node:crypto";
import { days, toIsoTime, type Clock } from "#lib/clock.ts";
import {
  createFaults,
  readBearer,
  runWithFaults,
  serve,
  type Faults,
  type RunningStandIn,
  type StandInRequest,
  type StandInResponse,
} from "./http-stand-in.ts";

/**
 * What the stand-ins for Facebook Pages, Instagram and Threads have in common: parameters, access tokens, error bodies,
 * rate limits and faults of the Graph API. Written from the documentation only, read on 2026-11-16:
 *
 * - https://developers.facebook.com/docs/graph-api/guides/error-handling
 * - https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 * - https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived
 *
 * The documentation gives no HTTP status for most error codes. The stand-ins use 400, the status on the Instagram error
 * codes page, also for rate limits.
 */

export interface GraphRequest {
  method: string;
  /** The path without the version, such as `["17841", "media"]`. */
  segments: readonly string[];
  /** Query and form parameters. */
  params: ReadonlyMap<string, string>;
  files: readonly File[];
  token: string | undefined;
}

export interface RateLimit {
  /** `estimated_time_to_regain_access` in `X-Business-Use-Case-Usage`, in minutes. */
  minutes: number;
}

export interface RequestRecord {
  method: string;
  path: string;
}

export interface GraphServer extends RunningStandIn {
  faults: Faults;
  rateLimit: RateLimit;
  requests: RequestRecord[];
  tokens: AccessTokens;
}

export interface GraphServerOptions {
  clock: Clock;
  /** The only version that a path may contain; any version if undefined. Paths without a version are allowed. */
  version: string | undefined;
  /** The account and type in `X-Business-Use-Case-Usage`. */
  usage: { accountId: string; type: "pages" | "instagram" | "threads" };
  rateLimitCode: keyof typeof rateLimitMessages;
  isPublishRequest(request: GraphRequest): boolean;
  /** Returns the body of a 200 response or throws a GraphError. */
  handle(request: GraphRequest): object | Promise<object>;
}

export class GraphError extends Error {
  readonly status: number;
  readonly details: Record<string, unknown>;
  constructor(message: string, code: number, details: Record<string, unknown> = {}, status = 400) {
    super(message);
    this.status = status;
    this.details = { code, ...details };
  }
}

/** 100: Invalid parameter. The stand-ins also use it where the documentation states a rule but no error code. */
export const invalidParameter = (message: string): GraphError => new GraphError(`(#100) ${message}`, 100);

export const objectMissing = (id: string): GraphError =>
  invalidParameter(`Unsupported request. Object with ID '${id}' does not exist`);

/** A post that was deleted, or that the token may not read. */
const nodeMissing = (id: string): GraphError =>
  new GraphError(
    `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    100,
    { error_subcode: 33 },
  );

/** The insights of posts, by post and name. Meta leaves a metric out until it has a value. */
export interface Insights {
  canRead: boolean;
  values: Map<string, Record<string, unknown>>;
}

/** Reads the insights of a post (`GET /{media}/insights?metric=`). */
export function readInsights(
  request: GraphRequest,
  { canRead, values }: Insights,
  names: readonly string[],
  post: { id: string } | undefined,
): object {
  const [id = ""] = request.segments;
  checkParamNames(request, ["metric"]);
  if (!canRead) throw permissionMissing();
  const metrics = (request.params.get("metric") ?? "").split(",");
  if (!metrics.every((name) => names.includes(name)))
    throw invalidParameter(`metric must be one of the following values: ${names.join(", ")}`);
  if (!post) throw nodeMissing(id);
  const counts = values.get(id) ?? {};
  const data = metrics
    .filter((name) => counts[name] !== undefined)
    .map((name) => ({
      name,
      period: "lifetime",
      values: [{ value: counts[name] }],
      id: `${id}/insights/${name}/lifetime`,
    }));
  return { data };
}

export const permissionMissing = (): GraphError =>
  new GraphError("(#10) Application does not have permission for this action", 10);

export async function startGraphServer(options: GraphServerOptions): Promise<GraphServer> {
  const faults = createFaults();
  const requests: RequestRecord[] = [];
  const rateLimit: RateLimit = { minutes: 1 };
  const server = await serve(async (received) => {
    requests.push({ method: received.method, path: received.path });
    return respond(received).catch((error: unknown) => {
      if (error instanceof GraphError) return toResponse(error);
      throw error;
    });
  });

  async function respond(received: StandInRequest): Promise<StandInResponse | undefined> {
    const request = await readRequest(received, options.version);
    const code = options.rateLimitCode;
    return runWithFaults(faults, {
      isPublishing: options.isPublishRequest(request),
      unavailable: toResponse(new GraphError("(#2) Service temporarily unavailable", 2, {}, 503)),
      rateLimited: () => toResponse(new GraphError(`(#${code}) ${rateLimitMessages[code]}`, code)),
      run: async () => ({ status: 200, json: await options.handle(request) }),
    });
  }

  function toResponse({ message, status, details }: GraphError): StandInResponse {
    const error = { message, type: "OAuthException", ...details, fbtrace_id: randomBytes(9).toString("base64url") };
    const isRateLimit = Object.hasOwn(rateLimitMessages, String(details["code"]));
    return { status, json: { error }, ...(isRateLimit ? { headers: createUsageHeaders() } : {}) };
  }

  function createUsageHeaders(): Record<string, string> {
    const usage = { call_count: 100, total_time: 25, total_cputime: 25 };
    const { accountId, type } = options.usage;
    const businessUsage = { type, ...usage, estimated_time_to_regain_access: rateLimit.minutes };
    return {
      "x-app-usage": JSON.stringify(usage),
      "x-business-use-case-usage": JSON.stringify({ [accountId]: [businessUsage] }),
    };
  }

  return { ...server, faults, rateLimit, requests, tokens: createAccessTokens(options.clock) };
}

const rateLimitMessages = {
  4: "Application request limit reached",
  613: "Calls to this api have exceeded the rate limit.",
  80001: "There have been too many calls to this Page account. Wait a bit and try again.",
  80002: "There have been too many calls to this Instagram account. Wait a bit and try again.",
};

async function readRequest(received: StandInRequest, version: string | undefined): Promise<GraphRequest> {
  const [, requestedVersion, path = ""] = /^\/(?:(v\d+\.\d+)\/)?(.*?)\/?$/.exec(received.path) ?? [];
  if (version !== undefined && requestedVersion !== undefined && requestedVersion !== version)
    throw new GraphError(`(#2500) Unknown path components: /${requestedVersion}`, 2500);
  const params = new Map(received.query);
  const files: File[] = [];
  await readForm(received, params, files);
  const header = readBearer(received.headers);
  const token = params.get("access_token");
  if (header !== undefined && token !== undefined && header !== token)
    throw invalidParameter("The access tokens in the header and in the parameters differ");
  return {
    method: received.method,
    segments: path.split("/").map(decodeURIComponent),
    params,
    files,
    token: header ?? token,
  };
}

async function readForm({ body, headers }: StandInRequest, params: Map<string, string>, files: File[]): Promise<void> {
  if (body.length === 0) return;
  const init = { headers: { "content-type": headers["content-type"] ?? "" } };
  for (const [name, value] of await new Response(new Uint8Array(body), init).formData()) {
    if (typeof value === "string") params.set(name, value);
    else files.push(value);
  }
}

/** Parameters that every endpoint takes. */
const commonParams = ["access_token", "appsecret_proof", "fields", "locale"];

/**
 * Rejects parameters that the documentation of the endpoint does not list, and those that the stand-in does not
 * implement. The Graph API ignores unknown parameters, which would hide a misspelled name.
 */
export function checkParamNames({ params }: Pick<GraphRequest, "params">, allowed: readonly string[]): void {
  for (const name of params.keys()) {
    const base = name.replace(/\[\d+\]$/, "");
    if (!allowed.includes(base) && !commonParams.includes(base))
      throw invalidParameter(`The parameter ${name} is not documented for this endpoint or not implemented here`);
  }
}

export function readBoolean({ params }: GraphRequest, name: string, defaultValue: boolean): boolean {
  const value = params.get(name);
  if (value === undefined) return defaultValue;
  if (["true", "1"].includes(value)) return true;
  if (["false", "0"].includes(value)) return false;
  throw invalidParameter(`Param ${name} must be a boolean`);
}

export interface AccessTokens {
  issue(owner: string): string;
  /** Makes every token of the owner expire. */
  expire(owner: string): void;
  /** Returns the owner of a valid token. */
  authenticate(request: GraphRequest): string;
}

function createAccessTokens(now: Clock): AccessTokens {
  const tokens = new Map<string, { owner: string; expiresAt: number }>();
  const authenticate = ({ token }: GraphRequest): string => {
    const entry = token === undefined ? undefined : tokens.get(token);
    if (!entry) throw new GraphError("Invalid OAuth 2.0 Access Token", 190);
    if (entry.expiresAt <= now())
      throw new GraphError(
        `Error validating access token: Session has expired on ${new Date(entry.expiresAt).toUTCString()}.`,
        190,
        { error_subcode: 463 },
      );
    return entry.owner;
  };
  const issue = (owner: string): string => {
    const token = `token-${randomBytes(24).toString("base64url")}`;
    tokens.set(token, { owner, expiresAt: now() + days(60) });
    return token;
  };
  return {
    issue,
    expire: (owner) => {
      for (const entry of tokens.values()) if (entry.owner === owner) entry.expiresAt = now();
    },
    authenticate,
  };
}

type FieldTree = Map<string, FieldTree>;

/** Returns the requested fields of a node, or the default ones. Rejects fields that the node does not have. */
export function selectFields(
  node: Record<string, unknown>,
  { params }: Pick<GraphRequest, "params">,
  defaults: readonly string[],
): Record<string, unknown> {
  return pick(node, parseFields(params.get("fields") ?? defaults.join(",")));
}

function pick(node: Record<string, unknown>, tree: FieldTree): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, children] of tree) {
    if (!Object.hasOwn(node, name)) throw invalidParameter(`Tried accessing nonexisting field (${name})`);
    const value = node[name];
    if (value !== undefined) picked[name] = children.size === 0 ? value : pickNested(value, children);
  }
  return { ...picked, ...(node["id"] === undefined ? {} : { id: node["id"] }) };
}

function pickNested(value: unknown, tree: FieldTree): unknown {
  const { data } = value as { data?: Record<string, unknown>[] };
  return data ? { data: data.map((item) => pick(item, tree)) } : pick(value as Record<string, unknown>, tree);
}

function parseFields(text: string): FieldTree {
  const root: FieldTree = new Map();
  const stack: FieldTree[] = [root];
  let last: FieldTree | undefined;
  for (const [token] of text.matchAll(/[{},]|[^{},\s]+/g)) {
    const current = stack.at(-1);
    if (!current) throw invalidParameter("Syntax error in fields");
    if (token === "{") stack.push(last ?? current);
    else if (token === "}") stack.pop();
    else if (token !== ",") {
      if (!/^\w+$/.test(token)) throw invalidParameter(`Syntax error in fields: ${token}`);
      last = new Map();
      current.set(token, last);
    }
  }
  if (stack.length !== 1) throw invalidParameter("Syntax error in fields");
  return root;
}

export type ListedNode = Record<string, unknown>;

/** Returns the newest nodes, newest first. Of the documented parameters, only `limit` is implemented. */
export function listNodes(
  items: readonly ListedNode[],
  request: Pick<GraphRequest, "params">,
  defaults: readonly string[],
): object {
  const { params } = request;
  checkParamNames(request, ["limit"]);
  const limit = Number(params.get("limit") ?? 25);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw invalidParameter("limit must not exceed 100");
  const page = items.toReversed().slice(0, limit);
  return { data: page.map((node) => selectFields(node, request, defaults)) };
}

/** Such as `2019-05-17T16:24:04+0000`. */
export const formatTime = (time: number): string => toIsoTime(time).replace(/\.\d+Z$/, "+0000");
