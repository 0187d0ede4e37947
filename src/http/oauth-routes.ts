import type { ServerResponse } from "node:http";
import type { OAuthServer } from "#auth/oauth-server.ts";
import { buildProtectedResourceMetadata, oauthPaths } from "#auth/oauth-paths.ts";
import type { RateLimitName } from "#domain/steps/rate-limit.ts";
import { AppError, edgeError, hintFor } from "#lib/errors.ts";
import { errorHints } from "./error-hints.ts";
import { createPageHandler, type PageContext } from "./pages/page-handler.ts";
import { logError, routeNotFoundError } from "./problem.ts";
import type { Handler, RequestContext, Route } from "./server.ts";

/** Discovery, client registration, authorization, token and revocation endpoints. */
export function createOAuthRoutes({ deps, limitRate }: PageContext, oauth: OAuthServer): Route[] {
  const base = deps.baseUrl;
  const withCors = (method: "GET" | "POST", handler: Handler): Handler => {
    const methodHandler = requireMethod(method, handler);
    return async (req, res, context) => {
      allowAnyOrigin(res);
      if (req.method === "OPTIONS") respondToPreflight(res, method);
      else await withOAuthErrors(res, context, () => methodHandler(req, res, context));
    };
  };
  const createLimitedHandler =
    (name: RateLimitName): Handler =>
    async (req, res) => {
      await limitRate(name, req);
      await oauth.handle(req, res);
    };
  const createRoute = (path: string, handle: Handler): Route => ({ path, originRule: "any", handle });
  const resourceMetadataHandler = withCors("GET", createDocumentHandler(buildProtectedResourceMetadata(base)));
  // Clients also try the path with the resource's path appended (RFC 8414 §3.1) and the OpenID discovery paths.
  const serverMetadataHandler = withCors("GET", (req, res) => {
    req.url = "/.well-known/oauth-authorization-server";
    return oauth.handle(req, res);
  });
  // Users open this URL in a browser, so errors are pages, and there are no CORS headers.
  const limitedAuthorizeHandler = rejectManyParams(createLimitedHandler("authorize"));
  const authorizeHandler = requireMethod("GET", createPageHandler(base, { GET: limitedAuthorizeHandler }));
  // Clients probe for documents: an unknown one is a JSON 404 that any origin can read, never the web app's page.
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
    createRoute(oauthPaths.registration, withCors("POST", createLimitedHandler("registration"))),
    createRoute(oauthPaths.token, withCors("POST", createLimitedHandler("token"))),
    createRoute(oauthPaths.revocation, withCors("POST", createLimitedHandler("token"))),
    createRoute(oauthPaths.jwks, withCors("GET", oauth.handle)),
    createRoute(oauthPaths.authorization, authorizeHandler),
    createRoute(`${oauthPaths.authorization}/*`, authorizeHandler),
    { ...createRoute("/.well-known/*", notFoundHandler), logsRest: true },
  ];
}

/** Rejects other methods with an RFC 6749 §5.2 error, before rate limits count them. */
export function requireMethod(method: "GET" | "POST", handler: Handler): Handler {
  const allow = method === "GET" ? "GET, HEAD" : "POST";
  const text = JSON.stringify({ error: "invalid_request", error_description: `use ${method}` });
  return (req, res, context) => {
    if (allow.split(", ").includes(req.method ?? "")) return handler(req, res, context);
    res.writeHead(405, { allow, "content-type": "application/json", "cache-control": "no-store" }).end(text);
  };
}

/** Far more than OAuth and OpenID Connect define. */
const maxQueryParams = 100;

/** The time that the library takes to parse a query grows with the square of the number of parameters. */
function rejectManyParams(handler: Handler): Handler {
  return (req, res, context) => {
    if ((req.url ?? "").split("&").length > maxQueryParams)
      throw edgeError("invalid_input", "The request has too many parameters.");
    return handler(req, res, context);
  };
}

/** Converts our own errors to the format that OAuth clients expect (RFC 6749 §5.2, RFC 7591 §3.2.2). */
async function withOAuthErrors(
  res: ServerResponse,
  context: RequestContext,
  handler: () => void | Promise<void>,
): Promise<void> {
  try {
    await handler();
  } catch (error) {
    if (!(error instanceof AppError) || res.headersSent) throw error;
    logError(error, context);
    const { status, message, retryAfter } = error;
    const hint = hintFor(error, errorHints);
    if (retryAfter !== undefined) res.setHeader("retry-after", retryAfter);
    const text = JSON.stringify({
      error: "temporarily_unavailable",
      error_description: [message, hint].filter(Boolean).join(" "),
    });
    res.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(text);
  }
}

export function createDocumentHandler(body: Readonly<Record<string, unknown>>): Handler {
  const text = JSON.stringify(body);
  return (_req, res) => {
    res.writeHead(200, { "content-type": "application/json", "cache-control": "public, max-age=300" }).end(text);
  };
}

/** These endpoints ignore cookies, so any origin may call them. */
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
