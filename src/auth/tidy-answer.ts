import type { KoaContextWithOIDC } from "oidc-provider";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { oauthPaths } from "./oauth-paths.ts";

/** The library sets it on every answer; it leads nowhere, see `forgetful` in adapter.ts, and is not sent. */
export const unusedSessionCookie = "atelier_unused";

/**
 * Takes out of the library's answers what we do not do: its session cookie, response modes that need a script; and
 * says what it leaves out.
 */
export async function normalizeResponse(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const cookies = [ctx.response.headers["set-cookie"] ?? []]
    .flat()
    .filter((cookie) => !cookie.startsWith(unusedSessionCookie));
  if (cookies.length > 0) ctx.set("set-cookie", cookies);
  else ctx.remove("set-cookie");
  const body = ctx.body as Record<string, unknown> | undefined;
  if (body?.["response_modes_supported"]) body["response_modes_supported"] = ["query"];
  // RFC 8414 §2: where nothing is said, a public client would have to think that it cannot give its tokens back.
  if (body?.["revocation_endpoint"])
    body["revocation_endpoint_auth_methods_supported"] = body["token_endpoint_auth_methods_supported"];
  // RFC 7591 §3.2.2 has no invalid_request: what is wrong with a registration is wrong with its metadata.
  if (ctx.path === oauthPaths.registration && body?.["error"] === "invalid_request")
    body["error"] = "invalid_client_metadata";
}

/**
 * An error that is not the library's own is a `server_error` to it, whatever it was. Ours know better: too many
 * requests, a database that cannot be reached. What nobody expected is logged.
 */
export function createFailureHandler(log: Log): (ctx: KoaContextWithOIDC, error: unknown) => void {
  return (ctx, error) => {
    if (!(error instanceof AppError)) {
      log.error({ err: error }, "the authorization server failed");
      return;
    }
    ctx.status = error.status;
    if (error.retryAfter !== undefined) ctx.set("retry-after", String(error.retryAfter));
    const body = ctx.body as Record<string, unknown> | undefined;
    if (body?.["error"] === "server_error")
      Object.assign(body, { error: "temporarily_unavailable", error_description: error.message });
  };
}
