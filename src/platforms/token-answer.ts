import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { readObject } from "./call.ts";
import type { JsonObject, Platform } from "./platform.ts";
import { textIn } from "./read-json.ts";

/**
 * A token answer as RFC 6749 §5 has it, from whatever the platform wrote. Only what we use goes on: an ID token would
 * be one more thing to check, and says nothing that the account's own address does not.
 */
export async function tidyAnswer({ tidyToken }: Pick<Platform, "tidyToken">, response: Response): Promise<Response> {
  if (!/json|javascript|^text\/plain/i.test(response.headers.get("content-type") ?? "")) return response;
  const answer = await readObject(response);
  if (response.ok && answer["error"] === undefined) return json(200, standardToken(tidyToken?.(answer) ?? answer));
  // Refused with a success status, or with an error that is not a word: still a refusal.
  const status = response.ok ? 400 : response.status;
  const error = textIn(answer["error"]) ?? (status === 400 || status === 401 ? "invalid_grant" : "server_error");
  return json(status, { error });
}

function standardToken(answer: JsonObject): JsonObject {
  const expiresIn = Number(answer["expires_in"]);
  return {
    access_token: answer["access_token"],
    token_type: answer["token_type"] ?? "bearer",
    ...(expiresIn > 0 ? { expires_in: expiresIn } : {}),
    ...(textIn(answer["refresh_token"]) === undefined ? {} : { refresh_token: answer["refresh_token"] }),
  };
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
