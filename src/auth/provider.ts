import type { IncomingMessage } from "node:http";
import {
  errors,
  interactionPolicy,
  Provider,
  type ClientMetadata,
  type Configuration,
  type KoaContextWithOIDC,
} from "oidc-provider";
import { scopes as studioScopes } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { days, hours, minutes } from "#lib/clock.ts";
import { isSame, sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";
import { deriveKey } from "#lib/signed-token.ts";
import { createAdapter } from "./adapter.ts";
import { normalizeClientMetadata } from "./client-metadata.ts";
import { signingKeys } from "./keys.ts";

export interface ProviderOptions {
  deps: Pick<Deps, "oauthRecords" | "oauthClients" | "grants" | "users" | "clock">;
  base: string;
  secrets: readonly string[];
  /** Clients the operator registered, in RFC 7591's words. */
  clients: readonly ClientMetadata[];
  /** Fetches a stranger's metadata document: public addresses only, bounded in time and size. */
  fetchDocument: (url: string) => Promise<Response>;
  /** Throws where a request had us fetch too many of them. */
  limitFetch: (req: IncomingMessage) => Promise<void>;
  loginUrl: string;
  isSignedIn: (cookieHeader: string) => Promise<boolean>;
  renderError: (error: { status: number; title: string; message: string }) => {
    headers: Record<string, string>;
    body: string;
  };
  log: Log;
}

export const oauthPaths = {
  authorization: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  registration: "/api/auth/mcp/register",
  revocation: "/api/auth/oauth2/revoke",
  jwks: "/api/auth/jwks",
} as const;

/** The library sets it on every answer; it leads nowhere, see `forgetful` in adapter.ts, and is not sent. */
const sessionCookie = "atelier_unused";

const inSeconds = (ms: number): number => ms / 1000;
const refreshSliding = inSeconds(days(30));
const refreshAbsolute = inSeconds(days(90));

/** Our authorization server: OAuth 2.1 with PKCE, for public and confidential clients, for one resource. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.base, configure(options));
  provider.proxy = true; // addresses and TLS are pinned from the configuration before a request gets here
  provider.on("server_error", (_ctx, error) => options.log.error({ err: error }, "the authorization server failed"));
  provider.use(tidyAnswer);
  provider.use(fillInDefaults);
  provider.use(sendToLogin(options));
  acceptSpellings(provider, resourceSpellings(options.base));
  compareDigests(provider, options.clients);
  return provider;
}

/** Names that clients use for `{base}/mcp`, our only resource. */
export function resourceSpellings(base: string): readonly string[] {
  return [`${base}/mcp`, `${base}/mcp/`, base, `${base}/`];
}

function configure({
  deps,
  base,
  secrets,
  clients,
  fetchDocument,
  limitFetch,
  renderError,
}: ProviderOptions): Configuration {
  const mcp = `${base}/mcp`;
  const spellings = resourceSpellings(base);
  const secure = base.startsWith("https:");
  const prefix = secure ? "__Secure-" : ""; // bound to their paths, so not __Host-
  const cookie = { signed: true, httpOnly: true, sameSite: "lax", secure, overwrite: true } as const;
  return {
    adapter: createAdapter(deps),
    clients: [...clients],
    jwks: { keys: signingKeys(secrets) },
    cookies: {
      keys: secrets.map((secret) => deriveKey(secret, "oauth-cookies").toString("base64url")),
      names: { session: sessionCookie, interaction: `${prefix}atelier_approval`, resume: `${prefix}atelier_resume` },
      long: cookie,
      short: cookie,
    },
    routes: { ...oauthPaths },
    scopes: ["openid", "offline_access", ...studioScopes],
    claims: { openid: ["sub"] },
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    clientDefaults: { grant_types: ["authorization_code", "refresh_token"], id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    extraClientMetadata: {
      properties: ["software_id", "software_version"],
      validator: (_ctx, key, _value, metadata) => {
        if (key === "software_id") normalizeClientMetadata(metadata as unknown as Record<string, unknown>);
      },
    },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: (ctx: KoaContextWithOIDC) => limitFetch(ctx.req).then(() => true),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcp,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (!spellings.includes(resource)) throw new errors.InvalidTarget();
          return {
            scope: studioScopes.join(" "),
            audience: mcp,
            accessTokenFormat: "opaque" as const,
            accessTokenTTL: inSeconds(hours(1)),
          };
        },
      },
    },
    fetch: fetchDocument,
    fetchResponseBodyLimits: { "client_id metadata document": 10 * 1024 },
    // Signing out of the web app does not end a client's token: nothing hangs on a session.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    // Only the grant of this very approval; an earlier one never answers for the person.
    loadExistingGrant: async (ctx) => {
      const grantId = (ctx.oidc.result?.consent as { grantId?: string } | undefined)?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { policy: askEveryTime(), url: (_ctx, interaction) => `/consent/${interaction.uid}` },
    findAccount: async (_ctx, id) =>
      (await deps.users.find(id)) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    renderError: (ctx, out) => {
      const page = renderError({
        status: ctx.status,
        title: "This sign-in request cannot go on",
        message: describeError(out.error, out.error_description),
      });
      ctx.set(page.headers);
      ctx.body = page.body;
    },
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: inSeconds(hours(1)),
      AuthorizationCode: 60,
      IdToken: inSeconds(hours(1)),
      Interaction: inSeconds(minutes(30)),
      Session: inSeconds(minutes(30)),
      Grant: inSeconds(days(365)),
      // 30 days from the last use, 90 from the approval.
      RefreshToken: (_ctx, token) =>
        Math.max(1, Math.min(refreshSliding, (token.iiat ?? now()) + refreshAbsolute - now())),
    },
  } as Configuration;
}

const now = (): number => Math.floor(Date.now() / 1000);

/** One approval for each authorization: who it is and what they allow are both asked, whatever was answered before. */
function askEveryTime(): interactionPolicy.DefaultPolicy {
  const { Check, Prompt } = interactionPolicy;
  const policy = interactionPolicy.base();
  policy.clear();
  policy.add(
    new Prompt(
      { name: "login", requestable: true },
      new Check("approval", "the person has to sign in", "login_required", (ctx) => !ctx.oidc.result?.login),
    ),
  );
  policy.add(
    new Prompt(
      { name: "consent", requestable: true },
      new Check("approval", "the person has to approve", "consent_required", (ctx) => !ctx.oidc.grant),
    ),
  );
  return policy;
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** Takes out of the library's answers what we do not do: its session cookie, response modes that need a script. */
const tidyAnswer: Middleware = async (ctx, next) => {
  await next();
  const cookies = [ctx.response.headers["set-cookie"] ?? []]
    .flat()
    .filter((cookie) => !cookie.startsWith(sessionCookie));
  if (cookies.length > 0) ctx.set("set-cookie", cookies);
  else ctx.remove("set-cookie");
  const metadata = ctx.body as Record<string, unknown> | undefined;
  if (metadata?.["response_modes_supported"]) metadata["response_modes_supported"] = ["query"];
};

/** Nothing asked means both scopes: real clients leave it out, and the library would refuse them. */
const fillInDefaults: Middleware = async (ctx, next) => {
  if (ctx.method === "GET" && ctx.path === oauthPaths.authorization) {
    const query = new URLSearchParams(ctx.querystring);
    if (!query.get("scope")?.trim()) query.set("scope", studioScopes.join(" "));
    ctx.querystring = query.toString();
  }
  await next();
};

/** Nobody signed in: to the login url, and from there back to the same approval. */
function sendToLogin({ loginUrl, isSignedIn }: ProviderOptions): Middleware {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get("location");
    if (ctx.status !== 303 || !location.startsWith("/consent/") || (await isSignedIn(ctx.get("cookie")))) return;
    const login = new URL(loginUrl);
    login.searchParams.set("return_to", location);
    ctx.redirect(login.href);
    ctx.status = 303;
  };
}

/** A token request may spell the resource otherwise than the authorization did; there is only one. */
function acceptSpellings(provider: Provider, spellings: readonly string[]): void {
  for (const model of [provider.AuthorizationCode, provider.RefreshToken]) {
    Object.defineProperty(model.prototype, "resourceIndicators", { get: () => new Set(spellings) });
  }
}

/** Secrets of clients that registered themselves are kept as digests; the operator's come from a file as they are. */
function compareDigests(provider: Provider, clients: readonly ClientMetadata[]): void {
  const fromOperator = new Set(clients.map((client) => client.client_id));
  Object.assign(provider.Client.prototype as object, {
    compareClientSecret(this: { clientId: string; clientSecret: string }, given: string): boolean {
      return isSame(fromOperator.has(this.clientId) ? given : sha256(given), this.clientSecret);
    },
  });
}

function describeError(error: string, description: string | undefined): string {
  return `The application that sent you here made a request we cannot answer (${error}${description ? `: ${description}` : ""}).`;
}
