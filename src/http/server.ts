import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { edgeError, type AppError } from "#lib/errors.ts";
import type { IdGenerator } from "#lib/ids.ts";
import type { IpAddressSet } from "#lib/ip-address.ts";
import type { Log, RequestLogContext } from "#lib/log.ts";
import { runForOwner, type WorkOwner } from "#lib/work-owner.ts";
import { createBodyDeadlines } from "./body-deadlines.ts";
import { getClientIpKey } from "./client-ip.ts";
import { toLoggedPath } from "./logged-path.ts";
import { createGuards, setSecurityHeaders, type OriginRule, type ServerUrls } from "./guards.ts";
import type { Metrics } from "./health-routes.ts";
import { routeNotFoundError, sendProblem } from "./problem.ts";
import { limitShortChunks, stopReadingWhile } from "./short-chunks.ts";
import { createUnreadResponses, type UnreadLimits } from "./unread-responses.ts";

export interface RequestContext {
  requestId: string;
  log: Log;
  /** Fields for the request's log line, set by the route. */
  logContext?: RequestLogContext;
  /** Whether the response is a file of the web app. */
  isStaticFile?: boolean;
}

export type Handler = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => void | Promise<void>;

export interface Route {
  /** An exact path, or a prefix that ends with `/*`. Exact paths take precedence, then the first matching prefix. */
  path: string;
  originRule: OriginRule;
  /** The path below the prefix contains no token, so it may be logged. Otherwise, only the prefix is logged. */
  logsRest?: true;
  /** Accepts any Host header, for probes that use the IP address of a container. */
  allowsAnyHost?: true;
  /** Disables the body timeout, for uploads. */
  allowsLongBody?: true;
  /** The route sends `100 Continue` itself, when it is ready to read the body. */
  sends100Continue?: true;
  /** The headers that protect pages are omitted. If the route sends a page, it must set them itself. */
  isDataOnly?: true;
  handle: Handler;
}

/** How long a request body may take to arrive. */
const defaultBodyTimeoutMs = 30_000;
/** Requests that may wait for the response to an earlier one on their connection. Browsers and HTTP clients send none. */
const maxPipelinedRequests = 10;
/** How long a client may stop reading a response. The file route has its own timeout. */
const defaultResponseTimeoutMs = 30_000;

export interface HttpServer {
  nodeServer: Server;
  routes: readonly Route[];
  /** Closes each connection after its next response and makes `/readyz` respond 503. */
  startDraining(): void;
  /** For shutdown: limits how long clients may neither send nor read. Call it repeatedly, because states change. */
  limitStalls(timeoutMs: number): void;
  /** When the last request other than a probe arrived, by `performance.now()`. */
  getLastRequestAt(): number;
}

/** HTTP entry point: guards, routes, times and logs every request. */
export function createHttpServer(options: {
  routes: (isDraining: () => boolean) => readonly Route[];
  urls: ServerUrls;
  metrics: Metrics;
  newId: IdGenerator;
  log: Log;
  trustedProxies?: IpAddressSet;
  bodyTimeoutMs?: number;
  responseTimeoutMs?: number;
  unreadLimits?: UnreadLimits;
}): HttpServer {
  const { urls, metrics, newId, log, trustedProxies = { has: () => false } } = options;
  const { bodyTimeoutMs = defaultBodyTimeoutMs, responseTimeoutMs = defaultResponseTimeoutMs, unreadLimits } = options;
  const guards = createGuards(urls);
  const bodyDeadlines = createBodyDeadlines(bodyTimeoutMs);
  const unreadResponses = createUnreadResponses(responseTimeoutMs, unreadLimits);
  const isHttps = urls.base.startsWith("https:");
  let isDraining = false;
  let lastRequestAt = 0;

  const nodeServer = createServer(
    // `bodyDeadlines` limits the time of a body per route, because uploads may take hours.
    { headersTimeout: 15_000, requestTimeout: 0, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 },
    (req, res) => handleInOrder(req, res),
  );
  // The route handles `Expect: 100-continue`, so it can reject an upload before the client sends the body.
  nodeServer.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => handleInOrder(req, res, true));
  // Other expectations are ignored (RFC 9110 §10.1.1). Node would respond itself, without headers, limits and log.
  nodeServer.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) => {
    delete req.headers.expect;
    handleInOrder(req, res);
  });
  const sockets = new Set<Socket>();
  nodeServer.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  /** In the order of their requests; the server handles the first one. */
  const unfinishedRequests = new WeakMap<Socket, { res: ServerResponse; start: () => void }[]>();
  const routes = options.routes(() => isDraining);
  const findRoute = createRouteMatcher(routes);

  /** Handles pipelined requests of a connection one after another, so that it gets no more of the server than others. */
  function handleInOrder(req: IncomingMessage, res: ServerResponse, expectsContinue = false): void {
    const { socket } = req;
    const unfinished = unfinishedRequests.get(socket) ?? [];
    if (unfinished.length > maxPipelinedRequests) return void socket.destroy();
    unfinishedRequests.set(socket, unfinished);
    const start = (): void => void handleRequest(req, res, expectsContinue);
    unfinished.push({ res, start });
    const isWaiting = (): boolean => unfinished[0]?.res !== res;
    limitShortChunks(req, res, () => {
      if (isWaiting()) socket.destroy();
      else sendProblem(res, shortChunksError(), String(res.getHeader("x-request-id")), log);
    });
    // One listener for both, because `pipeline` adds seven to a response, and Node warns about more than ten.
    res.once("close", () => {
      if (isWaiting() || socket.destroyed) return;
      unfinished.shift();
      unfinished[0]?.start();
    });
    if (isWaiting()) stopReadingWhile(isWaiting, req);
    else start();
  }

  async function handleRequest(req: IncomingMessage, res: ServerResponse, expectsContinue = false): Promise<void> {
    const startedAt = performance.now();
    const requestId = newId("request");
    normalizeTarget(req, isHttps);
    const route = findRoute(req.url ?? "/");
    const context: RequestContext = { requestId, log };
    if (!route?.allowsAnyHost) lastRequestAt = startedAt;
    if (!route?.allowsLongBody) bodyDeadlines.add(req, startedAt);
    res.on("close", () => {
      bodyDeadlines.delete(req);
      if (!req.complete) bodyDeadlines.add(req, performance.now()); // the rest of a body that was answered early
      const ms = performance.now() - startedAt;
      metrics.observeRequest(route?.path ?? "none", req.method ?? "", res.statusCode, ms / 1000);
      log.request({
        requestId,
        method: req.method ?? "",
        path: toLoggedPath(req.url ?? "", route, context.isStaticFile),
        status: res.statusCode,
        ms: Math.round(ms * 10) / 10,
        isDisconnected: !res.writableFinished,
        context: context.logContext,
        isStaticFile: context.isStaticFile,
        isProbe: route?.allowsAnyHost,
      });
    });
    setSecurityHeaders(res, isHttps, route?.isDataOnly);
    res.setHeader("x-request-id", requestId);
    if (isDraining) res.setHeader("connection", "close");
    try {
      if (!route) throw routeNotFoundError();
      if (!route.allowsAnyHost) guards.checkHost(req);
      guards.checkOrigin(req, route.originRule);
      if (expectsContinue && !route.sends100Continue) res.writeContinue();
      const getUserOrIp = (): string => context.logContext?.userId ?? getClientIpKey(req, trustedProxies);
      await runForOwner(createOwner(req, context, getUserOrIp), () => route.handle(req, res, context));
      unreadResponses.add(res, getUserOrIp);
    } catch (error) {
      sendProblem(res, error, requestId, log);
    }
  }

  function limitStalls(timeoutMs: number): void {
    for (const socket of sockets) {
      const response = unfinishedRequests.get(socket)?.[0]?.res;
      const waitsForServer = response?.req.complete === true && !response.writableEnded;
      // Node restarts this timeout when the client sends or reads, and closes the connection when it ends.
      if (!waitsForServer && socket.timeout !== timeoutMs) socket.setTimeout(timeoutMs);
      else if (waitsForServer && socket.timeout === timeoutMs) socket.setTimeout(0);
    }
  }

  return {
    nodeServer,
    routes,
    startDraining: () => void (isDraining = true),
    limitStalls,
    getLastRequestAt: () => lastRequestAt,
  };
}

const shortChunksError = (): AppError =>
  edgeError("invalid_input", "The chunks of the request body are too short. Send the body in longer ones.");

/** The user, once the route knows who it is. */
function createOwner({ headers }: IncomingMessage, context: RequestContext, getUserOrIp: () => string): WorkOwner {
  const credential = String(headers.authorization ?? headers.cookie ?? headers["upload-token"]);
  return {
    get key() {
      return context.logContext?.userId ?? credential;
    },
    get group() {
      return getUserOrIp();
    },
  };
}

/**
 * Normalizes the host: lower case, without the default port (RFC 9110 §4.2.3).
 * An absolute request target overrides the Host header (RFC 9112 §3.2.2).
 */
function normalizeTarget(req: IncomingMessage, isHttps: boolean): void {
  const [, absoluteHost, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(req.url ?? "") ?? [];
  if (absoluteHost !== undefined) req.url = path.startsWith("/") ? path : `/${path}`;
  const host = absoluteHost ?? req.headers.host;
  if (host !== undefined) req.headers.host = host.toLowerCase().replace(isHttps ? /:443$/ : /:80$/, "");
}

function createRouteMatcher(routes: readonly Route[]): (url: string) => Route | undefined {
  const exactRoutes = new Map(routes.filter(({ path }) => !path.endsWith("/*")).map((route) => [route.path, route]));
  const prefixRoutes = routes
    .filter(({ path }) => path.endsWith("/*"))
    .map((route) => ({ route, prefix: route.path.slice(0, -1) }));
  return (url) => {
    const queryStart = url.indexOf("?");
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    return exactRoutes.get(path) ?? prefixRoutes.find(({ prefix }) => path.startsWith(prefix))?.route;
  };
}
