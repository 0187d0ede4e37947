import type { KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { canonicalResource, oauthPaths } from "./oauth-paths.ts";

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** Of OpenID Connect, sent by libraries that do not ask for `openid` too. Without it they say nothing (RFC 6749 §3.1). */
const openIdOnly = ["acr_values", "claims_locales", "id_token_hint", "max_age", "nonce"];

/** What clients ask for, as the library understands it. A parameter that is there twice stays so, and is refused. */
export function amendRequest(base: string): Middleware {
  return async (ctx, next) => {
    if (ctx.path === oauthPaths.authorization) {
      const query = new URLSearchParams(ctx.querystring);
      const once = (name: string): boolean => query.getAll(name).length <= 1;
      if (once("scope")) query.set("scope", fillInScopes(query.get("scope")));
      if (!(query.get("scope") ?? "").split(" ").includes("openid"))
        for (const name of openIdOnly.filter(once)) query.delete(name);
      // The page that asks names the account, and offers another one.
      if (query.has("prompt") && once("prompt"))
        query.set("prompt", (query.get("prompt") ?? "").replace("select_account", "consent"));
      // The library would answer by these, with a script or in a fragment. One it does not know it refuses in the query.
      const mode = query.get("response_mode");
      if (mode && mode !== "query") query.set("response_mode", "unsupported");
      const resources = query.getAll("resource");
      query.delete("resource");
      for (const one of resources) query.append("resource", canonicalResource(base, one));
      ctx.querystring = query.toString();
    }
    await next();
  };
}

/**
 * Nothing asked means both scopes. Real clients leave the parameter out, or name only scopes of others (`claudeai`,
 * `openid email profile`); the library would refuse them, or give a token that is good for nothing.
 */
function fillInScopes(scope: string | null): string {
  const words = (scope ?? "").split(" ").filter(Boolean);
  const ours = words.some((word) => studioScopes.includes(word as Scope));
  return (ours ? words : [...words, ...studioScopes]).join(" ");
}

/**
 * A response type that we do not have comes with a response mode that the client does not have, which is what the
 * library complains of. RFC 6749 §4.1.2.1 has a word for it.
 */
export const nameResponseType: Middleware = async (ctx, next) => {
  await next();
  const types = new URLSearchParams(ctx.querystring).getAll("response_type");
  const location = ctx.response.get("location") || "";
  if (ctx.path !== oauthPaths.authorization || types.length > 1 || types[0] === "code") return;
  const [address = "", answer = ""] = location.split(/(?<=[?#])(?=error=invalid_request&)/, 2);
  const told = new URLSearchParams(answer);
  if (!told.has("error")) return;
  told.set("error", types[0] ? "unsupported_response_type" : "invalid_request");
  told.set("error_description", "the response_type must be code");
  ctx.set("location", `${address}${told.toString()}`);
};

/** Nobody signed in: to the login url, and from there back to the same approval. */
export function sendToLogin(parts: {
  loginUrl: string;
  isSignedIn: (cookieHeader: string) => Promise<boolean>;
}): Middleware {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get("location") || "";
    if (ctx.status !== 303 || !location.startsWith("/consent/") || (await parts.isSignedIn(ctx.get("cookie")))) return;
    const login = new URL(parts.loginUrl);
    login.searchParams.set("return_to", location);
    ctx.redirect(login.href);
    ctx.status = 303;
  };
}
