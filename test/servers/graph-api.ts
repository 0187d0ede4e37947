import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { days, toIsoTime, type Clock } from "#lib/clock.ts";
import { takeFault } from "./http-stand-in.ts";

/**
 * What the stand-ins for Facebook Pages, Instagram and Threads have in common: parameters, access tokens, error bodies,
 * rate limits and faults of the Graph API. Written from the documentation only, read on 2026-11-16:
 *
 * - https://developers.facebook.com/docs/graph-api/guides/error-handling
 * - https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 * - https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived
 *
 * The documentation gives no HTTP status for most error codes. By default, the stand-ins use 400, the status on
 * the Instagram error codes page. This includes rate limits, whose status a test can change.
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

/** Faults that tests inject. Each counter applies to the next n requests of its kind and counts down. */
export interface GraphFaults {
  /** Requests that make a post public: do the work, then close the connection without a response. */
  dropPublishResponses: number;
  /** Requests that make a post public: do the work, then respond with 503. */
  failPublishResponses: number;
  /** Requests that make a post public: close the connection without doing the work. */
  dropPublishRequests: number;
  unavailablePublishes: number;
  rateLimitedPublishes: number;
  unavailableRequests: number;
  rateLimitedRequests: number;
  /** Media: accept it, then fail to process it. Facebook rejects a photo at once, as if it were invalid. */
  failProcessing: number;
}

export interface RateLimit {
  code: 4 | 17 | 32 | 613 | 80001 | 80002;
  status: number;
  /** `estimated_time_to_regain_access` in `X-Business-Use-Case-Usage`, in minutes. */
  minutes: number;
}

export interface RequestRecord {
  method: string;
  path: string;
  /** Undefined if the connection was closed without a response. */
  status: number | undefined;
}

export interface GraphServer {
  origin: string;
  faults: GraphFaults;
  rateLimit: RateLimit;
  requests: RequestRecord[];
  tokens: AccessTokens;
  close(): Promise<void>;
}

export interface GraphServerOptions {
  clock: Clock;
  /** The only version that a path may contain; any version if undefined. Paths without a version are allowed. */
  version: string | undefined;
  /** The account and type in `X-Business-Use-Case-Usage`. */
  usage: { accountId: string; type: "pages" | "instagram" | "threads" };
  rateLimitCode: RateLimit["code"];
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

export async function startGraphServer(options: GraphServerOptions): Promise<GraphServer> {
  const server = createServer((req, res) => void serve(req, res));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const graph: GraphServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: {
      dropPublishResponses: 0,
      failPublishResponses: 0,
      dropPublishRequests: 0,
      unavailablePublishes: 0,
      rateLimitedPublishes: 0,
      unavailableRequests: 0,
      rateLimitedRequests: 0,
      failProcessing: 0,
    },
    rateLimit: { code: options.rateLimitCode, status: 400, minutes: 1 },
    requests: [],
    tokens: createAccessTokens(options.clock),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const record: RequestRecord = {
      method: req.method ?? "",
      path: (req.url ?? "").split("?", 1)[0] ?? "",
      status: undefined,
    };
    graph.requests.push(record);
    const respond = (status: number, body: object, headers: Record<string, string> = {}): void => {
      record.status = status;
      res.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
      res.end(JSON.stringify(body));
    };
    try {
      const request = await readRequest(req, options.version);
      const isPublish = options.isPublishRequest(request);
      if (isPublish && takeFault(graph.faults, "dropPublishRequests")) return void req.socket.destroy();
      throwInjectedFault(isPublish);
      const body = await options.handle(request);
      if (isPublish && takeFault(graph.faults, "dropPublishResponses")) return void req.socket.destroy();
      if (isPublish && takeFault(graph.faults, "failPublishResponses")) throw serviceUnavailable();
      respond(200, body);
    } catch (error) {
      if (error instanceof GraphError) return respond(error.status, toErrorBody(error), usageHeaders(error));
      respond(500, toErrorBody(new GraphError(`The stand-in failed: ${String(error)}`, 1)));
    }
  }

  function throwInjectedFault(isPublish: boolean): void {
    const { faults, rateLimit } = graph;
    if (takeFault(faults, "unavailableRequests") || (isPublish && takeFault(faults, "unavailablePublishes")))
      throw serviceUnavailable();
    if (takeFault(faults, "rateLimitedRequests") || (isPublish && takeFault(faults, "rateLimitedPublishes")))
      throw new GraphError(
        `(#${rateLimit.code}) ${rateLimitMessages[rateLimit.code]}`,
        rateLimit.code,
        {},
        rateLimit.status,
      );
  }

  function usageHeaders({ details }: GraphError): Record<string, string> {
    if (!Object.hasOwn(rateLimitMessages, String(details["code"]))) return {};
    const usage = { call_count: 100, total_time: 25, total_cputime: 25 };
    const { accountId, type } = options.usage;
    const businessUsage = { type, ...usage, estimated_time_to_regain_access: graph.rateLimit.minutes };
    return {
      "x-app-usage": JSON.stringify(usage),
      "x-business-use-case-usage": JSON.stringify({ [accountId]: [businessUsage] }),
    };
  }

  return graph;
}

const serviceUnavailable = (): GraphError => new GraphError("(#2) Service temporarily unavailable", 2, {}, 503);

const rateLimitMessages: Record<RateLimit["code"], string> = {
  4: "Application request limit reached",
  17: "User request limit reached",
  32: "Page request limit reached",
  613: "Calls to this api have exceeded the rate limit.",
  80001: "There have been too many calls to this Page account. Wait a bit and try again.",
  80002: "There have been too many calls to this Instagram account. Wait a bit and try again.",
};

const toErrorBody = ({ message, details }: GraphError): object => ({
  error: { message, type: "OAuthException", ...details, fbtrace_id: randomBytes(9).toString("base64url") },
});

async function readRequest(req: IncomingMessage, version: string | undefined): Promise<GraphRequest> {
  const url = new URL(req.url ?? "", "http://127.0.0.1");
  const [, requestedVersion, path = ""] = /^\/(?:(v\d+\.\d+)\/)?(.*?)\/?$/.exec(url.pathname) ?? [];
  if (version !== undefined && requestedVersion !== undefined && requestedVersion !== version)
    throw new GraphError(`(#2500) Unknown path components: /${requestedVersion}`, 2500);

  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const params = new Map(url.searchParams);
  const files: File[] = [];
  await readBody(Buffer.concat(chunks), req.headers["content-type"] ?? "", params, files);

  const header = /^Bearer (\S+)$/.exec(req.headers.authorization ?? "")?.[1];
  const token = params.get("access_token");
  if (header !== undefined && token !== undefined && header !== token)
    throw invalidParameter("The access tokens in the header and in the parameters differ");
  return {
    method: req.method ?? "",
    segments: path.split("/").map(decodeURIComponent),
    params,
    files,
    token: header ?? token,
  };
}

async function readBody(body: Buffer, contentType: string, params: Map<string, string>, files: File[]): Promise<void> {
  if (body.length === 0) return;
  if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/.test(contentType)) {
    const request = new Request("http://127.0.0.1", {
      method: "POST",
      body: new Uint8Array(body),
      headers: { "content-type": contentType },
    });
    for (const [name, value] of await request.formData()) {
      if (typeof value === "string") params.set(name, value);
      else files.push(value);
    }
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
