import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, Provider, type Configuration } from "oidc-provider";
import { hours, type Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { withoutCookie, type RenderIssuerError } from "./dev-issuer.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { pinAddresses } from "./pin-addresses.ts";

export const sandboxPath = "/sandbox";

/** A social platform in this process, for one person on one machine: a real OAuth server with accounts of any name. */
export interface SandboxPlatform {
  /** Its address, and ourselves as an application there. */
  origin: string;
  app: { clientId: string; clientSecret: string };
  /** Its protocol: everything below its path but the page. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Throws unless this browser is in the middle of giving access. */
  checkPending(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Gives access to the account of this handle, or says no, and sends the browser on. */
  finish(req: IncomingMessage, res: ServerResponse, handle: string | undefined): Promise<void>;
}

export interface SandboxParts {
  base: string;
  /** Where it sends people back to. */
  redirectUri: string;
  clock: Clock;
  log: Log;
  renderErrorPage: RenderIssuerError;
}

export function createSandboxPlatform({
  base,
  redirectUri,
  clock,
  log,
  renderErrorPage,
}: SandboxParts): SandboxPlatform {
  const origin = `${base}${sandboxPath}`;
  const app = { clientId: "atelier", clientSecret: randomBytes(32).toString("base64url") };
  const lifetime = hours(1) / 1000;
  const sessionCookie = "atelier_sandbox_session";

  const configuration: Configuration = {
    adapter: createMemoryAdapter(clock),
    jwks: { keys: [{ ...signingKey(), alg: "ES256", use: "sig" }] },
    clients: [
      {
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: { session: sessionCookie, interaction: "atelier_sandbox", resume: "atelier_sandbox_resume" },
      long: { path: sandboxPath, signed: true, httpOnly: true, sameSite: "lax" },
      short: { signed: true, httpOnly: true, sameSite: "lax" },
    },
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic"],
    pkce: { required: () => true },
    scopes: ["openid", "profile", "offline_access"],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"] },
    // A refresh token serves once, as with the strictest platforms.
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: true },
      // There is one client, and every token is its own.
      revocation: { enabled: true, allowedPolicy: async () => true },
      rpInitiatedLogout: { enabled: false },
    },
    routes: { authorization: "/auth", token: "/token", jwks: "/jwks", userinfo: "/me", revocation: "/revoke" },
    interactions: { url: (_ctx, interaction) => `${sandboxPath}/access/${interaction.uid}` },
    findAccount: (_ctx, handle) => ({
      accountId: handle,
      claims: () => ({ sub: handle, name: handle, preferred_username: handle }),
    }),
    expiresWithSession: () => false,
    ttl: {
      Session: 600,
      Interaction: 600,
      Grant: 90 * 24 * lifetime,
      AuthorizationCode: 60,
      AccessToken: lifetime,
      RefreshToken: 30 * 24 * lifetime,
      IdToken: lifetime,
    },
    renderError(ctx, out, error) {
      if (!(error instanceof errors.OIDCProviderError)) log.error({ err: error }, "the sandbox platform failed");
      const page = renderErrorPage({
        status: ctx.status,
        title: "Sandbox",
        message: `This did not work (${out.error}).`,
      });
      ctx.set(page.headers);
      ctx.body = page.body;
    },
  };
  const provider = new Provider(origin, configuration);
  provider.on("server_error", (_ctx, error) => log.error({ err: error }, "the sandbox platform failed"));
  pinAddresses(provider, base);
  const callback = provider.callback();

  return {
    origin,
    app,
    async handle(req, res) {
      const { url = "" } = req;
      // Which account it was last time is not remembered here: everyone is asked, every time.
      withoutCookie(req, sessionCookie);
      Object.assign(req, { originalUrl: url, url: url.slice(sandboxPath.length) });
      try {
        await callback(req, res);
      } finally {
        req.url = url;
      }
    },
    async checkPending(req, res) {
      await orGone(provider.interactionDetails(req, res));
    },
    async finish(req, res, handle) {
      await orGone(provider.interactionDetails(req, res));
      const result =
        handle === undefined
          ? { error: "access_denied", error_description: "the person said no" }
          : { login: { accountId: handle, remember: false }, consent: { grantId: await grantTo(handle) } };
      await orGone(provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false }));
    },
  };

  async function grantTo(accountId: string): Promise<string> {
    const grant = new provider.Grant({ accountId, clientId: app.clientId });
    grant.addOIDCScope("openid profile offline_access");
    return grant.save();
  }
}

function signingKey(): object {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}

async function orGone<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    throw new AppError(
      "invalid_input",
      "There is nothing to answer here any more.",
      "Start again from the Platforms page.",
    );
  }
}
