import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono } from "hono";
import { AppError } from "#lib/errors.ts";
import type { Handler } from "../server.ts";

/** A Hono app as a route of the edge. Its answers keep the headers that the edge has set. */
export function mountApi(app: Pick<Hono<{ Bindings: HttpBindings }>, "fetch">): Handler {
  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    // Other parts of the process keep the Request and Response they know.
    overrideGlobalObjects: false,
    // Only requests that cannot be read at all come here; the app answers its own failures.
    errorHandler: () => {
      throw new AppError("invalid_input", "The address of this request cannot be read.");
    },
  });
  return (req: IncomingMessage, res: ServerResponse) => listener(req, res);
}
