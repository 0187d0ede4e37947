import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sign-in.ts";
import type { RateLimitName } from "#domain/steps/rate-limit.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { edgeError, renderError } from "#lib/errors.ts";
import { renderErrorPage, sendPage } from "./page.ts";
import type { Handler } from "../server.ts";
import { errorHints } from "../error-hints.ts";
import { logError, routeNotFoundError } from "../problem.ts";

/** What the routes of pages need. */
export interface PageContext {
  deps: Deps;
  sessions: Sessions;
  loginUrl: string;
  /** Throws when a client IP address exceeds the named limit. */
  limitRate: (name: RateLimitName, req: IncomingMessage) => Promise<void>;
}

export type PageHandlers = Partial<Record<"GET" | "POST", Handler>>;

/**
 * Dispatches a page request by method, with HEAD handled as GET, and renders errors as pages. Rejects forms from other
 * sites, unless the URL itself is the credential. Redirects GET requests to another host name, such as 127.0.0.1 or the upload page's, to the host of `base`:
 * cookies, and the CORS rules of the file store, are bound to it.
 */
export function createPageHandler(base: string, handlers: PageHandlers, acceptsForeignForms = false): Handler {
  const { host } = new URL(base);
  return async (req, res, context) => {
    try {
      const handle = handlers[(req.method === "HEAD" ? "GET" : req.method) as keyof PageHandlers];
      if (!handle) throw routeNotFoundError();
      if (req.method !== "POST" && req.headers.host !== host) {
        res.writeHead(307, { location: `${base}${req.url}`, "cache-control": "no-store" }).end();
        return;
      }
      if (req.method === "POST" && !acceptsForeignForms) assertNotCrossSite(req, base);
      await handle(req, res, context);
    } catch (error) {
      if (res.headersSent) throw error;
      const { status, view, retryAfter } = renderError(error, context.requestId, errorHints);
      logError(error, context);
      if (retryAfter !== undefined) res.setHeader("retry-after", retryAfter);
      sendPage(res, renderErrorPage({ status, title: getErrorTitle(status), message: view.message, hint: view.hint }));
    }
  };
}

/**
 * Rejects forms that the browser marks as cross-site. Browsers that send neither `Origin` nor `Sec-Fetch-Site`
 * are accepted, because forms that change data also contain a signed token.
 */
function assertNotCrossSite(req: IncomingMessage, base: string): void {
  const site = req.headers["sec-fetch-site"];
  const origin = req.headers.origin;
  const isCrossSite =
    (origin !== undefined && origin !== new URL(base).origin) ||
    (site !== undefined && site !== "same-origin" && site !== "none");
  if (isCrossSite) throw edgeError("forbidden", "Forms are accepted from this site’s own pages only.");
}

function getErrorTitle(status: number): string {
  const titles: Record<number, string> = {
    403: "Not allowed",
    404: "Page not found",
    410: "This link has ended",
    429: "Too many attempts",
  };
  return titles[status] ?? "Something went wrong";
}

/** Returns the path of a request, which is the action of the page's form. */
export function getPath(req: IncomingMessage): string {
  return (req.url ?? "").split("?", 1)[0] ?? "";
}

/** Redirects with GET after a form submission (RFC 9110 §15.4.4). */
export function redirectSeeOther(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, "cache-control": "no-store" }).end();
}
