import type { Authenticator } from "#domain/access/authenticator.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";

/** Longer than any token of ours, and shorter than anything worth hashing. */
const maxTokenLength = 200;

/** From bearer token to who acts, in one round trip; and, at most once a minute, a note that the grant was used. */
export function createAuthenticator(deps: Pick<Deps, "tokens" | "grants" | "clock" | "base">, log: Log): Authenticator {
  const audience = `${deps.base}/mcp`;
  return async (token, sessionStudioId) => {
    if (token.length > maxTokenLength) return undefined;
    const now = deps.clock();
    const resolvedToken = await deps.tokens.resolve(sha256(token), audience, sessionStudioId, now);
    if (!resolvedToken) return undefined;
    if (resolvedToken.lastUsedAt === null || resolvedToken.lastUsedAt <= now - minutes(1)) {
      // The call does not wait for the note, and does not fail with it.
      deps.grants
        .touch(resolvedToken.authentication.grantId, now)
        .catch((error: unknown) => log.warn({ err: error }, "last use was not noted"));
    }
    return resolvedToken.authentication;
  };
}
