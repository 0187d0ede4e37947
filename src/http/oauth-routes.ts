import type { IncomingMessage, ServerResponse } from "node:http";
import type { OAuthServer } from "#auth/oauth-server.ts";
import { buildProtectedResourceMetadata, oauthPaths } from "#auth/oauth-paths.ts";
import type { RateLimitName } from "#domain/access/rate-limit.ts";
import { AppError } from "#lib/errors.ts";
import { createPageHandler } from "./pages/page-handler.ts";
import { routeNotFoundError } from "./problem.ts";
import type { Handler, Route } from "./server.ts";

export interface OAuthRouteOptions {
  oauth: OAuthServer;
  base: string;
  /** Throws once an address asks too often. */
  limitRate: (name: RateLimitName, req: IncomingMessage) => Promise<void>;
}

/** Everything a client needs to find us, register, and get, renew and end its tokens. */
export function createOAuthRoutes({ oauth, base, limitRate }: OAuthRouteOptions): Route[] {
  const withCors = (method: "GET" | "POST", handler: Handler): Handler => {
    const methodHandler = requireMethod(method, handler);
    return async (req, res, context) => {
      allowAnyOrigin(res);
      if (req.method === "OPTIONS") respondToPreflight(res, method);
      else await withOAuthErrors(res, () => methodHandler(req, res, context));
    };
  };
  const createLimitedHandler =
    (...names: RateLimitName[]): Handler =>
    async (req, res) => {
      for (const name of names) await limitRate(name, req);
      await oauth.handle(req, res);
    };
  const createRoute = (path: string, handle: Handler): Route => ({ path, origin: "any", handle });
  const resourceMetadataHandler = withCors("GET", createDocumentHandler(buildProtectedResourceMetadata(base)));
  // Clients probe the path with the resource's own appended (RFC 8414 §3.1), and OpenID's for the same document.
  const serverMetadataHandler = withCors("GET", (req, res) => {
    req.url = "/.well-known/oauth-authorization-server";
    return oauth.handle(req, res);
  });
  // A person is on the way here: what fails is told on a page, and no script of another origin reads the answer.
  const authorizeHandler = requireMethod("GET", createPageHandler(base, { GET: createLimitedHandler("authorize") }));
  // Clients probe for documents; one that is not there is a JSON 404 that any page can read, never the web app's page.
  const notFoundHandler: Handler = (req, res) => {
    allowAnyOrigin(res);
    if (req.method === "OPTIONS") return respondToPreflight(res, "GET");
    throw routeNotFoundError();
  };
  return [
    createRoute("/.well-known/oauth-protected-resource", resourceMetadataHandler),
    createRoute("/.well-known/oauth-protected-resource/mcp", resourceMetadataHandler),
    createRoute("/.well-known/oauth-authorization-server", serverMetadataHandler),
    createRoute("/.well-known/oauth-authorization-server/mcp", serverMetadataHandler),
    createRoute("/.well-known/openid-configuration", serverMetadataHandler),
    createRoute("/.well-known/openid-configuration/mcp", serverMetadataHandler),
    createRoute("/mcp/.well-known/openid-configuration", serverMetadataHandler),
    createRoute(oauthPaths.registration, withCors("POST", createLimitedHandler("registration", "registrationSite"))),
    createRoute(oauthPaths.token, withCors("POST", createLimitedHandler("token"))),
    createRoute(oauthPaths.revocation, withCors("POST", createLimitedHandler("token"))),
    createRoute(oauthPaths.jwks, withCors("GET", oauth.handle)),
    createRoute(oauthPaths.authorization, authorizeHandler),
    createRoute(`${oauthPaths.authorization}/*`, authorizeHandler),
    createRoute("/.well-known/*", notFoundHandler),
  ];
}

/** Any other method is told which one it is, in the words of RFC 6749 §5.2, and counts against no limit. */
function requireMethod(method: "GET" | "POST", handler: Handler): Handler {
  const allow = method === "GET" ? "GET, HEAD" : "POST";
  const text = JSON.stringify({ error: "invalid_request", error_description: `use ${method} at this address` });
  return (req, res, context) => {
    if (allow.split(", ").includes(req.method ?? "")) return handler(req, res, context);
    res.writeHead(405, { allow, "content-type": "application/json", "cache-control": "no-store" }).end(text);
  };
}

/** What the door refuses, in the words that clients read at these addresses (RFC 6749 §5.2, RFC 7591 §3.2.2). */
async function withOAuthErrors(res: ServerResponse, handler: () => void | Promise<void>): Promise<void> {
  try {
    await handler();
  } catch (error) {
    if (!(error instanceof AppError) || res.headersSent) throw error;
    const { status, message, hint, retryAfter } = error;
    if (retryAfter !== undefined) res.setHeader("retry-after", retryAfter);
    const text = JSON.stringify({
      error: "temporarily_unavailable",
      error_description: [message, hint].filter(Boolean).join(" "),
    });
    res.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(text);
  }
}

function createDocumentHandler(body: Record<string, unknown>): Handler {
  const text = JSON.stringify(body);
  return (_req, res) => {
    res.writeHead(200, { "content-type": "application/json", "cache-control": "public, max-age=300" }).end(text);
  };
}

/** Nothing here rides on a cookie, so any page may read it. */
function allowAnyOrigin(res: ServerResponse): void {
  res.setHeader("access-control-allow-origin", "*");
  res.setHeader("access-control-expose-headers", "WWW-Authenticate, Retry-After");
  res.setHeader("cross-origin-resource-policy", "cross-origin");
}

function respondToPreflight(res: ServerResponse, method: string): void {
  res
    .writeHead(204, {
      "access-control-allow-methods": method,
      "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
      "access-control-max-age": "3600",
    })
    .end();
}
