import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { days } from "#lib/clock.ts";
import { readObject } from "./call.ts";
import type { JsonObject, Platform } from "./platform.ts";
import { textIn } from "./read-json.ts";

const longestLife = days(3650) / 1000;

/**
 * A token answer as RFC 6749 §5 has it, from whatever the platform wrote. Only what we use goes on: an ID token would
 * be one more thing to check, and says nothing that the account's own address does not.
 */
export async function tidyAnswer(
  { tidyToken, refusal }: Pick<Platform, "tidyToken" | "refusal">,
  response: Response,
): Promise<Response> {
  if (!/json|javascript|^text\/plain/i.test(response.headers.get("content-type") ?? "")) return response;
  const answer = await readObject(response);
  if (response.ok && answer["error"] === undefined) return json(200, standardToken(tidyToken?.(answer) ?? answer));
  // Refused with a success status, or with an error that is not a word: still a refusal.
  const status = response.ok ? 400 : response.status;
  // Without a word it says nothing of what we showed: a proxy answers so, or a platform that is tired of us.
  const wordless = status === 401 ? "invalid_client" : "server_error";
  const error = refusal?.(answer) ?? textIn(answer["error"]) ?? wordless;
  return json(status, { error });
}

function standardToken(answer: JsonObject): JsonObject {
  const expiresIn = lifetimeIn(answer["expires_in"]);
  return {
    access_token: answer["access_token"],
    token_type: answer["token_type"] ?? "bearer",
    ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    ...(textIn(answer["refresh_token"]) === undefined ? {} : { refresh_token: answer["refresh_token"] }),
  };
}

/** Whole seconds, ten years at most: times are kept as whole milliseconds, and have to stay dates. */
function lifetimeIn(value: unknown): number | undefined {
  const seconds = Math.floor(Number(value));
  return Number.isFinite(seconds) && seconds >= 1 ? Math.min(seconds, longestLife) : undefined;
}

function json(status: number, body: JsonObject): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

export function toTokens(answer: {
  access_token: string;
  refresh_token?: string | undefined;
  expires_in?: number | undefined;
}): PlatformTokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresInMs: answer.expires_in === undefined ? undefined : answer.expires_in * 1000,
  };
}
