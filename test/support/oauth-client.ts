import { createHash, randomBytes } from "node:crypto";
import {
  createBrowser,
  createCookieJar,
  signInFrom,
  type Browser,
  type CookieJar,
  type Visit,
} from "./browser-less.ts";

/** A client of the authorization server that knows the RFCs and nothing of our code. */

export interface OAuthClient {
  id: string;
  secret?: string | undefined;
  redirectUri: string;
}

/** An answer of an endpoint that speaks JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  id_token?: string;
}

export const paths = {
  authorize: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  revoke: "/api/auth/oauth2/revoke",
  register: "/api/auth/mcp/register",
} as const;

export const webRedirect = "https://client.example/callback";

/** A browser that stops where the answer leaves us for the client. */
export function visitor(base: string, cookies: CookieJar = createCookieJar()): Browser {
  const { origin } = new URL(base);
  const isOutside = (url: URL) =>
    url.origin !== origin && (!/^(localhost|127\.0\.0\.1)$/.test(url.hostname) || url.searchParams.has("iss"));
  return createBrowser(cookies, isOutside);
}

export async function post(
  url: string,
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return answerOf(await fetch(url, { method: "POST", body, headers, redirect: "manual" }));
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: tryParse(text) };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** RFC 7591. */
export function register(base: string, metadata: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return post(`${base}${paths.register}`, JSON.stringify(metadata), { "content-type": "application/json", ...headers });
}

export async function newClient(base: string, metadata: Record<string, unknown> = {}): Promise<OAuthClient> {
  const redirectUris = (metadata["redirect_uris"] as string[] | undefined) ?? [webRedirect];
  const { status, text, body } = await register(base, {
    client_name: "A test client",
    token_endpoint_auth_method: "none",
    ...metadata,
    redirect_uris: redirectUris,
  });
  if (status !== 201) throw new Error(`registration: ${status} ${text}`);
  return { id: body.client_id, secret: body.client_secret, redirectUri: redirectUris[0] ?? "" };
}

export interface Authorization {
  url: string;
  verifier: string;
  state: string;
}

/** An address that begins an authorization; a parameter that is undefined is left out. */
export function authorization(
  base: string,
  client: OAuthClient,
  changed: Record<string, string | undefined> = {},
): Authorization {
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const params: Record<string, string | undefined> = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: client.redirectUri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${base}/mcp`,
    ...changed,
  };
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { url: `${base}${paths.authorize}?${new URLSearchParams(given).toString()}`, verifier, state };
}

/** Opens the address, signs in where asked to, and answers the consent page. */
export async function openConsent(browser: Browser, url: string, email: string): Promise<Visit> {
  const page = await browser.open(url);
  const consent = page.url.pathname === "/login" ? await signInFrom(browser, page, email) : page;
  if (!consent.url.pathname.startsWith("/consent/") || consent.status !== 200)
    throw new Error(`no consent page but ${consent.status} ${consent.trail.join(" ")}\n${consent.text}`);
  return consent;
}

/** What the client is told: the query of its redirect address. RFC 9207: every answer names who gives it. */
export function readCallback(visit: Visit, base: string): URLSearchParams {
  const { searchParams } = visit.url;
  if (visit.status !== 0)
    throw new Error(`no redirect to the client but ${visit.status} ${visit.url.href}\n${visit.text}`);
  if (searchParams.get("iss") !== base) throw new Error(`the answer does not name its issuer: ${visit.url.href}`);
  return searchParams;
}

export interface Wish {
  email?: string;
  access?: "read" | "write";
  /** Changed parameters of the authorization. */
  ask?: Record<string, string | undefined>;
  browser?: Browser;
  client?: OAuthClient;
}

export interface Code {
  client: OAuthClient;
  browser: Browser;
  code: string;
  verifier: string;
}

/** From nothing to a code, through the real pages. */
export async function obtainCode(base: string, wish: Wish = {}): Promise<Code> {
  const client = wish.client ?? (await newClient(base));
  const browser = wish.browser ?? visitor(base);
  const { url, verifier, state } = authorization(base, client, wish.ask);
  const page = await openConsent(browser, url, wish.email ?? "someone@example.com");
  const answer = { decision: "approve", ...(wish.access ? { access: wish.access } : {}) };
  const told = readCallback(await browser.submit(page, answer), base);
  const code = told.get("code");
  if (code === null || told.get("state") !== state) throw new Error(`no code: ${told.toString()}`);
  return { client, browser, code, verifier };
}

/** A request to the token endpoint as this client makes it; a parameter that is undefined is left out. */
export function askToken(
  base: string,
  client: OAuthClient,
  params: Record<string, string | undefined>,
  path: string = paths.token,
): Promise<Answer> {
  const all = { client_id: client.id, client_secret: client.secret, ...params };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return post(`${base}${path}`, new URLSearchParams(given));
}

export function exchange(
  base: string,
  { client, code, verifier }: Omit<Code, "browser">,
  changed: Record<string, string | undefined> = {},
): Promise<Answer> {
  return askToken(base, client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
    ...changed,
  });
}

export function refresh(
  base: string,
  client: OAuthClient,
  refreshToken: string,
  changed: Record<string, string | undefined> = {},
): Promise<Answer> {
  return askToken(base, client, { grant_type: "refresh_token", refresh_token: refreshToken, ...changed });
}

export function revoke(base: string, client: OAuthClient, token: string, hint?: string): Promise<Answer> {
  return askToken(base, client, { token, token_type_hint: hint }, paths.revoke);
}

export type Connection = Code & { tokens: Tokens };

/** From nothing to tokens. */
export async function connect(base: string, wish: Wish = {}): Promise<Connection> {
  const obtained = await obtainCode(base, wish);
  const { status, text, body } = await exchange(base, obtained);
  if (status !== 200) throw new Error(`token: ${status} ${text}`);
  return { ...obtained, tokens: body as Tokens };
}

/** What `/mcp` says to a token: its status, and the tools it may see. */
export async function callMcp(base: string, token: string): Promise<Answer> {
  return post(`${base}/mcp`, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }), {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    authorization: `Bearer ${token}`,
  });
}

/** A first studio for the person who is signed in in this browser. */
export async function createStudio(base: string, browser: Browser, name = "North"): Promise<string> {
  const headers = { origin: new URL(base).origin, "content-type": "application/json" };
  const made = await answerOf(
    await browser.send(`${base}/api/studios`, { method: "POST", headers, body: JSON.stringify({ name }) }),
  );
  if (made.status !== 201) throw new Error(`no studio: ${made.status} ${made.text}`);
  return made.body.id as string;
}
