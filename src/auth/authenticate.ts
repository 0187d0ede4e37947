import type { Authenticate } from "#domain/access/authenticator.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";

/** Longer than any token of ours, and shorter than anything worth hashing. */
const maxTokenLength = 200;

/** From bearer token to who acts, in one round trip; and, at most once a minute, a note that the grant was used. */
export function createAuthenticate(deps: Pick<Deps, "tokens" | "grants" | "clock" | "base">, log: Log): Authenticate {
  const audience = `${deps.base}/mcp`;
  return async (token, sealedStudioId) => {
    if (token.length > maxTokenLength) return undefined;
    const now = deps.clock();
    const holder = await deps.tokens.findHolder(sha256(token), audience, sealedStudioId, now);
    if (!holder) return undefined;
    if (holder.lastUsedAt === null || holder.lastUsedAt <= now - minutes(1)) {
      // The call does not wait for the note, and does not fail with it.
      deps.grants
        .touch(holder.authentication.grantId, now)
        .catch((error: unknown) => log.warn({ err: error }, "last use was not noted"));
    }
    return holder.authentication;
  };
}
