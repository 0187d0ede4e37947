import type { IncomingMessage, ServerResponse } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { createHostCookie } from "#lib/cookies.ts";
import { consentLifetime } from "./adapter.ts";
import { createConsent, type Consent } from "./consent.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";

export interface OAuthServer {
  /** Handles all requests to the paths of the authorization server. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  consent: Consent;
}

export function createOAuthServer(options: ProviderOptions): OAuthServer {
  const provider = createProvider(options);
  const startedConsents = createStartedConsents(options.deps.baseUrl);
  provider.use(startedConsents.recordStart);
  const callback = provider.callback();
  return {
    handle: (req, res) => callback(req, res),
    consent: createConsent(provider, startedConsents, options.deps),
  };
}

/**
 * Tracks which consents a browser started, with one `__Host-` cookie per consent: on https, only this host can set it.
 * The library's own cookies are limited to paths and cannot have that prefix, so a sibling domain could set them in a
 * user's browser. The user would then consent to an authorization that an attacker started.
 */
export interface StartedConsents {
  /** Middleware: sets the cookie when a browser is redirected to the consent page. */
  recordStart(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void>;
  has(req: IncomingMessage, uid: string): boolean;
  /** Clears the cookie of a completed consent. */
  clear(res: ServerResponse, uid: string): void;
}

/** Above this number the oldest consents are dropped. */
const maxPending = 20;
/** Consent was once called approval. The name stays, so that a consent can finish after an update of the server. */
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
      // RFC 6265 §5.4: browsers send the oldest cookie first.
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
