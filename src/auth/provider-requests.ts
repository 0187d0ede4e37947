import { errors, Provider, type KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { canonicalizeResource, listResourceAliases, oauthPaths } from "./oauth-paths.ts";

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** Of OpenID Connect, sent by libraries that do not ask for `openid` too. Without it they say nothing (RFC 6749 §3.1). */
const openIdOnlyParams = ["acr_values", "claims_locales", "id_token_hint", "max_age", "nonce"];

/** What clients ask for, as the library understands it. A parameter that is there twice stays so, and is refused. */
export function normalizeAuthorizationRequest(base: string): Middleware {
  return async (ctx, next) => {
    if (ctx.path === oauthPaths.authorization) {
      const query = new URLSearchParams(ctx.querystring);
      const occursAtMostOnce = (name: string): boolean => query.getAll(name).length <= 1;
      if (occursAtMostOnce("scope")) query.set("scope", addDefaultScopes(query.get("scope")));
      if (!(query.get("scope") ?? "").split(" ").includes("openid"))
        for (const name of openIdOnlyParams.filter(occursAtMostOnce)) query.delete(name);
      // The page that asks names the account, and offers another one.
      if (query.has("prompt") && occursAtMostOnce("prompt"))
        query.set("prompt", (query.get("prompt") ?? "").replace("select_account", "consent"));
      // The library would answer by these, with a script or in a fragment. One it does not know it refuses in the query.
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

/**
 * Nothing asked means both scopes. Real clients leave the parameter out, or name only scopes of others (`claudeai`,
 * `openid email profile`); the library would refuse them, or give a token that is good for nothing.
 */
function addDefaultScopes(scope: string | null): string {
  const requestedScopes = (scope ?? "").split(" ").filter(Boolean);
  const hasStudioScope = requestedScopes.some((name) => studioScopes.includes(name as Scope));
  return (hasStudioScope ? requestedScopes : [...requestedScopes, ...studioScopes]).join(" ");
}

/**
 * A response type that we do not have comes with a response mode that the client does not have, which is what the
 * library complains of. RFC 6749 §4.1.2.1 has a word for it.
 */
export const fixResponseTypeError: Middleware = async (ctx, next) => {
  await next();
  const responseTypes = new URLSearchParams(ctx.querystring).getAll("response_type");
  const location = ctx.response.get("location") || "";
  if (ctx.path !== oauthPaths.authorization || responseTypes.length > 1 || responseTypes[0] === "code") return;
  const [redirectBase = "", errorQuery = ""] = location.split(/(?<=[?#])(?=error=invalid_request&)/, 2);
  const errorParams = new URLSearchParams(errorQuery);
  if (!errorParams.has("error")) return;
  errorParams.set("error", responseTypes[0] ? "unsupported_response_type" : "invalid_request");
  errorParams.set("error_description", "the response_type must be code");
  ctx.set("location", `${redirectBase}${errorParams.toString()}`);
};

/** Nobody signed in: to the login url, and from there back to the same approval. */
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
 * What the library finds out too late, after a code or a refresh token has been used up: a request that asks for
 * another resource or for more than was granted is refused, and what it came with stays good.
 */
export function validateBeforeConsume(provider: Provider, base: string): void {
  const aliases = listResourceAliases(base);
  for (const model of [provider.AuthorizationCode, provider.RefreshToken]) {
    // A token request may spell the resource otherwise than the authorization did; there is only one.
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

/** RFC 8707 §2.2. */
function checkResource({ params }: OIDC, base: string): void {
  const requestedValues = [params?.["resource"] ?? []].flat() as string[];
  const resources = [...new Set(requestedValues.map((resource) => canonicalizeResource(base, resource)))];
  if (resources.some((resource) => resource !== `${base}/mcp`)) throw new errors.InvalidTarget();
  if (params && resources.length > 0) params["resource"] = resources[0];
}

/** RFC 6749 §6: not more than the person granted, which may be less than the client had asked for. */
function checkScope({ params, entities }: OIDC, aliases: readonly string[]): void {
  const scopeParam = params?.["scope"];
  const requestedValues = typeof scopeParam === "string" ? scopeParam.split(" ") : [];
  const grantedScopes = entities.Grant?.getResourceScope(aliases[0] ?? "").split(" ") ?? requestedValues;
  const missingScopes = requestedValues.filter(
    (scope) => studioScopes.includes(scope as Scope) && !grantedScopes.includes(scope),
  );
  if (missingScopes.length > 0)
    throw new errors.InvalidScope("more was requested than granted", missingScopes.join(" "));
}

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
