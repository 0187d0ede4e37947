import { seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Publication } from "../model/publication.ts";
import type { AccessToken } from "../ports/platforms.ts";
import type { FailedOutcome } from "../ports/publisher.ts";
import { getAccessToken, renewAccessToken } from "./credentials.ts";

/** How long a token is reused. A token from `getAccessToken` stays valid for longer than this. */
const reuseMs = seconds(30);

export type CallWithToken = <Outcome extends { kind: string }>(
  call: (token: AccessToken) => Promise<Outcome>,
) => Promise<Outcome | FailedOutcome>;

type TokenOutcome = { kind: "token"; token: AccessToken } | FailedOutcome;

/**
 * Returns a function that calls the platform for one run. It reads the access token when it needs one and reuses it for
 * a while. If the platform rejects the token, it renews the token and calls once more.
 */
export function createCallWithToken(
  deps: Parameters<typeof getAccessToken>[0],
  { studioId, connectionId }: Pick<Publication, "studioId" | "connectionId">,
): CallWithToken {
  const target = { studioId, connectionId };
  let cached: { outcome: TokenOutcome; until: number } | undefined;

  async function getToken(): Promise<TokenOutcome> {
    if (cached && deps.clock() < cached.until) return cached.outcome;
    const outcome = await toTokenOutcome(getAccessToken(deps, target));
    cached = outcome.kind === "token" ? { outcome, until: deps.clock() + reuseMs } : undefined;
    return outcome;
  }

  return async (call) => {
    const current = await getToken();
    if (current.kind !== "token") return current;
    const outcome = await call(current.token);
    if (outcome.kind !== "reconnect") return outcome;
    cached = undefined;
    const renewal = await toTokenOutcome(renewAccessToken(deps, target, current.token.accessToken));
    return renewal.kind === "token" ? call(renewal.token) : renewal;
  };
}

async function toTokenOutcome(request: Promise<AccessToken>): Promise<TokenOutcome> {
  try {
    return { kind: "token", token: await request };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isTemporary = error.code === "url_unreachable" || error.code === "storage_unavailable";
    return isTemporary
      ? { kind: "retry_later", retryAfterMs: undefined, message: "the account’s credentials couldn’t be renewed" }
      : { kind: "reconnect", message: error.message };
  }
}
