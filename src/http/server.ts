import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { NewId } from "#lib/ids.ts";
import { loggedPath, type Log } from "#lib/log.ts";
import type { RequestAbout } from "#lib/request-facts.ts";
import { createGuards, type Addresses, type OriginRule } from "./guards.ts";
import type { Metrics } from "./metrics.ts";
import { nothingHere, sendProblem } from "./problem.ts";
import { setSecurityHeaders } from "./security-headers.ts";

export interface RequestContext {
  requestId: string;
  log: Log;
  /** For the request's log line. A route fills it in. */
  about?: RequestAbout;
  /** Set where the response is a file of the web app. */
  isStaticFile?: boolean;
}

export type Handler = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => void | Promise<void>;

export interface Route {
  /** An exact path, or everything below it where it ends with `/*`. The first that fits is taken. */
  path: string;
  origin: OriginRule;
  /** Also for probes that know us by another name, such as a container's address. */
  anyHost?: true;
  /** The body may take as long as it keeps coming: uploads. */
  longBody?: true;
  /** The route itself says `100 Continue` to who asks, once it wants the body. */
  saysContinue?: true;
  /** Answers data and never a page: what protects pages is not sent along. */
  dataOnly?: true;
  handle: Handler;
}

/** A body that has not arrived by then is not going to. */
const bodyDeadlineMs = 30_000;
/** An answer that was not taken by then is held open, not read. Files are sent by a route that has its own patience. */
const mostAnswerMs = 60_000;

export interface Edge {
  server: Server;
  routes: readonly Route[];
  /** From now on every answer asks its client to leave, and `/readyz` says no. */
  startDraining(): void;
  /** When the last request came that was more than a probe, by `performance.now()`. */
  lastArrival(): number;
}

/** The door: every request passes here, is checked, handed to its route, timed and logged, once. */
export function createEdge(parts: {
  routes: (isDraining: () => boolean) => readonly Route[];
  addresses: Addresses;
  metrics: Metrics;
  newId: NewId;
  log: Log;
  answerDeadlineMs?: number;
}): Edge {
  const { addresses, metrics, newId, log, answerDeadlineMs = mostAnswerMs } = parts;
  const guards = createGuards(addresses);
  const https = addresses.base.startsWith("https:");
  let draining = false;
  let lastArrival = 0;

  const server = createServer(
    // Bodies have their own deadline below: uploads may take hours, everything else may not.
    { headersTimeout: 15_000, requestTimeout: 0, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 },
    (req, res) => void serve(req, res),
  );
  // A sender that asks before it sends a large body is answered by the route, so that a no costs it nothing.
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => void serve(req, res, true));
  const routes = parts.routes(() => draining);
  const find = createMatcher(routes);

  async function serve(req: IncomingMessage, res: ServerResponse, asksToContinue = false): Promise<void> {
    const started = performance.now();
    const requestId = newId("request");
    readTarget(req, https);
    const route = find(req.url ?? "/");
    const context: RequestContext = { requestId, log };
    if (!route?.anyHost) lastArrival = started;
    let unread: NodeJS.Timeout | undefined;
    const deadline = route?.longBody ? undefined : limitBody(req);
    res.on("close", () => {
      clearTimeout(deadline);
      clearTimeout(unread);
      const ms = performance.now() - started;
      metrics.observeRequest(route?.path ?? "none", req.method ?? "", res.statusCode, ms / 1000);
      log.request({
        requestId,
        method: req.method ?? "",
        path: route && req.url === route.path ? route.path : loggedPath(req.url ?? ""),
        status: res.statusCode,
        ms: Math.round(ms * 10) / 10,
        cut: !res.writableFinished,
        about: context.about,
        isStaticFile: context.isStaticFile,
      });
    });
    setSecurityHeaders(res, https, route?.dataOnly);
    res.setHeader("x-request-id", requestId);
    if (draining) res.setHeader("connection", "close");
    try {
      if (!route) throw nothingHere();
      if (!route.anyHost) guards.checkHost(req);
      guards.checkOrigin(req, route.origin);
      if (asksToContinue && !route.saysContinue) res.writeContinue();
      await route.handle(req, res, context);
      if (res.writableEnded && req.socket.writableLength > 0)
        unread = setTimeout(() => res.destroy(), answerDeadlineMs);
    } catch (error) {
      sendProblem(res, error, requestId, log);
    }
  }

  return { server, routes, startDraining: () => void (draining = true), lastArrival: () => lastArrival };
}

/**
 * Whom a request is for, in one spelling: in lower case, without the port that our scheme has anyway (RFC 9110 §4.2.3).
 * It may name its whole address, which then counts in the place of Host (RFC 9112 §3.2.2).
 */
function readTarget(req: IncomingMessage, https: boolean): void {
  const [, named, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(req.url ?? "") ?? [];
  if (named !== undefined) req.url = path.startsWith("/") ? path : `/${path}`;
  const host = named ?? req.headers.host;
  if (host !== undefined) req.headers.host = host.toLowerCase().replace(https ? /:443$/ : /:80$/, "");
}

function limitBody(req: IncomingMessage): NodeJS.Timeout | undefined {
  const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
  if (!hasBody) return undefined;
  return setTimeout(() => !req.complete && req.destroy(), bodyDeadlineMs);
}

function createMatcher(routes: readonly Route[]): (url: string) => Route | undefined {
  const exact = new Map(routes.filter(({ path }) => !path.endsWith("/*")).map((route) => [route.path, route]));
  const prefixes = routes
    .filter(({ path }) => path.endsWith("/*"))
    .map((route) => ({ route, prefix: route.path.slice(0, -1) }));
  return (url) => {
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    return exact.get(path) ?? prefixes.find(({ prefix }) => path.startsWith(prefix))?.route;
  };
}
