import type { Authenticator } from "#domain/model/authentication.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";

/** Longer than any token that we issue; longer ones are rejected without hashing. */
const maxTokenLength = 200;

/** Resolves a bearer token in one query, and updates the grant's last-used time at most once a minute. */
export function createAuthenticator(
  deps: Pick<Deps, "tokens" | "grants" | "clock" | "baseUrl">,
  log: Log,
): Authenticator {
  const audience = `${deps.baseUrl}/mcp`;
  return async (token, sessionStudioId) => {
    if (token.length > maxTokenLength) return undefined;
    const now = deps.clock();
    const resolvedToken = await deps.tokens.resolve(sha256(token), audience, sessionStudioId, now);
    if (!resolvedToken) return undefined;
    if (resolvedToken.lastUsedAt === null || resolvedToken.lastUsedAt <= now - minutes(1)) {
      // Not awaited: a slow or failed update must not affect the call.
      deps.grants
        .touch(resolvedToken.authentication.grantId, now)
        .catch((error: unknown) => log.warn({ err: error }, "could not update a grant's last-used time"));
    }
    return resolvedToken.authentication;
  };
}
