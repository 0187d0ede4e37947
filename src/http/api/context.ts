import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { matchedRoutes } from "hono/route";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallLimitCheck } from "#domain/access/call-limiter.ts";
import type { User } from "#domain/access/ports.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { edgeError } from "#lib/errors.ts";
import type { Log, RequestAbout } from "#lib/log.ts";
import { routeNotFoundError, toProblem } from "../problem.ts";
import type { Handler } from "../server.ts";

/** The web sessions, as far as the API needs them. */
export interface SessionReader {
  /** The person behind the cookie of a request, if their session is still good. */
  find(cookieHeader: string | undefined): Promise<User | undefined>;
}

export interface ApiOptions {
  deps: Deps;
  sessions: SessionReader;
  /** Counts one request of a user. */
  countCall: CallLimitCheck;
  log: Log;
  /** Whether people sign in at the built-in development issuer. */
  isDevelopment: boolean;
}

/** A request of someone who is signed in. */
export interface SignedInEnv {
  Bindings: ApiBindings;
  Variables: { user: User };
}

/** A request of someone who is signed in, within one of their studios. */
export interface StudioEnv {
  Bindings: ApiBindings;
  Variables: { user: User; caller: Caller };
}

/** What a Hono app answers to anything that fails in it. */
export function createErrorHandler(log: Log): (error: unknown, c: Context) => Response {
  return (error, c) => {
    // The door has written it on the answer already.
    const requestId = String((c.env as HttpBindings).outgoing.getHeader("x-request-id"));
    const { status, headers, body } = toProblem(error, requestId, log);
    return new Response(JSON.stringify(body), { status, headers });
  };
}

/** An address where nothing is says so to everyone, before anybody is asked who they are. */
export function assertRouteExists(c: Context): void {
  if (matchedRoutes(c).every(({ method }) => method === "ALL")) throw routeNotFoundError();
}

export interface ApiBindings extends HttpBindings {
  /** For the request's log line. */
  about: RequestAbout;
}

/** A Hono app as a route of the edge. Its answers keep the headers that the edge has set. */
export function mountApi(app: Pick<Hono<{ Bindings: ApiBindings }>, "fetch">): Handler {
  const abouts = new WeakMap<object, RequestAbout>();
  const withAbout = <B extends { incoming: object }>(bindings: B) => ({
    ...bindings,
    about: abouts.get(bindings.incoming) ?? {},
  });
  const listener = getRequestListener((request, bindings) => app.fetch(request, withAbout(bindings)), {
    // Other parts of the process keep the Request and Response they know.
    overrideGlobalObjects: false,
    // Only requests that cannot be read at all come here; the app answers its own failures.
    errorHandler: () => {
      throw edgeError("invalid_input", "The address of this request cannot be read.");
    },
  });
  return (req: IncomingMessage, res: ServerResponse, context) => {
    abouts.set(req, (context.logContext = {}));
    return listener(req, res);
  };
}
