import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createPublicFetch, type PublicAddressOptions, type PublicFetch } from "#lib/public-fetch.ts";
import { mastodon } from "#platforms/catalog/mastodon.ts";
import type { Platform } from "#platforms/platform.ts";
import type { PlatformSetup } from "#platforms/platforms.ts";
import { demand, textIn } from "#platforms/read-json.ts";
import { makeCertificate } from "./certificate.ts";

/**
 * Someone else's platform, run by the letter: codes serve once and with their PKCE verifier, refresh tokens rotate and
 * one used twice ends them all, our secret is asked for at every step.
 */
export interface StrictPlatform {
  origin: string;
  /** How the service knows it: as `strict`, as an instance of Mastodon, and as `unset`, without settings. */
  setups(options?: PublicAddressOptions & { timeoutMs?: number; withBrief?: boolean }): PlatformSetup[];
  reach(options?: PublicAddressOptions & { timeoutMs?: number }): PublicFetch;
  /** The person at the platform's own page: gives access to this account, or says no. Where the browser goes then. */
  answer(location: string, account: string | undefined): string;
  /** How often each of its addresses was asked for. */
  hits: Map<string, number>;
  /** Every token it ever gave. */
  given: string[];
  /** Whether this access or refresh token would still be taken. */
  isLive(token: string): boolean;
  /** Seconds that access tokens live, as it says. */
  expiresIn: number | undefined;
  /** What is wrong with it from now on, by address. */
  faults: Map<string, Fault>;
  /** Done once, when tokens have been renewed and before that is answered. */
  meanwhile: (() => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

type Fault = keyof typeof spoiled | { status: number; body: object };

interface Family {
  account: string;
  access: string;
  refresh: string;
  spent: Set<string>;
  dead: boolean;
}

interface Code {
  account: string;
  clientId: string;
  redirectUri: string;
  challenge: string;
  used: boolean;
}

const hostName = "platform.test";
const strictApp = { clientId: "atelier-at-strict", clientSecret: "the secret of Atelier at strict" };

export async function startStrictPlatform(): Promise<StrictPlatform> {
  const { key, cert } = makeCertificate([hostName, "other.test"]);
  const clients = new Map([[strictApp.clientId, strictApp.clientSecret]]);
  const codes = new Map<string, Code>();
  const families: Family[] = [];
  const server = createServer({ key, cert }, (req, res) => void serve(req, res));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `https://${hostName}:${(server.address() as AddressInfo).port}`;

  const newSecret = (): string => randomBytes(24).toString("base64url");
  const issue = (family: Family): Record<string, unknown> => {
    Object.assign(family, { access: newSecret(), refresh: newSecret() });
    strict.given.push(family.access, family.refresh);
    const { expiresIn } = strict;
    return {
      access_token: family.access,
      token_type: "Bearer",
      refresh_token: family.refresh,
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    };
  };

  function redeem(form: URLSearchParams): Record<string, unknown> | undefined {
    const code = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!code || code.used || code.redirectUri !== form.get("redirect_uri") || code.challenge !== challenge)
      return undefined;
    code.used = true;
    const family: Family = { account: code.account, access: "", refresh: "", spent: new Set(), dead: false };
    families.push(family);
    return issue(family);
  }

  function refresh(form: URLSearchParams): Record<string, unknown> | undefined {
    const token = form.get("refresh_token") ?? "";
    const family = families.find((one) => one.refresh === token || one.spent.has(token));
    if (!family || family.dead) return undefined;
    if (family.spent.has(token)) {
      family.dead = true;
      return undefined;
    }
    family.spent.add(token);
    return issue(family);
  }

  async function takeMeanwhile(): Promise<void> {
    const { meanwhile } = strict;
    strict.meanwhile = undefined;
    await meanwhile?.();
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? "").replace("/oauth/", "/").split("?", 1)[0] ?? "";
    strict.hits.set(path, (strict.hits.get(path) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const fault = strict.faults.get(path);
    if (fault) return spoil(fault, res);
    const json = (status: number, body: object) =>
      void res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (path === "/api/v1/apps") {
      const app = { client_id: newSecret(), client_secret: newSecret() };
      clients.set(app.client_id, app.client_secret);
      strict.given.push(app.client_secret);
      return json(200, { ...app, name: form.get("client_name"), redirect_uris: form.get("redirect_uris") });
    }
    if (path === "/token" || path === "/revoke") {
      const [id, secret] = credentialsIn(req, form);
      if (clients.get(id) !== secret || secret === "") return json(401, { error: "invalid_client" });
      if (path === "/revoke") {
        const family = families.find((one) => [one.access, one.refresh].includes(form.get("token") ?? ""));
        if (family) family.dead = true;
        return json(200, {});
      }
      const renewal = form.get("grant_type") === "refresh_token";
      const answer = renewal ? refresh(form) : redeem(form);
      if (renewal) await takeMeanwhile();
      return answer ? json(200, answer) : json(400, { error: "invalid_grant" });
    }
    const family = families.find((one) => !one.dead && req.headers.authorization === `Bearer ${one.access}`);
    if (!family) return json(401, { error: "invalid_token" });
    const { account } = family;
    return json(200, {
      ...{ id: `id-of-${account}`, handle: account, name: `The ${account}` },
      ...{ acct: account, display_name: `The ${account}`, url: `${origin}/@${account}` },
    });
  }

  const strict: StrictPlatform = {
    origin,
    hits: new Map(),
    given: [],
    faults: new Map(),
    meanwhile: undefined,
    expiresIn: 3600,
    isLive: (token) => families.some((one) => !one.dead && [one.access, one.refresh].includes(token)),
    answer(location, account) {
      const asked = new URL(location).searchParams;
      const redirectUri = asked.get("redirect_uri") ?? "";
      const back = new URL(redirectUri);
      back.searchParams.set("state", asked.get("state") ?? "");
      if (
        asked.get("response_type") !== "code" ||
        asked.get("code_challenge_method") !== "S256" ||
        !clients.has(asked.get("client_id") ?? "")
      )
        throw new Error(`not a proper request: ${location}`);
      if (account === undefined) {
        back.searchParams.set("error", "access_denied");
        return back.href;
      }
      const code = newSecret();
      codes.set(code, {
        account,
        clientId: asked.get("client_id") ?? "",
        redirectUri,
        challenge: asked.get("code_challenge") ?? "",
        used: false,
      });
      back.searchParams.set("code", code);
      return back.href;
    },
    reach: ({ timeoutMs = 5000, ...options } = {}) =>
      createPublicFetch({
        timeoutMs,
        maxBytes: 256 * 1024,
        tls: { ca: cert },
        resolve: async () => ["127.0.0.1"],
        isAllowed: (address) => address === "127.0.0.1",
        ...options,
      }),
    setups: (options = {}) => {
      const { withBrief = false, ...how } = options;
      const reach = strict.reach(how);
      return [
        { platform: strictEntry(origin), app: strictApp, reach },
        { platform: mastodon, reach },
        { platform: { ...strictEntry(origin), id: "unset", name: "Unset" }, reach },
        ...(withBrief ? [{ platform: brief(origin), app: strictApp, reach }] : []),
      ];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return strict;
}

function credentialsIn(req: IncomingMessage, form: URLSearchParams): [string, string] {
  const basic = /^Basic (.+)$/.exec(req.headers.authorization ?? "")?.[1];
  if (basic === undefined) return [form.get("client_id") ?? "", form.get("client_secret") ?? ""];
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  return [decodeURIComponent(id), decodeURIComponent(secret.replaceAll("+", " "))];
}

const type = { "content-type": "application/json" };
const spoiled = {
  garbage: (res) => res.writeHead(200, type).end("{{{ not json \u0000"),
  html: (res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  silence: () => {},
  drip: (res) => {
    res.writeHead(200, type);
    const timer = setInterval(() => res.write(" "), 50);
    res.on("close", () => clearInterval(timer));
  },
  error500: (res) => res.writeHead(500, type).end('{"error":"server_error"}'),
  huge: (res) => res.writeHead(200, type).end(JSON.stringify({ access_token: "x".repeat(2 ** 20) })),
  redirect: (res) => res.writeHead(302, { location: "https://platform.test/elsewhere" }).end(),
  no_token: (res) => res.writeHead(200, type).end("{}"),
} as const satisfies Record<string, (res: ServerResponse) => void>;

function spoil(fault: Fault, res: ServerResponse): void {
  if (typeof fault === "string") spoiled[fault](res);
  else res.writeHead(fault.status, type).end(JSON.stringify(fault.body));
}

/** The same platform as if its tokens could not be renewed. */
const brief = (origin: string): Platform => ({ ...strictEntry(origin), id: "brief", name: "Brief", refresh: "none" });

function strictEntry(origin: string): Platform {
  return {
    id: "strict",
    name: "Strict",
    endpoints: {
      authorization: `${origin}/authorize`,
      token: `${origin}/token`,
      revocation: `${origin}/revoke`,
      api: origin,
    },
    app: "settings",
    scopes: ["profile", "post"],
    pkce: true,
    clientAuth: "basic",
    refresh: "standard",
    revoke: "standard",
    account: ({ accessToken, endpoints }) => ({ method: "GET", url: `${endpoints.api}/me`, bearer: accessToken }),
    readAccounts: ({ id, handle, name }) => [{ id: demand(id, "id"), handle: textIn(handle), name: textIn(name) }],
    limits: {
      text: { max: 20, countedIn: "graphemes" },
      images: { max: 1, types: ["image/jpeg"], maxBytes: 1000 },
      mixed: false,
      altText: {},
      sources: [{ url: "https://platform.test/docs", readOn: "2026-11-15" }],
    },
    sources: [{ url: "https://platform.test/docs", readOn: "2026-11-15" }],
  };
}
