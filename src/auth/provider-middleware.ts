import { errors, Provider, type KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { canonicalizeResource, listResourceAliases, oauthPaths } from "./oauth-paths.ts";

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** OpenID Connect parameters that we ignore if a client sends them without the scope `openid` (RFC 6749 §3.1). */
const openIdOnlyParams = ["acr_values", "claims_locales", "id_token_hint", "max_age", "nonce"];

/** Makes requests from real clients acceptable to the library. Leaves repeated parameters for the library to reject. */
export function normalizeAuthorizationRequest(base: string): Middleware {
  return async (ctx, next) => {
    if (ctx.path === oauthPaths.authorization) {
      const query = new URLSearchParams(ctx.querystring);
      const occursAtMostOnce = (name: string): boolean => query.getAll(name).length <= 1;
      if (occursAtMostOnce("scope")) query.set("scope", addDefaultScopes(query.get("scope")));
      if (!(query.get("scope") ?? "").split(" ").includes("openid"))
        for (const name of openIdOnlyParams.filter(occursAtMostOnce)) query.delete(name);
      // The consent page shows the account and lets the user switch.
      if (query.has("prompt") && occursAtMostOnce("prompt"))
        query.set("prompt", (query.get("prompt") ?? "").replace("select_account", "consent"));
      // In other modes, the library would respond with a script or in a fragment. Sending an unknown mode makes it return
      // an error in the query.
      const responseMode = query.get("response_mode");
      if (responseMode && responseMode !== "query") query.set("response_mode", "unsupported");
      const resources = query.getAll("resource");
      query.delete("resource");
      for (const resource of resources) query.append("resource", canonicalizeResource(base, resource));
      ctx.querystring = query.toString();
    }
    await next();
  };
}

const defaultScopes: readonly Scope[] = ["studio:read", "studio:write"];

/**
 * Adds `studio:read` and `studio:write` if the client requests no studio scope. Real clients omit the parameter or send
 * only other scopes (`claudeai`, `openid email profile`); the library would reject them or issue a token without access.
 */
export function addDefaultScopes(scope: string | null): string {
  const requestedScopes = (scope ?? "").split(" ").filter(Boolean);
  const hasStudioScope = requestedScopes.some((name) => studioScopes.includes(name as Scope));
  return (hasStudioScope ? requestedScopes : [...requestedScopes, ...defaultScopes]).join(" ");
}

/**
 * If the response type is unsupported, the library derives a response mode from it and rejects that mode. Reports
 * `unsupported_response_type` instead (RFC 6749 §4.1.2.1).
 */
export const fixResponseTypeError: Middleware = async (ctx, next) => {
  await next();
  const responseTypes = new URLSearchParams(ctx.querystring).getAll("response_type");
  const location = ctx.response.get("location") || "";
  if (ctx.path !== oauthPaths.authorization || responseTypes.length > 1 || responseTypes[0] === "code") return;
  // Splits before the error, which is the query or the fragment of the redirect URI.
  const [redirectBase = "", errorQuery = ""] = location.split(/(?<=[?#])(?=error=invalid_request&)/, 2);
  const errorParams = new URLSearchParams(errorQuery);
  if (!errorParams.has("error")) return;
  errorParams.set("error", responseTypes[0] ? "unsupported_response_type" : "invalid_request");
  errorParams.set("error_description", "the response_type must be code");
  ctx.set("location", `${redirectBase}${errorParams.toString()}`);
};

/** Redirects a user who is not signed in to the login page, which returns to the same consent page. */
export function redirectToLogin(options: {
  loginUrl: string;
  isSignedIn: (cookieHeader: string) => Promise<boolean>;
}): Middleware {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get("location") || "";
    if (ctx.status !== 303 || !location.startsWith("/consent/") || (await options.isSignedIn(ctx.get("cookie"))))
      return;
    const loginPage = new URL(options.loginUrl);
    loginPage.searchParams.set("return_to", location);
    ctx.redirect(loginPage.href);
    ctx.status = 303;
  };
}

/**
 * Rejects a token request for another resource, or for scopes that were not granted. The library checks this only after
 * it has consumed the code or refresh token. We check first, so that a rejected request does not use up the token.
 */
export function validateBeforeConsumingTokens(provider: Provider, base: string): void {
  const aliases = listResourceAliases(base);
  for (const model of [provider.AuthorizationCode, provider.RefreshToken]) {
    // The token request may use a different alias of the resource than the authorization request did.
    Object.defineProperty(model.prototype, "resourceIndicators", { get: () => new Set(aliases) });
    const prototype = model.prototype as { consume(): Promise<void> };
    const originalConsume = prototype.consume;
    prototype.consume = async function consume(this: { consume(): Promise<void> }) {
      const { oidc } = Provider.ctx ?? {};
      if (oidc) {
        checkResource(oidc, base);
        checkScope(oidc, aliases);
      }
      await originalConsume.call(this);
    };
  }
}

type OIDC = KoaContextWithOIDC["oidc"];

/** RFC 8707 §2.2. Also replaces an alias of the resource with its canonical URI. */
function checkResource({ params }: OIDC, base: string): void {
  const requestedResources = [params?.["resource"] ?? []].flat() as string[];
  const resources = [...new Set(requestedResources.map((resource) => canonicalizeResource(base, resource)))];
  if (resources.some((resource) => resource !== `${base}/mcp`)) throw new errors.InvalidTarget();
  if (params && resources.length > 0) params["resource"] = resources[0];
}

/** RFC 6749 §6: a client gets no more than the user granted, which may be less than it requested at first. */
function checkScope({ params, entities }: OIDC, aliases: readonly string[]): void {
  const scopeParam = params?.["scope"];
  const requestedScopes = typeof scopeParam === "string" ? scopeParam.split(" ") : [];
  const grantedScopes = entities.Grant?.getResourceScope(aliases[0] ?? "").split(" ") ?? requestedScopes;
  const deniedScopes = requestedScopes.filter(
    (scope) => studioScopes.includes(scope as Scope) && !grantedScopes.includes(scope),
  );
  if (deniedScopes.length > 0) throw new errors.InvalidScope("requested scope was not granted", deniedScopes.join(" "));
}

/** The library sets this cookie on every response. Its session is never stored (`noopAdapter`), so we remove it. */
export const unusedSessionCookie = "atelier_unused";

/**
 * Removes what we do not support from the library's responses (its session cookie, other response modes) and adds
 * missing metadata.
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
  // RFC 8414 §2: the default is client_secret_basic, so public clients would assume that they cannot revoke tokens.
  if (body?.["revocation_endpoint"])
    body["revocation_endpoint_auth_methods_supported"] = body["token_endpoint_auth_methods_supported"];
  // RFC 7591 §3.2.2 does not define invalid_request for registration.
  if (ctx.path === oauthPaths.registration && body?.["error"] === "invalid_request")
    body["error"] = "invalid_client_metadata";
}

/**
 * The library reports every error that is not its own as `server_error`. This handler sends an `AppError`, such as a
 * rate limit or an unavailable database, with its own status, and logs every error but the client's.
 */
export function createFailureHandler(log: Log): (ctx: KoaContextWithOIDC, error: unknown) => void {
  return (ctx, error) => {
    if (!(error instanceof AppError)) {
      log.error({ err: error }, "authorization server failed");
      return;
    }
    if (error.status >= 500) log.warn({ err: error }, "dependency unavailable");
    ctx.status = error.status;
    if (error.retryAfter !== undefined) ctx.set("retry-after", String(error.retryAfter));
    const body = ctx.body as Record<string, unknown> | undefined;
    if (body?.["error"] === "server_error")
      Object.assign(body, { error: "temporarily_unavailable", error_description: error.message });
  };
}
