import type { Authenticator } from "#domain/access/authenticator.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";

/** Longer than any token that we issue; longer ones are rejected without hashing. */
const maxTokenLength = 200;

/** Resolves a bearer token in one round trip, and updates the grant's last use at most once a minute. */
export function createAuthenticator(deps: Pick<Deps, "tokens" | "grants" | "clock" | "base">, log: Log): Authenticator {
  const audience = `${deps.base}/mcp`;
  return async (token, sessionStudioId) => {
    if (token.length > maxTokenLength) return undefined;
    const now = deps.clock();
    const resolvedToken = await deps.tokens.resolve(sha256(token), audience, sessionStudioId, now);
    if (!resolvedToken) return undefined;
    if (resolvedToken.lastUsedAt === null || resolvedToken.lastUsedAt <= now - minutes(1)) {
      // Not awaited: the call neither waits for this update nor fails with it.
      deps.grants
        .touch(resolvedToken.authentication.grantId, now)
        .catch((error: unknown) => log.warn({ err: error }, "could not record the last use of a grant"));
    }
    return resolvedToken.authentication;
  };
}
