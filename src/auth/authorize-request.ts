import type { KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { canonicalizeResource, oauthPaths } from "./oauth-paths.ts";

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
