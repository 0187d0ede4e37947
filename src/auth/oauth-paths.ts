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
