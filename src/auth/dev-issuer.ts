import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, interactionPolicy, Provider, type Configuration } from "oidc-provider";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { devClaims } from "./dev-people.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { pinAddresses } from "./pin-addresses.ts";
import type { IdentityProvider } from "./relying-party.ts";

export const devIssuerPath = "/dev-idp";

/** A real OpenID issuer in this process, for one person on one machine who has none configured. */
export interface DevIssuer {
  /** As our own sign-in knows it. */
  provider: IdentityProvider;
  /** Its protocol: everything below its path but the page. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Throws unless this browser is in the middle of a sign-in. */
  checkPending(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Signs in the person at this address and sends the browser on. */
  finish(req: IncomingMessage, res: ServerResponse, address: string): Promise<void>;
}

export type RenderIssuerError = (error: { status: number; title: string; message: string }) => {
  headers: Record<string, string>;
  body: string;
};

export interface DevIssuerParts {
  base: string;
  clock: Clock;
  log: Log;
  renderErrorPage: RenderIssuerError;
}

export function createDevIssuer({ base, clock, log, renderErrorPage }: DevIssuerParts): DevIssuer {
  const issuer = `${base}${devIssuerPath}`;
  const client = { id: "atelier", secret: randomBytes(32).toString("base64url") };
  const sessionCookie = "atelier_dev_session";

  const configuration: Configuration = {
    adapter: createMemoryAdapter(clock),
    jwks: {
      keys: [
        {
          ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
          alg: "ES256",
          use: "sig",
        },
      ],
    },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${base}/api/auth/callback/dev`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    // Names and paths of their own: the OAuth server for clients lives on the same origin.
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: { session: sessionCookie, interaction: "atelier_dev_interaction", resume: "atelier_dev_resume" },
      long: { path: devIssuerPath, signed: true, httpOnly: true, sameSite: "lax" },
      short: { signed: true, httpOnly: true, sameSite: "lax" },
    },
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic"],
    pkce: { required: () => true },
    scopes: ["openid", "profile", "email"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    // Everything is in the ID token: one request less.
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    routes: { authorization: "/auth", token: "/token", jwks: "/jwks" },
    interactions: { policy: askWhoItIs(), url: (_ctx, interaction) => `${devIssuerPath}/sign-in/${interaction.uid}` },
    findAccount: (_ctx, address) => ({ accountId: address, claims: () => devClaims(address) }),
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ accountId: ctx.oidc.session?.accountId ?? "", clientId: client.id });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    expiresWithSession: () => false,
    ttl: { Session: 600, Interaction: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
    renderError(ctx, out, error) {
      if (!(error instanceof errors.OIDCProviderError)) log.error({ err: error }, "the development issuer failed");
      const page = renderErrorPage({
        status: ctx.status,
        title: "Not signed in",
        message: `This sign-in could not go on (${out.error}).`,
      });
      ctx.set(page.headers);
      ctx.body = page.body;
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.on("server_error", (_ctx, error) => log.error({ err: error }, "the development issuer failed"));
  pinAddresses(provider, base);
  const callback = provider.callback();

  return {
    // The port may change, and with it the address; the people of this data folder stay.
    provider: {
      id: "dev",
      name: "development sign-in",
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      knownAs: "urn:atelier:dev-idp",
    },
    async handle(req, res) {
      const { url = "" } = req;
      // Who signed in before is not remembered here: everyone is asked, every time.
      withoutCookie(req, sessionCookie);
      Object.assign(req, { originalUrl: url, url: url.slice(devIssuerPath.length) });
      try {
        await callback(req, res);
      } finally {
        req.url = url;
      }
    },
    async checkPending(req, res) {
      await orGone(provider.interactionDetails(req, res));
    },
    async finish(req, res, address) {
      await orGone(
        provider.interactionFinished(
          req,
          res,
          { login: { accountId: address, remember: false } },
          { mergeWithLastSubmission: false },
        ),
      );
    },
  };
}

/** One question, who it is, and none about consent: the only client is ourselves. */
function askWhoItIs(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

async function orGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    throw new AppError("invalid_input", "This sign-in is over.", "Start again from the sign-in page.");
  }
}

/** The request as if the browser had not sent this cookie. */
export function withoutCookie(req: IncomingMessage, name: string): void {
  const kept = req.headers.cookie
    ?.split(";")
    .filter((pair) => !pair.trim().startsWith(`${name}=`) && !pair.trim().startsWith(`${name}.`));
  if (kept) req.headers.cookie = kept.join(";");
}
