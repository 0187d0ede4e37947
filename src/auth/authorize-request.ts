import type { KoaContextWithOIDC } from "oidc-provider";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { oauthPaths } from "./oauth-paths.ts";

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Nothing asked means both scopes. Real clients leave the parameter out, or name only scopes of others (`claudeai`,
 * `openid email profile`); the library would refuse them, or give a token that is good for nothing.
 */
export const fillInScopes: Middleware = async (ctx, next) => {
  if (ctx.path === oauthPaths.authorization) {
    const query = new URLSearchParams(ctx.querystring);
    const asked = query.getAll("scope");
    const words = asked.join(" ").split(" ").filter(Boolean);
    // What is there twice stays there twice, and is refused.
    if (asked.length <= 1 && !words.some((word) => studioScopes.includes(word as Scope)))
      query.set("scope", [...words, ...studioScopes].join(" "));
    ctx.querystring = query.toString();
  }
  await next();
};

/** Nobody signed in: to the login url, and from there back to the same approval. */
export function sendToLogin(parts: {
  loginUrl: string;
  isSignedIn: (cookieHeader: string) => Promise<boolean>;
}): Middleware {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get("location");
    if (ctx.status !== 303 || !location.startsWith("/consent/") || (await parts.isSignedIn(ctx.get("cookie")))) return;
    const login = new URL(parts.loginUrl);
    login.searchParams.set("return_to", location);
    ctx.redirect(login.href);
    ctx.status = 303;
  };
}
