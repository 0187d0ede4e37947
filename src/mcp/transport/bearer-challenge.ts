import type { Scope } from "#domain/caller.ts";

/** `WWW-Authenticate` values for 401 and 403 (RFC 6750 §3, RFC 9728 §5.1). */
export interface Challenges {
  missingToken: string;
  /** The token is unknown, expired or revoked. */
  invalidToken: string;
  /** Includes the granted scopes, so that a new authorization does not lose them. */
  insufficientScope(requiredScope: Scope, grantedScopes: readonly Scope[]): string;
}

export function createChallenges(base: string): Challenges {
  const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource"`;
  return {
    missingToken: `Bearer ${metadata}`,
    invalidToken: `Bearer error="invalid_token", error_description="The access token is unknown, expired or revoked", ${metadata}`,
    insufficientScope: (requiredScope, grantedScopes) =>
      `Bearer error="insufficient_scope", scope="${[...grantedScopes, requiredScope].join(" ")}", ${metadata}`,
  };
}

const bearerPattern = /^Bearer +([\w.~+/-]{1,4096}={0,2})$/i;

/** Returns the bearer token of an Authorization header (RFC 6750 §2.1), or undefined if it has none. */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  // Treat a malformed token as invalid, not as missing, so that the client refreshes it.
  return bearerPattern.exec(authorization)?.[1] ?? (/^Bearer +\S/i.test(authorization) ? "" : undefined);
}
