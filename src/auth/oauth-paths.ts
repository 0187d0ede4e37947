import type { Provider } from "oidc-provider";
import { scopes } from "#domain/caller.ts";

/** Paths of the authorization server below `{base}`. */
export const oauthPaths = {
  authorization: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  registration: "/api/auth/mcp/register",
  revocation: "/api/auth/oauth2/revoke",
  jwks: "/api/auth/jwks",
} as const;

/** The URIs that clients use for `{base}/mcp`, our only resource. The first is canonical. */
export function listResourceAliases(base: string): readonly string[] {
  return [`${base}/mcp`, `${base}/mcp/`, base, `${base}/`];
}

/** Maps aliases of our resource to its canonical URI; scheme and host may have any case. Keeps other URIs. */
export function canonicalizeResource(base: string, resource: string): string {
  const aliases = listResourceAliases(base);
  return URL.canParse(resource) && aliases.includes(new URL(resource).href) ? `${base}/mcp` : resource;
}

/** RFC 9728 metadata of `{base}/mcp`. `offline_access` is a scope of the authorization server, not of the resource. */
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
 * By default the library derives its URLs and the `Secure` attribute of its cookies from the request.
 * Derive them from the config instead, and ignore the Host and forwarded headers.
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
