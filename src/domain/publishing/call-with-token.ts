import { seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { getAccessToken, renewAccessToken } from "../platforms/credentials.ts";
import type { AccessToken } from "../platforms/ports.ts";
import type { WorkerDeps } from "./claim.ts";
import type { FailedOutcome, Publication } from "./ports.ts";

/** How long a token is reused. A token from `getAccessToken` stays valid for longer than this. */
const reuseMs = seconds(30);

type CallWithToken = <Outcome extends { kind: string }>(
  call: (token: AccessToken) => Promise<Outcome>,
) => Promise<Outcome | FailedOutcome>;

/**
 * Returns a function that calls the platform for one run. It reads the access token when it needs one and reuses it for
 * a while. If the platform rejects the token, it renews the token and calls once more.
 */
export function createCallWithToken(deps: WorkerDeps, { studioId, connectionId }: Publication): CallWithToken {
  const target = { studioId, connectionId };
  let cachedToken: AccessToken | undefined;
  let cachedUntil = -Infinity;

  async function getToken(): Promise<AccessToken | FailedOutcome> {
    if (cachedToken && deps.clock() < cachedUntil) return cachedToken;
    const token = await getTokenOrFailure(() => getAccessToken(deps, target));
    if ("kind" in token) return token;
    cachedToken = token;
    cachedUntil = deps.clock() + reuseMs;
    return token;
  }

  return async (call) => {
    const token = await getToken();
    if ("kind" in token) return token;
    const outcome = await call(token);
    if (outcome.kind !== "reconnect") return outcome;
    cachedToken = undefined;
    const renewedToken = await getTokenOrFailure(() => renewAccessToken(deps, target, token.accessToken));
    return "kind" in renewedToken ? renewedToken : call(renewedToken);
  };
}

async function getTokenOrFailure(getOrRenew: () => Promise<AccessToken>): Promise<AccessToken | FailedOutcome> {
  try {
    return await getOrRenew();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isTemporary = error.code === "url_unreachable" || error.code === "storage_unavailable";
    return isTemporary
      ? { kind: "retry_later", retryAfterMs: undefined, message: error.message }
      : { kind: "reconnect", message: error.message };
  }
}
