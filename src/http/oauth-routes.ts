import type { IncomingMessage, ServerResponse } from "node:http";
import type { OAuthServer } from "#auth/oauth-server.ts";
import { oauthPaths } from "#auth/provider.ts";
import { protectedResourceMetadata } from "#auth/resource-metadata.ts";
import type { RateLimit } from "#domain/access/rate-limit.ts";
import type { Handler, Route } from "./server.ts";

export interface OAuthParts {
  oauth: OAuthServer;
  base: string;
  /** Throws once an address asks too often. */
  limit: (name: RateLimit, req: IncomingMessage) => Promise<void>;
}

/** Everything a client needs to find us, register, and get, renew and end its tokens. */
export function oauthRoutes({ oauth, base, limit }: OAuthParts): Route[] {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    allowAnyPage(res);
    await oauth.serve(req, res);
  };
  const limited =
    (name: RateLimit): Handler =>
    async (req, res) => {
      if (answerPreflight(req, res, "POST")) return;
      await limit(name, req);
      await serve(req, res);
    };
  const at = (path: string, handle: Handler): Route => ({ path, origin: "any", handle });
  const resource = document(protectedResourceMetadata(base));
  // Clients probe the path with the resource's own appended (RFC 8414 §3.1), and OpenID's for the same document.
  const server: Handler = (req, res) => {
    if (answerPreflight(req, res, "GET")) return;
    req.url = "/.well-known/oauth-authorization-server";
    return serve(req, res);
  };
  return [
    at("/.well-known/oauth-protected-resource", resource),
    at("/.well-known/oauth-protected-resource/mcp", resource),
    at("/.well-known/oauth-authorization-server", server),
    at("/.well-known/oauth-authorization-server/mcp", server),
    at("/.well-known/openid-configuration", server),
    at("/.well-known/openid-configuration/mcp", server),
    at("/mcp/.well-known/openid-configuration", server),
    at(oauthPaths.registration, limited("registration")),
    at(oauthPaths.token, limited("token")),
    at(oauthPaths.revocation, limited("token")),
    at(oauthPaths.jwks, serve),
    at(oauthPaths.authorization, limited("authorize")),
    at(`${oauthPaths.authorization}/*`, limited("authorize")),
  ];
}

function document(body: Record<string, unknown>): Handler {
  const text = JSON.stringify(body);
  return (req, res) => {
    if (answerPreflight(req, res, "GET")) return;
    allowAnyPage(res);
    res.writeHead(200, { "content-type": "application/json", "cache-control": "public, max-age=300" }).end(text);
  };
}

/** Nothing here rides on a cookie, so any page may read it. */
function allowAnyPage(res: ServerResponse): void {
  res.setHeader("access-control-allow-origin", "*");
  res.setHeader("access-control-expose-headers", "WWW-Authenticate");
  res.setHeader("cross-origin-resource-policy", "cross-origin");
}

function answerPreflight(req: IncomingMessage, res: ServerResponse, methods: string): boolean {
  if (req.method !== "OPTIONS") return false;
  allowAnyPage(res);
  res
    .writeHead(204, {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
      "access-control-max-age": "3600",
    })
    .end();
  return true;
}
