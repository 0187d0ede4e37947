import type { KoaContextWithOIDC } from "oidc-provider";
import { isLoopbackName } from "#lib/ip-address.ts";
import { oauthPaths } from "./oauth-paths.ts";

/** An authorization error of RFC 6749 §4.1.2.1. */
export interface AuthorizationError {
  error: string;
  error_description?: string | undefined;
}

/**
 * Anyone can register a client, so redirecting its errors before the user has signed in would make our URL an open
 * redirector to any site or app (RFC 9700 §4.11.2). The user sees them on our page instead. Errors are still redirected
 * to loopback, because the program runs on the user's own computer, and to clients that the operator registered.
 */
export function showEarlyErrors(
  isOperatorClient: (clientId: string) => boolean,
  isSignedIn: (cookieHeader: string) => Promise<boolean>,
  showError: (ctx: KoaContextWithOIDC, error: AuthorizationError) => void,
) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    // A request that continues after a sign-in has a longer path.
    if (ctx.status !== 303 || !ctx.path.startsWith(oauthPaths.authorization)) return;
    const destination = URL.parse(ctx.response.get("location"));
    const error = destination && readError(destination);
    if (!error || isOnLoopback(destination) || isOperatorClient(ctx.oidc.client?.clientId ?? "")) return;
    if (await isSignedIn(ctx.get("cookie"))) return;
    ctx.remove("location");
    ctx.status = 400;
    showError(ctx, error);
  };
}

/**
 * Reads the query and the fragment: if the client requests a `response_type` that responds in the fragment, such as
 * `token`, the library puts the error into the fragment, even though it rejects that type.
 */
function readError({ search, hash }: URL): AuthorizationError | undefined {
  const params = [search, hash]
    .map((text) => new URLSearchParams(text.slice(1)))
    .find((candidate) => candidate.has("error"));
  if (!params) return undefined;
  return { error: params.get("error") ?? "", error_description: params.get("error_description") ?? undefined };
}

function isOnLoopback({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && isLoopbackName(hostname);
}
