import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import type { Log } from "#lib/log.ts";
import { routeNotFoundError, toProblem } from "../problem.ts";

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
