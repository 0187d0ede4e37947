import type { Scope } from "#domain/caller.ts";

/** What a client is told that may not come in, or not this far (RFC 6750 §3, RFC 9728 §5.1). */
export interface Challenges {
  /** No bearer token was sent. */
  missingToken: string;
  /** The one that was sent is not, or no longer, good. */
  invalidToken: string;
  /** More is needed than was granted. Names what was granted too, so that asking again loses nothing. */
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

/** The token of an Authorization header (RFC 6750 §2.1); undefined where there is no bearer token at all. */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  // Anything said under the scheme counts as a token, so that a mangled one is told to be refreshed.
  return bearerPattern.exec(authorization)?.[1] ?? (/^Bearer +\S/i.test(authorization) ? "" : undefined);
}
