import { AppError } from "#lib/errors.ts";
import { getAccessToken, renewAccessToken } from "../platforms/credentials.ts";
import type { AccessToken } from "../platforms/ports.ts";
import type { WorkerDeps } from "./claim.ts";
import type { FailedOutcome, Publication } from "./ports.ts";

/** Calls the platform. If it rejects the access token, renews the token and calls once more. */
export async function callWithToken<Outcome extends { kind: string }>(
  deps: WorkerDeps,
  { studioId, connectionId }: Publication,
  call: (token: AccessToken) => Promise<Outcome>,
): Promise<Outcome | FailedOutcome> {
  const target = { studioId, connectionId };
  const token = await readToken(() => getAccessToken(deps, target));
  if ("kind" in token) return token;
  const outcome = await call(token);
  if (outcome.kind !== "reconnect") return outcome;
  const renewedToken = await readToken(() => renewAccessToken(deps, target, token.accessToken));
  return "kind" in renewedToken ? renewedToken : call(renewedToken);
}

async function readToken(read: () => Promise<AccessToken>): Promise<AccessToken | FailedOutcome> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isTemporary = error.code === "url_unreachable" || error.code === "storage_unavailable";
    return isTemporary
      ? { kind: "retry_later", retryAfterMs: undefined, message: error.message }
      : { kind: "reconnect", message: error.message };
  }
}
