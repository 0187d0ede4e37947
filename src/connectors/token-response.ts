import { PlatformError } from "#domain/model/platform-error.ts";
import type { PlatformTokens } from "#domain/ports/platforms.ts";
import { days } from "#lib/clock.ts";
import { readObject, toText } from "./call-api.ts";
import type { JsonObject, OAuthPlatform } from "./platform.ts";

const maxLifetimeSeconds = days(3650) / 1000;

/**
 * Converts a platform's token response to the form of RFC 6749 §5. Keeps only the fields that we use: an ID token would
 * have to be verified and contains nothing that the account call does not return.
 */
export async function normalizeTokenResponse(
  { normalizeToken, readErrorCode }: Pick<OAuthPlatform, "normalizeToken" | "readErrorCode">,
  response: Response,
): Promise<Response> {
  if (!/json|javascript|^text\/plain/i.test(response.headers.get("content-type") ?? "")) return response;
  const body = await readObject(response);
  if (response.ok && body["error"] === undefined)
    return createJsonResponse(200, toStandardToken(normalizeToken?.(body) ?? body));
  // Some platforms report errors with a success status.
  const status = response.ok ? 400 : response.status;
  // Without an error code the response says nothing about our token: a proxy or a rate limit may have caused it.
  const fallbackError = status === 401 ? "invalid_client" : "server_error";
  const error = readErrorCode?.(body) ?? toText(body["error"]) ?? fallbackError;
  return createJsonResponse(status, { error });
}

function toStandardToken(body: JsonObject): JsonObject {
  return {
    access_token: body["access_token"],
    token_type: body["token_type"] ?? "bearer",
    expires_in: parseLifetimeSeconds(body["expires_in"]),
    refresh_token: toText(body["refresh_token"]) && body["refresh_token"],
  };
}

/** Whole seconds, at most ten years: expiry times are stored as whole milliseconds and must be valid dates. */
function parseLifetimeSeconds(value: unknown): number | undefined {
  const seconds = Math.floor(Number(value));
  return Number.isFinite(seconds) && seconds >= 1 ? Math.min(seconds, maxLifetimeSeconds) : undefined;
}

function createJsonResponse(status: number, body: JsonObject): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

/** Far longer than any token, and short enough for a header. */
const maxTokenLength = 10_000;

function requireToken(token: string): string {
  if (token.length > maxTokenLength || /[\p{Cc}\p{Cs}]/u.test(token))
    throw new PlatformError("unavailable", "it sent an invalid response");
  return token;
}

export function toTokens(body: {
  access_token: string;
  refresh_token?: string | undefined;
  expires_in?: number | undefined;
}): PlatformTokens {
  return {
    accessToken: requireToken(body.access_token),
    refreshToken: body.refresh_token === undefined ? undefined : requireToken(body.refresh_token),
    expiresInMs: body.expires_in === undefined ? undefined : body.expires_in * 1000,
  };
}
