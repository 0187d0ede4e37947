import type { IncomingMessage, ServerResponse } from "node:http";
import type { OAuthServer } from "#auth/oauth-server.ts";
import { oauthPaths } from "#auth/oauth-paths.ts";
import { protectedResourceMetadata } from "#auth/resource-metadata.ts";
import type { RateLimit } from "#domain/access/rate-limit.ts";
import { AppError } from "#lib/errors.ts";
import { pageHandler } from "./pages/page-handler.ts";
import { nothingHere } from "./problem.ts";
import type { Handler, Route } from "./server.ts";

export interface OAuthParts {
  oauth: OAuthServer;
  base: string;
  /** Throws once an address asks too often. */
  limit: (name: RateLimit, req: IncomingMessage) => Promise<void>;
}

/** Everything a client needs to find us, register, and get, renew and end its tokens. */
export function oauthRoutes({ oauth, base, limit }: OAuthParts): Route[] {
  const open = (method: "GET" | "POST", work: Handler): Handler => {
    const only = onlyBy(method, work);
    return async (req, res, context) => {
      allowAnyPage(res);
      if (req.method === "OPTIONS") answerPreflight(res, method);
      else await inOAuthWords(res, () => only(req, res, context));
    };
  };
  const limited =
    (...names: RateLimit[]): Handler =>
    async (req, res) => {
      for (const name of names) await limit(name, req);
      await oauth.serve(req, res);
    };
  const at = (path: string, handle: Handler): Route => ({ path, origin: "any", handle });
  const resource = open("GET", document(protectedResourceMetadata(base)));
  // Clients probe the path with the resource's own appended (RFC 8414 §3.1), and OpenID's for the same document.
  const server = open("GET", (req, res) => {
    req.url = "/.well-known/oauth-authorization-server";
    return oauth.serve(req, res);
  });
  // A person is on the way here: what fails is told on a page, and no script of another origin reads the answer.
  const authorize = onlyBy("GET", pageHandler(base, { GET: limited("authorize") }));
  // Clients probe for documents; one that is not there is a JSON 404 that any page can read, never the web app's page.
  const nothing: Handler = (req, res) => {
    allowAnyPage(res);
    if (req.method === "OPTIONS") return answerPreflight(res, "GET");
    throw nothingHere();
  };
  return [
    at("/.well-known/oauth-protected-resource", resource),
    at("/.well-known/oauth-protected-resource/mcp", resource),
    at("/.well-known/oauth-authorization-server", server),
    at("/.well-known/oauth-authorization-server/mcp", server),
    at("/.well-known/openid-configuration", server),
    at("/.well-known/openid-configuration/mcp", server),
    at("/mcp/.well-known/openid-configuration", server),
    at(oauthPaths.registration, open("POST", limited("registration", "registrationSite"))),
    at(oauthPaths.token, open("POST", limited("token"))),
    at(oauthPaths.revocation, open("POST", limited("token"))),
    at(oauthPaths.jwks, open("GET", oauth.serve)),
    at(oauthPaths.authorization, authorize),
    at(`${oauthPaths.authorization}/*`, authorize),
    at("/.well-known/*", nothing),
  ];
}

/** Any other method is told which one it is, in the words of RFC 6749 §5.2, and counts against no limit. */
function onlyBy(method: "GET" | "POST", work: Handler): Handler {
  const allow = method === "GET" ? "GET, HEAD" : "POST";
  const text = JSON.stringify({ error: "invalid_request", error_description: `use ${method} at this address` });
  return (req, res, context) => {
    if (allow.split(", ").includes(req.method ?? "")) return work(req, res, context);
    res.writeHead(405, { allow, "content-type": "application/json", "cache-control": "no-store" }).end(text);
  };
}

/** What the door refuses, in the words that clients read at these addresses (RFC 6749 §5.2, RFC 7591 §3.2.2). */
async function inOAuthWords(res: ServerResponse, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
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

function document(body: Record<string, unknown>): Handler {
  const text = JSON.stringify(body);
  return (_req, res) => {
    res.writeHead(200, { "content-type": "application/json", "cache-control": "public, max-age=300" }).end(text);
  };
}

/** Nothing here rides on a cookie, so any page may read it. */
function allowAnyPage(res: ServerResponse): void {
  res.setHeader("access-control-allow-origin", "*");
  res.setHeader("access-control-expose-headers", "WWW-Authenticate, Retry-After");
  res.setHeader("cross-origin-resource-policy", "cross-origin");
}

function answerPreflight(res: ServerResponse, method: string): void {
  res
    .writeHead(204, {
      "access-control-allow-methods": method,
      "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
      "access-control-max-age": "3600",
    })
    .end();
}
