import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { seconds } from "#lib/clock.ts";
import { createPublicFetch, type PublicHostOptions, type PublicFetch } from "#lib/public-fetch.ts";
import { mastodon } from "#connectors/mastodon/connect.ts";
import type { OAuthPlatform } from "#connectors/platform.ts";
import type { OAuthSetup } from "#connectors/connectors.ts";
import { requireText, toText } from "#connectors/call-api.ts";
import { createCertificate } from "./certificate.ts";
import { listenLocally } from "./local-server.ts";

/**
 * A platform that follows the OAuth specifications strictly: a code works once and only with its PKCE verifier, refresh
 * tokens rotate, reuse of a refresh token revokes the whole token family, every token request needs the secret, and
 * codes and tokens work only for the client that they were issued to (RFC 6749 §4.1.3 and §6, RFC 7009 §2.1).
 */
export interface StrictPlatform {
  origin: string;
  /**
   * Setups for `strict`, for a Mastodon instance, and for `unset`, which has no app settings; on request also for
   * `no-refresh`, whose tokens can't be refreshed.
   */
  createSetups(options?: PublicHostOptions & { includesNoRefresh?: boolean }): OAuthSetup[];
  /** Waits only briefly for responses that never end. */
  createFetch(options?: PublicHostOptions): PublicFetch;
  /** Allows access to an account, or denies it if undefined, as a user does. Returns the callback URL. */
  authorize(location: string, account: string | undefined): string;
  /** The number of requests per path. */
  requestCounts: Map<string, number>;
  /** Every token and client secret that the platform issued. */
  issuedSecrets: string[];
  /** Whether this access or refresh token is still valid. */
  isTokenActive(token: string): boolean;
  /** The `expires_in` of access tokens, in seconds. */
  expiresIn: number | undefined;
  /** The fault to respond with, by path. */
  faults: Map<string, Fault>;
  /** Runs once, after a refresh has rotated the tokens and before the response. */
  onRefresh: (() => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

type Fault = keyof typeof faultResponses | { status: number; body: object };

interface TokenFamily {
  account: string;
  clientId: string;
  accessToken: string;
  refreshToken: string;
  usedRefreshTokens: Set<string>;
  isRevoked: boolean;
}

interface Code {
  account: string;
  clientId: string;
  redirectUri: string;
  challenge: string;
  isUsed: boolean;
}

const platformHost = "platform.test";
const strictApp = { clientId: "atelier-at-strict", clientSecret: "the secret of Atelier at strict" };

export async function startStrictPlatform(): Promise<StrictPlatform> {
  const { key, cert } = createCertificate([platformHost, "other.test"]);
  const clients = new Map([[strictApp.clientId, strictApp.clientSecret]]);
  const codes = new Map<string, Code>();
  const families: TokenFamily[] = [];
  const server = createServer({ key, cert }, (req, res) => void serve(req, res));
  const { port, close } = await listenLocally(server);
  const origin = `https://${platformHost}:${port}`;

  const newSecret = (): string => randomBytes(24).toString("base64url");
  const issueTokens = (family: TokenFamily): Record<string, unknown> => {
    Object.assign(family, { accessToken: newSecret(), refreshToken: newSecret() });
    strict.issuedSecrets.push(family.accessToken, family.refreshToken);
    const { expiresIn } = strict;
    return {
      access_token: family.accessToken,
      token_type: "Bearer",
      refresh_token: family.refreshToken,
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    };
  };

  function redeem(form: URLSearchParams, clientId: string): Record<string, unknown> | undefined {
    const code = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      code?.clientId !== clientId ||
      code.isUsed ||
      code.redirectUri !== form.get("redirect_uri") ||
      code.challenge !== challenge
    )
      return undefined;
    code.isUsed = true;
    const family: TokenFamily = {
      account: code.account,
      clientId,
      accessToken: "",
      refreshToken: "",
      usedRefreshTokens: new Set(),
      isRevoked: false,
    };
    families.push(family);
    return issueTokens(family);
  }

  function refresh(form: URLSearchParams, clientId: string): Record<string, unknown> | undefined {
    const token = form.get("refresh_token") ?? "";
    const family = families.find(
      (candidate) => candidate.refreshToken === token || candidate.usedRefreshTokens.has(token),
    );
    if (family?.clientId !== clientId || family.isRevoked) return undefined;
    if (family.usedRefreshTokens.has(token)) {
      family.isRevoked = true;
      return undefined;
    }
    family.usedRefreshTokens.add(token);
    return issueTokens(family);
  }

  async function runOnRefresh(): Promise<void> {
    const { onRefresh } = strict;
    strict.onRefresh = undefined;
    await onRefresh?.();
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = toPath(req.url ?? "");
    strict.requestCounts.set(path, (strict.requestCounts.get(path) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const fault = strict.faults.get(path);
    if (fault) return respondWithFault(fault, res);
    const json = (status: number, body: object) =>
      void res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (path === "/api/v1/apps") {
      const app = { client_id: newSecret(), client_secret: newSecret() };
      clients.set(app.client_id, app.client_secret);
      strict.issuedSecrets.push(app.client_secret);
      return json(200, { ...app, name: form.get("client_name"), redirect_uris: form.get("redirect_uris") });
    }
    if (path === "/token" || path === "/revoke") {
      const [id, secret] = readCredentials(req, form);
      if (clients.get(id) !== secret || secret === "") return json(401, { error: "invalid_client" });
      if (path === "/revoke") {
        const family = families.find((candidate) =>
          [candidate.accessToken, candidate.refreshToken].includes(form.get("token") ?? ""),
        );
        if (family?.clientId === id) family.isRevoked = true;
        return json(200, {});
      }
      const isRenewal = form.get("grant_type") === "refresh_token";
      const tokens = isRenewal ? refresh(form, id) : redeem(form, id);
      if (isRenewal) await runOnRefresh();
      return tokens ? json(200, tokens) : json(400, { error: "invalid_grant" });
    }
    const family = families.find(
      (candidate) => !candidate.isRevoked && req.headers.authorization === `Bearer ${candidate.accessToken}`,
    );
    if (!family) return json(401, { error: "invalid_token" });
    const { account } = family;
    return json(200, {
      ...{ id: `id-of-${account}`, handle: account, name: `The ${account}` },
      ...{ acct: account, display_name: `The ${account}`, url: `${origin}/@${account}` },
    });
  }

  const strict: StrictPlatform = {
    origin,
    requestCounts: new Map(),
    issuedSecrets: [],
    faults: new Map(),
    onRefresh: undefined,
    expiresIn: 3600,
    isTokenActive: (token) =>
      families.some(
        (candidate) => !candidate.isRevoked && [candidate.accessToken, candidate.refreshToken].includes(token),
      ),
    authorize(location, account) {
      const params = new URL(location).searchParams;
      const redirectUri = params.get("redirect_uri") ?? "";
      const callbackUrl = new URL(redirectUri);
      callbackUrl.searchParams.set("state", params.get("state") ?? "");
      if (
        params.get("response_type") !== "code" ||
        params.get("code_challenge_method") !== "S256" ||
        !clients.has(params.get("client_id") ?? "")
      )
        throw new Error(`invalid authorization request: ${location}`);
      if (account === undefined) {
        callbackUrl.searchParams.set("error", "access_denied");
        return callbackUrl.href;
      }
      const code = newSecret();
      codes.set(code, {
        account,
        clientId: params.get("client_id") ?? "",
        redirectUri,
        challenge: params.get("code_challenge") ?? "",
        isUsed: false,
      });
      callbackUrl.searchParams.set("code", code);
      return callbackUrl.href;
    },
    createFetch(options = {}) {
      const publicFetch = createPublicFetch({
        timeoutMs: seconds(60),
        maxBytes: 256 * 1024,
        tls: { ca: cert },
        resolve: async () => ["127.0.0.1"],
        isAllowed: (ip) => ip === "127.0.0.1",
        ...options,
      });
      return (url, request) => {
        const fault = strict.faults.get(toPath(new URL(url).pathname));
        const isEndless = fault === "silence" || fault === "drip";
        return publicFetch(url, { ...request, ...(isEndless && { timeoutMs: 300 }) });
      };
    },
    createSetups: (options = {}) => {
      const { includesNoRefresh = false, ...fetchOptions } = options;
      const publicFetch = strict.createFetch(fetchOptions);
      return [
        { platform: createStrictEntry(origin), app: strictApp, publicFetch },
        { platform: mastodon, publicFetch },
        { platform: { ...createStrictEntry(origin), id: "unset", name: "Unset" }, publicFetch },
        ...(includesNoRefresh ? [{ platform: createPlatformWithoutRefresh(origin), app: strictApp, publicFetch }] : []),
      ];
    },
    close,
  };
  return strict;
}

const toPath = (url: string): string => url.replace("/oauth/", "/").split("?", 1)[0] ?? "";

function readCredentials(req: IncomingMessage, form: URLSearchParams): [string, string] {
  const basic = /^Basic (.+)$/.exec(req.headers.authorization ?? "")?.[1];
  if (basic === undefined) return [form.get("client_id") ?? "", form.get("client_secret") ?? ""];
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  return [decodeURIComponent(id), decodeURIComponent(secret.replaceAll("+", " "))];
}

const jsonHeaders = { "content-type": "application/json" };
const faultResponses = {
  garbage: (res) => res.writeHead(200, jsonHeaders).end("{{{ not json \u0000"),
  html: (res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  silence: () => {},
  drip: (res) => {
    res.writeHead(200, jsonHeaders);
    const timer = setInterval(() => res.write(" "), 50);
    res.on("close", () => clearInterval(timer));
  },
  error500: (res) => res.writeHead(500, jsonHeaders).end('{"error":"server_error"}'),
  huge: (res) => res.writeHead(200, jsonHeaders).end(JSON.stringify({ access_token: "x".repeat(2 ** 20) })),
  redirect: (res) => res.writeHead(302, { location: "https://platform.test/elsewhere" }).end(),
  no_token: (res) => res.writeHead(200, jsonHeaders).end("{}"),
} as const satisfies Record<string, (res: ServerResponse) => void>;

function respondWithFault(fault: Fault, res: ServerResponse): void {
  if (typeof fault === "string") faultResponses[fault](res);
  else res.writeHead(fault.status, jsonHeaders).end(JSON.stringify(fault.body));
}

/** The strict platform without refresh tokens. */
const createPlatformWithoutRefresh = (origin: string): OAuthPlatform => ({
  ...createStrictEntry(origin),
  id: "no-refresh",
  name: "No refresh",
  refresh: "none",
});

function createStrictEntry(origin: string): OAuthPlatform {
  return {
    id: "strict",
    name: "Strict",
    endpoints: {
      authorization: `${origin}/authorize`,
      token: `${origin}/token`,
      revocation: `${origin}/revoke`,
      api: origin,
    },
    scopes: ["profile", "post"],
    pkce: true,
    clientAuth: "basic",
    refresh: "standard",
    revoke: "standard",
    accountCall: { path: "/me" },
    parseAccounts: ({ id, handle, name }) => [
      { id: requireText(id, "id"), handle: toText(handle), name: toText(name) },
    ],
    limits: {
      text: { max: 20, unit: "graphemes" },
      images: { max: 1, types: ["image/jpeg"], maxBytes: 1000 },
      allowsMixedKinds: false,
      altText: {},
      sources: [{ url: "https://platform.test/docs", readOn: "2026-11-15" }],
    },
  };
}
