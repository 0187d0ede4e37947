import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import { edgeError } from "#lib/errors.ts";
import type { RequestAbout } from "#lib/request-facts.ts";
import type { Handler } from "../server.ts";

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
