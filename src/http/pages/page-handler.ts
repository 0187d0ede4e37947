import type { IncomingMessage, ServerResponse } from "node:http";
import { renderError } from "#lib/errors.ts";
import { renderErrorPage, sendPage } from "./page.ts";
import type { Handler, RequestContext } from "../server.ts";
import { errorHints } from "../error-hints.ts";
import { routeNotFoundError } from "../problem.ts";

export type PageMethods = Partial<
  Record<"GET" | "POST", (req: IncomingMessage, res: ServerResponse, context: RequestContext) => void | Promise<void>>
>;

/**
 * Pages that need no script, a function a method; HEAD is answered as GET. Whatever fails is told on a page too.
 * On loopback a page asked for under another name (127.0.0.1 for localhost) is sent to the one where cookies live.
 */
export function createPageHandler(base: string, methods: PageMethods): Handler {
  const { host } = new URL(base);
  return async (req, res, context) => {
    try {
      const handle = methods[(req.method === "HEAD" ? "GET" : req.method) as keyof PageMethods];
      if (!handle) throw routeNotFoundError();
      if (req.method !== "POST" && req.headers.host !== host) {
        res.writeHead(307, { location: `${base}${req.url}`, "cache-control": "no-store" }).end();
        return;
      }
      await handle(req, res, context);
    } catch (error) {
      if (res.headersSent) throw error;
      const { status, view, isExpected, retryAfter } = renderError(error, context.requestId, errorHints);
      if (!isExpected) context.log.error({ requestId: context.requestId, err: error }, "unexpected failure");
      if (retryAfter !== undefined) res.setHeader("retry-after", retryAfter);
      sendPage(res, renderErrorPage({ status, title: getErrorTitle(status), message: view.message, hint: view.hint }));
    }
  };
}

function getErrorTitle(status: number): string {
  const titles: Record<number, string> = { 403: "Not allowed", 404: "Not found", 429: "Too many attempts" };
  return titles[status] ?? (status < 500 ? "That did not work" : "Something is wrong on our side");
}

/** The address of a page without its query: where its form goes. */
export function getPath(req: IncomingMessage): string {
  return (req.url ?? "").split("?", 1)[0] ?? "";
}

/** After a form: the next page, asked for with GET (RFC 9110 §15.4.4). */
export function redirectSeeOther(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, "cache-control": "no-store" }).end();
}
