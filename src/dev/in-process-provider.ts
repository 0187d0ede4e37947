import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  errors,
  Provider,
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  type InteractionResults,
} from "oidc-provider";
import { pinUrls } from "#auth/oauth-paths.ts";
import { renderErrorPage } from "#http/pages/page.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { sha256 } from "#lib/digest.ts";
import { days, seconds, type Clock } from "#lib/clock.ts";
import type { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";

/** A real OpenID provider in this process, for development. Atelier is its only client. */
export interface InProcessProvider {
  provider: Provider;
  issuer: string;
  /** Atelier's credentials at this provider. */
  client: { clientId: string; clientSecret: string };
  /** Handles its protocol endpoints: every path below its own except its pages. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Throws unless this browser has an authorization in progress. */
  assertPending(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Completes the authorization with the user's decision and redirects the browser. */
  finish(req: IncomingMessage, res: ServerResponse, result: InteractionResults): Promise<void>;
}

export interface DevDeps extends Pick<Deps, "baseUrl" | "clock" | "newId" | "oauthRecords"> {
  log: Log;
  /** Stays the same after a restart, and is the same in all processes. */
  secret: string;
}

export interface InProcessProviderOptions {
  /** Name used in the log. */
  name: string;
  /** Path below the base URL, different from those of the OAuth server for AI clients, which has the same origin. */
  path: string;
  cookiePrefix: string;
  redirectUri: string;
  grantTypes: ("authorization_code" | "refresh_token")[];
  /** Stores what the provider creates: sessions, pending authorizations, grants, codes and tokens. */
  adapter: AdapterFactory;
  features: Configuration["features"];
  configuration: Configuration;
  /** Returns the text of the page for a failed request. */
  describeError(error: string): { title: string; message: string };
  /** Creates the error for a browser without an authorization in progress. */
  createNotPendingError(): AppError;
}

export function createInProcessProvider(
  { baseUrl, log, secret }: DevDeps,
  options: InProcessProviderOptions,
): InProcessProvider {
  const { name, path, cookiePrefix, redirectUri, grantTypes, features, configuration } = options;
  const issuer = `${baseUrl}${path}`;
  const client = {
    clientId: "atelier",
    clientSecret: createHmac("sha256", secret).update(`${path} client`).digest("base64url"),
  };
  const sessionCookie = `${cookiePrefix}_session`;
  const logError = (error: unknown): void => log.error({ err: error }, `${name} failed`);

  const provider = new Provider(issuer, {
    adapter: options.adapter,
    jwks: { keys: [{ ...createSigningKey(), alg: "ES256", use: "sig" }] },
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
    renderError(ctx, out) {
      const page = renderErrorPage({ status: ctx.status, ...options.describeError(out.error) });
      ctx.set(page.headers);
      ctx.body = page.body;
    },
    ...configuration,
  });
  provider.on("server_error", (_ctx, error) => logError(error));
  pinUrls(provider, baseUrl);
  const callback = provider.callback();

  const translateNotPending = (error: unknown): never => {
    throw error instanceof errors.SessionNotFound ? options.createNotPendingError() : error;
  };

  return {
    provider,
    issuer,
    client,
    async handle(req, res) {
      const { url = "" } = req;
      // Without its session cookie, the provider lets the user choose an account at every sign-in.
      removeCookie(req, sessionCookie);
      Object.assign(req, { originalUrl: url, url: url.slice(path.length) });
      try {
        await callback(req, res);
      } finally {
        req.url = url;
      }
    },
    async assertPending(req, res) {
      await provider.interactionDetails(req, res).catch(translateNotPending);
    },
    async finish(req, res, result) {
      await provider
        .interactionFinished(req, res, result, { mergeWithLastSubmission: false })
        .catch(translateNotPending);
    },
  };
}

function createSigningKey(): object {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}

/** Removes a cookie, and its signature cookie, from the request headers. */
function removeCookie(req: IncomingMessage, name: string): void {
  const remainingCookies = req.headers.cookie
    ?.split(";")
    .filter((pair) => !pair.trim().startsWith(`${name}=`) && !pair.trim().startsWith(`${name}.`));
  if (remainingCookies) req.headers.cookie = remainingCookies.join(";");
}

/** Pending authorizations live for minutes, so evicting the oldest entry is safe. */
const maxEntries = 2000;

/** In-memory storage for an OpenID provider that may lose everything when the process ends. */
export function createMemoryAdapter(clock: Clock): AdapterFactory {
  const entries = new Map<string, { payload: AdapterPayload; expiresAt: number }>();
  const keysByUid = new Map<string, string>();

  const find = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    return entry && clock() < entry.expiresAt ? entry.payload : undefined;
  };
  const remove = (key: string): void => {
    const uid = entries.get(key)?.payload.uid;
    if (uid !== undefined) keysByUid.delete(uid);
    entries.delete(key);
  };

  return (model) => ({
    async upsert(id, payload, expiresIn) {
      const key = `${model}:${id}`;
      remove(key);
      entries.set(key, { payload, expiresAt: expiresIn ? clock() + expiresIn * 1000 : Infinity });
      if (payload.uid !== undefined) keysByUid.set(payload.uid, key);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) remove(oldest);
    },
    find: async (id) => find(`${model}:${id}`),
    findByUid: async (uid) => find(keysByUid.get(uid) ?? ""),
    findByUserCode: async () => undefined,
    async consume(id) {
      const payload = find(`${model}:${id}`);
      if (payload) payload.consumed = Math.floor(clock() / 1000);
    },
    destroy: async (id) => remove(`${model}:${id}`),
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) if (payload.grantId === grantId) remove(key);
    },
  });
}

/** Stores everything in the database, so that tokens survive a restart and all processes accept them. */
export function createDatabaseAdapter({ oauthRecords, clock }: Pick<Deps, "oauthRecords" | "clock">): AdapterFactory {
  return (model) => {
    const storedModel = `Sandbox${model}`;
    const isGrantRevoked = async (grantId: string): Promise<boolean> =>
      (await oauthRecords.find("SandboxRevokedGrant", sha256(grantId))) !== undefined;
    return {
      async upsert(id, payload, expiresIn) {
        await oauthRecords.put(storedModel, sha256(id), {
          payload,
          grantId: null,
          audience: null,
          scope: null,
          expiresAt: clock() + (expiresIn === undefined ? days(90) : seconds(expiresIn)),
        });
      },
      async find(id) {
        const record = await oauthRecords.find(storedModel, sha256(id));
        if (!record) return undefined;
        const payload = record.payload as AdapterPayload;
        if (payload.grantId !== undefined && (await isGrantRevoked(payload.grantId))) return undefined;
        return record.consumedAt === null ? payload : { ...payload, consumed: Math.floor(record.consumedAt / 1000) };
      },
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      consume: async (id) => void (await oauthRecords.consume(storedModel, sha256(id), clock())),
      destroy: async (id) => void (await oauthRecords.delete(storedModel, sha256(id))),
      async revokeByGrantId(grantId) {
        const record = { payload: {}, grantId: null, audience: null, scope: null, expiresAt: clock() + days(90) };
        await oauthRecords.put("SandboxRevokedGrant", sha256(grantId), record);
      },
    };
  };
}
