import { AppError } from "#lib/errors.ts";
import { getAccessToken, renewAccessToken } from "../platforms/credentials.ts";
import type { WorkerDeps } from "./claim.ts";
import type { FailedOutcome, Publication } from "./ports.ts";

/** Calls the platform. If it rejects the access token, renews the token and calls once more. */
export async function callWithToken<Outcome extends { kind: string }>(
  deps: WorkerDeps,
  { studioId, connectionId }: Publication,
  call: (accessToken: string) => Promise<Outcome>,
): Promise<Outcome | FailedOutcome> {
  const target = { studioId, connectionId };
  const token = await readToken(() => getAccessToken(deps, target));
  if (typeof token !== "string") return token;
  const outcome = await call(token);
  if (outcome.kind !== "reconnect") return outcome;
  const renewedToken = await readToken(() => renewAccessToken(deps, target, token));
  return typeof renewedToken === "string" ? call(renewedToken) : renewedToken;
}

async function readToken(read: () => Promise<{ accessToken: string }>): Promise<string | FailedOutcome> {
  try {
    return (await read()).accessToken;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isTemporary = error.code === "url_unreachable" || error.code === "storage_unavailable";
    return isTemporary
      ? { kind: "retry_later", retryAfterMs: undefined, message: error.message }
      : { kind: "reconnect", message: error.message };
  }
}
