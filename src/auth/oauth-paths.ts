/** Where the authorization server answers, below `{base}`. */
export const oauthPaths = {
  authorization: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  registration: "/api/auth/mcp/register",
  revocation: "/api/auth/oauth2/revoke",
  jwks: "/api/auth/jwks",
} as const;

/** Names that clients use for `{base}/mcp`, our only resource; the first is its own. */
export function resourceSpellings(base: string): readonly string[] {
  return [`${base}/mcp`, `${base}/mcp/`, base, `${base}/`];
}
