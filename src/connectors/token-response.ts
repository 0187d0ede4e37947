import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { days } from "#lib/clock.ts";
import { readObject, toText } from "./call-api.ts";
import type { JsonObject, Platform } from "./platform.ts";

const maxLifetimeSeconds = days(3650) / 1000;

/**
 * A token answer as RFC 6749 §5 has it, from whatever the platform wrote. Only what we use goes on: an ID token would
 * be one more thing to check, and says nothing that the account's own address does not.
 */
export async function normalizeTokenResponse(
  { normalizeToken: tidyToken, readErrorCode: refusal }: Pick<Platform, "normalizeToken" | "readErrorCode">,
  response: Response,
): Promise<Response> {
  if (!/json|javascript|^text\/plain/i.test(response.headers.get("content-type") ?? "")) return response;
  const body = await readObject(response);
  if (response.ok && body["error"] === undefined)
    return createJsonResponse(200, toStandardToken(tidyToken?.(body) ?? body));
  // Refused with a success status, or with an error that is not a word: still a refusal.
  const status = response.ok ? 400 : response.status;
  // Without a word it says nothing of what we showed: a proxy answers so, or a platform that is tired of us.
  const fallbackError = status === 401 ? "invalid_client" : "server_error";
  const error = refusal?.(body) ?? toText(body["error"]) ?? fallbackError;
  return createJsonResponse(status, { error });
}

function toStandardToken(body: JsonObject): JsonObject {
  const expiresIn = parseLifetimeSeconds(body["expires_in"]);
  return {
    access_token: body["access_token"],
    token_type: body["token_type"] ?? "bearer",
    ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    ...(toText(body["refresh_token"]) === undefined ? {} : { refresh_token: body["refresh_token"] }),
  };
}

/** Whole seconds, ten years at most: times are kept as whole milliseconds, and have to stay dates. */
function parseLifetimeSeconds(value: unknown): number | undefined {
  const seconds = Math.floor(Number(value));
  return Number.isFinite(seconds) && seconds >= 1 ? Math.min(seconds, maxLifetimeSeconds) : undefined;
}

function createJsonResponse(status: number, body: JsonObject): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

export function toTokens(body: {
  access_token: string;
  refresh_token?: string | undefined;
  expires_in?: number | undefined;
}): PlatformTokens {
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresInMs: body.expires_in === undefined ? undefined : body.expires_in * 1000,
  };
}
