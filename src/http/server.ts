import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { IdGenerator } from "#lib/ids.ts";
import { redactPath, type Log, type RequestAbout } from "#lib/log.ts";
import { createGuards, setSecurityHeaders, type OriginRule, type ServerUrls } from "./guards.ts";
import type { Metrics } from "./health-routes.ts";
import { routeNotFoundError, sendProblem } from "./problem.ts";

export interface RequestContext {
  requestId: string;
  log: Log;
  /** For the request's log line. A route fills it in. */
  logContext?: RequestAbout;
  /** Set where the response is a file of the web app. */
  isStaticFile?: boolean;
}

export type Handler = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => void | Promise<void>;

export interface Route {
  /** An exact path, or everything below it where it ends with `/*`. The first that fits is taken. */
  path: string;
  origin: OriginRule;
  /** Also for probes that know us by another name, such as a container's address. */
  allowsAnyHost?: true;
  /** The body may take as long as it keeps coming: uploads. */
  allowsLongBody?: true;
  /** The route itself says `100 Continue` to who asks, once it wants the body. */
  handlesContinue?: true;
  /** Answers data and never a page: what protects pages is not sent along. */
  isDataOnly?: true;
  handle: Handler;
}

/** A body that has not arrived by then is not going to. */
const bodyTimeoutMs = 30_000;
/** An answer that was not taken by then is held open, not read. Files are sent by a route that has its own patience. */
const defaultResponseTimeoutMs = 60_000;

export interface HttpServer {
  nodeServer: Server;
  routes: readonly Route[];
  /** From now on every answer asks its client to leave, and `/readyz` says no. */
  startDraining(): void;
  /** When the last request came that was more than a probe, by `performance.now()`. */
  getLastRequestAt(): number;
}

/** The door: every request passes here, is checked, handed to its route, timed and logged, once. */
export function createHttpServer(options: {
  routes: (isDraining: () => boolean) => readonly Route[];
  urls: ServerUrls;
  metrics: Metrics;
  newId: IdGenerator;
  log: Log;
  responseTimeoutMs?: number;
}): HttpServer {
  const {
    urls: addresses,
    metrics,
    newId,
    log,
    responseTimeoutMs: answerDeadlineMs = defaultResponseTimeoutMs,
  } = options;
  const guards = createGuards(addresses);
  const isHttps = addresses.base.startsWith("https:");
  let isDraining = false;
  let lastRequestAt = 0;

  const server = createServer(
    // Bodies have their own deadline below: uploads may take hours, everything else may not.
    { headersTimeout: 15_000, requestTimeout: 0, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 },
    (req, res) => void handleRequest(req, res),
  );
  // A sender that asks before it sends a large body is answered by the route, so that a no costs it nothing.
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => void handleRequest(req, res, true));
  const routes = options.routes(() => isDraining);
  const findRoute = createMatcher(routes);

  async function handleRequest(req: IncomingMessage, res: ServerResponse, expectsContinue = false): Promise<void> {
    const startedAt = performance.now();
    const requestId = newId("request");
    normalizeTarget(req, isHttps);
    const route = findRoute(req.url ?? "/");
    const context: RequestContext = { requestId, log };
    if (!route?.allowsAnyHost) lastRequestAt = startedAt;
    let unreadTimer: NodeJS.Timeout | undefined;
    const bodyTimer = route?.allowsLongBody ? undefined : startBodyTimer(req);
    res.on("close", () => {
      clearTimeout(bodyTimer);
      clearTimeout(unreadTimer);
      const ms = performance.now() - startedAt;
      metrics.observeRequest(route?.path ?? "none", req.method ?? "", res.statusCode, ms / 1000);
      log.request({
        requestId,
        method: req.method ?? "",
        path: route && req.url === route.path ? route.path : redactPath(req.url ?? ""),
        status: res.statusCode,
        ms: Math.round(ms * 10) / 10,
        cut: !res.writableFinished,
        about: context.logContext,
        isStaticFile: context.isStaticFile,
      });
    });
    setSecurityHeaders(res, isHttps, route?.isDataOnly);
    res.setHeader("x-request-id", requestId);
    if (isDraining) res.setHeader("connection", "close");
    try {
      if (!route) throw routeNotFoundError();
      if (!route.allowsAnyHost) guards.checkHost(req);
      guards.checkOrigin(req, route.origin);
      if (expectsContinue && !route.handlesContinue) res.writeContinue();
      await route.handle(req, res, context);
      if (res.writableEnded && req.socket.writableLength > 0)
        unreadTimer = setTimeout(() => res.destroy(), answerDeadlineMs);
    } catch (error) {
      sendProblem(res, error, requestId, log);
    }
  }

  return {
    nodeServer: server,
    routes,
    startDraining: () => void (isDraining = true),
    getLastRequestAt: () => lastRequestAt,
  };
}

/**
 * Whom a request is for, in one spelling: in lower case, without the port that our scheme has anyway (RFC 9110 §4.2.3).
 * It may name its whole address, which then counts in the place of Host (RFC 9112 §3.2.2).
 */
function normalizeTarget(req: IncomingMessage, isHttps: boolean): void {
  const [, absoluteHost, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(req.url ?? "") ?? [];
  if (absoluteHost !== undefined) req.url = path.startsWith("/") ? path : `/${path}`;
  const host = absoluteHost ?? req.headers.host;
  if (host !== undefined) req.headers.host = host.toLowerCase().replace(isHttps ? /:443$/ : /:80$/, "");
}

function startBodyTimer(req: IncomingMessage): NodeJS.Timeout | undefined {
  const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
  if (!hasBody) return undefined;
  return setTimeout(() => !req.complete && req.destroy(), bodyTimeoutMs);
}

function createMatcher(routes: readonly Route[]): (url: string) => Route | undefined {
  const exactRoutes = new Map(routes.filter(({ path }) => !path.endsWith("/*")).map((route) => [route.path, route]));
  const prefixRoutes = routes
    .filter(({ path }) => path.endsWith("/*"))
    .map((route) => ({ route, prefix: route.path.slice(0, -1) }));
  return (url) => {
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    return exactRoutes.get(path) ?? prefixRoutes.find(({ prefix }) => path.startsWith(prefix))?.route;
  };
}
