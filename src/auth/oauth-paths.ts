import type { Provider } from "oidc-provider";
import { scopes } from "#domain/caller.ts";

/** Where the authorization server answers, below `{base}`. */
export const oauthPaths = {
  authorization: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  registration: "/api/auth/mcp/register",
  revocation: "/api/auth/oauth2/revoke",
  jwks: "/api/auth/jwks",
} as const;

/** Names that clients use for `{base}/mcp`, our only resource; the first is its own. */
export function listResourceAliases(base: string): readonly string[] {
  return [`${base}/mcp`, `${base}/mcp/`, base, `${base}/`];
}

/** A name of our resource as its own; scheme and host in any case (MCP, canonical server URI). Any other as it is. */
export function canonicalizeResource(base: string, resource: string): string {
  const aliases = listResourceAliases(base);
  return URL.canParse(resource) && aliases.includes(new URL(resource).href) ? `${base}/mcp` : resource;
}

/** RFC 9728: who protects `{base}/mcp`, and what can be asked of it. `offline_access` is the server's own matter. */
export function buildProtectedResourceMetadata(base: string): Record<string, unknown> {
  return {
    resource: `${base}/mcp`,
    authorization_servers: [base],
    scopes_supported: [...scopes],
    bearer_methods_supported: ["header"],
    resource_name: "Atelier",
  };
}

/**
 * The library makes its addresses and the `Secure` of its cookies from the request's own idea of where it went.
 * Here they come from settings, whatever Host or forwarded headers say.
 */
export function pinUrls(provider: Provider, base: string): void {
  const { protocol, host } = new URL(base);
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
    href: {
      get(this: { originalUrl: string }) {
        return `${base}${this.originalUrl.startsWith("/") ? this.originalUrl : "/"}`;
      },
    },
  });
}
