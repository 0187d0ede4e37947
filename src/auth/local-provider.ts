import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, Provider, type Configuration, type InteractionResults } from "oidc-provider";
import type { Clock } from "#lib/clock.ts";
import type { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { pinAddresses } from "./pin-addresses.ts";

/** A real provider in this process, for one person on one machine: only we are its client, and it forgets with us. */
export interface LocalProvider {
  provider: Provider;
  issuer: string;
  /** Ourselves, as it knows us. */
  client: { clientId: string; clientSecret: string };
  /** Its protocol: everything below its path but the page. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Throws unless this browser is in the middle of being asked. */
  checkPending(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Answers for the person and sends the browser on. */
  finish(req: IncomingMessage, res: ServerResponse, answer: InteractionResults): Promise<void>;
}

/** What every provider of this process is given. */
export interface LocalProviderParts {
  base: string;
  clock: Clock;
  log: Log;
  renderErrorPage: RenderErrorPage;
}

export type RenderErrorPage = (error: { status: number; title: string; message: string }) => {
  headers: Record<string, string>;
  body: string;
};

/** What makes it this provider and not another. */
export interface LocalProviderCharacter {
  /** As the log names it. */
  name: string;
  /** Below the base; the OAuth server for clients lives on the same origin. */
  path: string;
  /** Begins the names of its cookies. */
  cookiePrefix: string;
  redirectUri: string;
  grantTypes: ("authorization_code" | "refresh_token")[];
  features: Configuration["features"];
  configuration: Configuration;
  /** The page for a request that it cannot answer. */
  failed(error: string): { title: string; message: string };
  /** For a browser that is not, or no longer, being asked. */
  gone(): AppError;
}

export function createLocalProvider(
  { base, clock, log, renderErrorPage }: LocalProviderParts,
  { name, path, cookiePrefix, redirectUri, grantTypes, features, configuration, failed, gone }: LocalProviderCharacter,
): LocalProvider {
  const issuer = `${base}${path}`;
  const client = { clientId: "atelier", clientSecret: randomBytes(32).toString("base64url") };
  const sessionCookie = `${cookiePrefix}_session`;
  const tellFailure = (error: unknown): void => log.error({ err: error }, `${name} failed`);

  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(clock),
    jwks: { keys: [{ ...signingKey(), alg: "ES256", use: "sig" }] },
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: grantTypes,
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: {
        session: sessionCookie,
        interaction: `${cookiePrefix}_interaction`,
        resume: `${cookiePrefix}_resume`,
      },
      long: { path, signed: true, httpOnly: true, sameSite: "lax" },
      short: { signed: true, httpOnly: true, sameSite: "lax" },
    },
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic"],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false }, ...features },
    expiresWithSession: () => false,
    renderError(ctx, out, error) {
      if (!(error instanceof errors.OIDCProviderError)) tellFailure(error);
      const page = renderErrorPage({ status: ctx.status, ...failed(out.error) });
      ctx.set(page.headers);
      ctx.body = page.body;
    },
    ...configuration,
  });
  provider.on("server_error", (_ctx, error) => tellFailure(error));
  pinAddresses(provider, base);
  const callback = provider.callback();

  async function orGone<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw error instanceof errors.SessionNotFound ? gone() : error;
    }
  }

  return {
    provider,
    issuer,
    client,
    async handle(req, res) {
      const { url = "" } = req;
      // Who it was last time is not remembered here: everyone is asked, every time.
      withoutCookie(req, sessionCookie);
      Object.assign(req, { originalUrl: url, url: url.slice(path.length) });
      try {
        await callback(req, res);
      } finally {
        req.url = url;
      }
    },
    async checkPending(req, res) {
      await orGone(provider.interactionDetails(req, res));
    },
    async finish(req, res, answer) {
      await orGone(provider.interactionFinished(req, res, answer, { mergeWithLastSubmission: false }));
    },
  };
}

function signingKey(): object {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}

/** The request as if the browser had not sent this cookie. */
function withoutCookie(req: IncomingMessage, name: string): void {
  const kept = req.headers.cookie
    ?.split(";")
    .filter((pair) => !pair.trim().startsWith(`${name}=`) && !pair.trim().startsWith(`${name}.`));
  if (kept) req.headers.cookie = kept.join(";");
}
