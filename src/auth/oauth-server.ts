import type { IncomingMessage, ServerResponse } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { Deps } from "#domain/deps.ts";
import { createHostCookie } from "#lib/cookies.ts";
import { consentLifetime } from "./adapter.ts";
import { createConsent, type Consent } from "./consent.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";

export interface OAuthServer {
  /** Answers any request to one of the paths of the authorization server. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  consent: Consent;
}

export interface OAuthServerOptions extends ProviderOptions {
  deps: ProviderOptions["deps"] & Pick<Deps, "base">;
}

export function createOAuthServer(options: OAuthServerOptions): OAuthServer {
  const provider = createProvider(options);
  const startedConsents = createStartedConsents(options.base);
  provider.use(startedConsents.recordStart);
  const callback = provider.callback();
  return {
    handle: (req, res) => callback(req, res),
    consent: createConsent(provider, startedConsents, options.deps),
  };
}

/**
 * Which approvals a browser began: a cookie each, which on https this very host alone can set. The library's own are
 * bound to paths, so that a sister domain could plant them in another person's browser: that person would approve what
 * someone else began, who then collects.
 */
export interface StartedConsents {
  /** Gives the cookie to a browser that is being sent to an approval. */
  recordStart(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void>;
  has(req: IncomingMessage, uid: string): boolean;
  /** It has been answered. */
  clear(res: ServerResponse, uid: string): void;
}

/** Whoever begins more than this has given up the first ones. */
const maxPending = 20;
const cookieNamePrefix = "atelier-approval-";

function createStartedConsents(base: string): StartedConsents {
  const getCookie = (uid: string) => createHostCookie(base, `${cookieNamePrefix}${uid}`);
  const prefix = getCookie("").name;
  const parseUids = (header: string): string[] =>
    header
      .split(";")
      .map((pair) => pair.split("=", 1)[0]?.trim() ?? "")
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
  return {
    async recordStart(ctx, next) {
      await next();
      const uid = /^\/consent\/([\w-]+)$/.exec(ctx.response.get("location") || "")?.[1];
      if (ctx.status !== 303 || uid === undefined) return;
      // A browser sends the oldest first.
      const previousUids = parseUids(ctx.get("cookie"));
      const staleUids = previousUids.slice(0, Math.max(0, previousUids.length + 1 - maxPending));
      ctx.append("set-cookie", [
        ...staleUids.map((staleUid) => getCookie(staleUid).toClearCookie()),
        getCookie(uid).toSetCookie("1", consentLifetime / 1000),
      ]);
    },
    has: (req, uid) => getCookie(uid).read(req.headers.cookie) !== undefined,
    clear: (res, uid) => void res.appendHeader("set-cookie", getCookie(uid).toClearCookie()),
  };
}
