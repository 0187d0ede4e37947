import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import { matchedRoutes } from "hono/route";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sign-in.ts";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { WebUser } from "#domain/access/sessions.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { PageFeed } from "#domain/subscriptions/page-feed.ts";
import { edgeError } from "#lib/errors.ts";
import type { Log, RequestLogContext } from "#lib/log.ts";
import type { StreamSlots } from "#mcp/subscriptions/stream-slots.ts";
import { respondWithProblem } from "../files/file-put.ts";
import { routeNotFoundError, toProblem } from "../problem.ts";
import type { Handler } from "../server.ts";

export interface ApiOptions {
  deps: Deps;
  sessions: Pick<Sessions, "find">;
  pageFeed: PageFeed;
  streamSlots: StreamSlots;
  /** Counts a user's request. */
  checkCallLimit: CallLimitCheck;
  log: Log;
  /** Whether users sign in at the built-in dev issuer. */
  isDevelopment: boolean;
  /** Whether users can link accounts of their company. */
  canLinkAccounts: boolean;
  stallTimeoutMs: number;
}

export interface ReadAuthority {
  /** Reads again who the caller is and what they may do, because that may change until the whole body has arrived. */
  readAuthority: () => Promise<void>;
}

/** A request from a signed-in user. */
export interface SignedInEnv {
  Bindings: ApiBindings;
  Variables: WebUser & ReadAuthority;
}

/** A request from a signed-in user within one of their studios. */
export interface StudioEnv {
  Bindings: ApiBindings;
  Variables: SignedInEnv["Variables"] & { caller: Caller };
}

/** Converts errors thrown in a Hono app to problem documents. */
export function createErrorHandler(log: Log): (error: unknown, c: Context) => Response {
  return (error, c) => {
    const { incoming, outgoing } = c.env as HttpBindings;
    // The HTTP server sets this header before it calls the route.
    const requestId = String(outgoing.getHeader("x-request-id"));
    if (outgoing.headersSent) {
      respondWithProblem(incoming, outgoing, error, { requestId, log });
      return RESPONSE_ALREADY_SENT;
    }
    const { status, headers, body } = toProblem(error, requestId, log);
    return new Response(JSON.stringify(body), { status, headers });
  };
}

/** Throws `not_found` for an unknown path. Call it before authentication, so that the response is 404, not 401. */
export function assertRouteExists(c: Context): void {
  if (matchedRoutes(c).every(({ method }) => method === "ALL")) throw routeNotFoundError();
}

export interface ApiBindings extends HttpBindings {
  /** Fields for the request's log line. */
  logContext: RequestLogContext;
}

/** Adapts a Hono app to a request handler. Responses keep the headers that the HTTP server has set. */
export function mountApi(app: Pick<Hono<{ Bindings: ApiBindings }>, "fetch">): Handler {
  const logContexts = new WeakMap<object, RequestLogContext>();
  const withLogContext = <B extends { incoming: object }>(bindings: B) => ({
    ...bindings,
    logContext: logContexts.get(bindings.incoming) ?? {},
  });
  const listener = getRequestListener((request, bindings) => app.fetch(request, withLogContext(bindings)), {
    // Keep the global Request and Response for other parts of the process.
    overrideGlobalObjects: false,
    // Called only for requests that cannot be parsed; the app handles its own errors.
    errorHandler: () => {
      throw edgeError("invalid_input", "The URL of this request is not valid.");
    },
  });
  return (req: IncomingMessage, res: ServerResponse, context) => {
    logContexts.set(req, (context.logContext = {}));
    return listener(req, res);
  };
}
