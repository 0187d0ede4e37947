import { createHash, randomBytes } from "node:crypto";
import {
  createHttpBrowser,
  createCookieJar,
  signInFromPage,
  type HttpBrowser,
  type CookieJar,
  type LoadedPage,
} from "./http-browser.ts";

/** A client of the authorization server that knows the RFCs and nothing of our code. */

export interface OAuthClient {
  id: string;
  secret?: string | undefined;
  redirectUri: string;
}

/** An answer of an endpoint that speaks JSON. */
export interface OAuthResponse {
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

export const endpointPaths = {
  authorize: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  revoke: "/api/auth/oauth2/revoke",
  register: "/api/auth/mcp/register",
} as const;

export const webRedirect = "https://client.example/callback";

/** A browser that stops where the answer leaves us for the client. */
export function createOAuthBrowser(base: string, cookies: CookieJar = createCookieJar()): HttpBrowser {
  const { origin } = new URL(base);
  const isOutside = (url: URL) =>
    url.origin !== origin && (!/^(localhost|127\.0\.0\.1)$/.test(url.hostname) || url.searchParams.has("iss"));
  return createHttpBrowser(cookies, isOutside);
}

export async function post(
  url: string,
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<OAuthResponse> {
  return readResponse(await fetch(url, { method: "POST", body, headers, redirect: "manual" }));
}

export async function readResponse(response: Response): Promise<OAuthResponse> {
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
export function register(
  base: string,
  metadata: unknown,
  headers: Record<string, string> = {},
): Promise<OAuthResponse> {
  return post(`${base}${endpointPaths.register}`, JSON.stringify(metadata), {
    "content-type": "application/json",
    ...headers,
  });
}

export async function registerClient(base: string, metadata: Record<string, unknown> = {}): Promise<OAuthClient> {
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
export function createAuthorization(
  base: string,
  client: OAuthClient,
  overrides: Record<string, string | undefined> = {},
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
    ...overrides,
  };
  const definedParams = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { url: `${base}${endpointPaths.authorize}?${new URLSearchParams(definedParams).toString()}`, verifier, state };
}

/** Opens the address, signs in where asked to, and answers the consent page. */
export async function openConsent(browser: HttpBrowser, url: string, email: string): Promise<LoadedPage> {
  const page = await browser.open(url);
  const consent = page.url.pathname === "/login" ? await signInFromPage(browser, page, email) : page;
  if (!consent.url.pathname.startsWith("/consent/") || consent.status !== 200)
    throw new Error(`no consent page but ${consent.status} ${consent.redirects.join(" ")}\n${consent.text}`);
  return consent;
}

/** What the client is told: the query of its redirect address. RFC 9207: every answer names who gives it. */
export function readCallback(loadedPage: LoadedPage, base: string): URLSearchParams {
  const { searchParams } = loadedPage.url;
  if (loadedPage.status !== 0)
    throw new Error(`no redirect to the client but ${loadedPage.status} ${loadedPage.url.href}\n${loadedPage.text}`);
  if (searchParams.get("iss") !== base) throw new Error(`the answer does not name its issuer: ${loadedPage.url.href}`);
  return searchParams;
}

export interface ConnectOptions {
  email?: string;
  access?: "read" | "write";
  /** Changed parameters of the authorization. */
  authorizationParams?: Record<string, string | undefined>;
  browser?: HttpBrowser;
  client?: OAuthClient;
}

export interface ObtainedCode {
  client: OAuthClient;
  browser: HttpBrowser;
  code: string;
  verifier: string;
}

/** From nothing to a code, through the real pages. */
export async function obtainCode(base: string, options: ConnectOptions = {}): Promise<ObtainedCode> {
  const client = options.client ?? (await registerClient(base));
  const browser = options.browser ?? createOAuthBrowser(base);
  const { url, verifier, state } = createAuthorization(base, client, options.authorizationParams);
  const page = await openConsent(browser, url, options.email ?? "someone@example.com");
  const decision = { decision: "approve", ...(options.access ? { access: options.access } : {}) };
  const callbackParams = readCallback(await browser.submit(page, decision), base);
  const code = callbackParams.get("code");
  if (code === null || callbackParams.get("state") !== state) throw new Error(`no code: ${callbackParams.toString()}`);
  return { client, browser, code, verifier };
}

/** A request to the token endpoint as this client makes it; a parameter that is undefined is left out. */
export function requestToken(
  base: string,
  client: OAuthClient,
  params: Record<string, string | undefined>,
  path: string = endpointPaths.token,
): Promise<OAuthResponse> {
  const tokenParams = { client_id: client.id, client_secret: client.secret, ...params };
  const definedParams = Object.entries(tokenParams).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return post(`${base}${path}`, new URLSearchParams(definedParams));
}

export function exchangeCode(
  base: string,
  { client, code, verifier }: Omit<ObtainedCode, "browser">,
  overrides: Record<string, string | undefined> = {},
): Promise<OAuthResponse> {
  return requestToken(base, client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
    ...overrides,
  });
}

export function refreshTokens(
  base: string,
  client: OAuthClient,
  refreshToken: string,
  overrides: Record<string, string | undefined> = {},
): Promise<OAuthResponse> {
  return requestToken(base, client, { grant_type: "refresh_token", refresh_token: refreshToken, ...overrides });
}

export function revokeToken(base: string, client: OAuthClient, token: string, hint?: string): Promise<OAuthResponse> {
  return requestToken(base, client, { token, token_type_hint: hint }, endpointPaths.revoke);
}

export type Connection = ObtainedCode & { tokens: Tokens };

/** From nothing to tokens. */
export async function connectClient(base: string, options: ConnectOptions = {}): Promise<Connection> {
  const obtained = await obtainCode(base, options);
  const { status, text, body } = await exchangeCode(base, obtained);
  if (status !== 200) throw new Error(`token: ${status} ${text}`);
  return { ...obtained, tokens: body as Tokens };
}

/** What `/mcp` says to a token: its status, and the tools it may see. */
export async function callMcp(base: string, token: string): Promise<OAuthResponse> {
  return post(`${base}/mcp`, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }), {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    authorization: `Bearer ${token}`,
  });
}

/** A first studio for the person who is signed in in this browser. */
export async function createStudio(base: string, browser: HttpBrowser, name = "North"): Promise<string> {
  const headers = { origin: new URL(base).origin, "content-type": "application/json" };
  const creationResponse = await readResponse(
    await browser.send(`${base}/api/studios`, { method: "POST", headers, body: JSON.stringify({ name }) }),
  );
  if (creationResponse.status !== 201)
    throw new Error(`no studio: ${creationResponse.status} ${creationResponse.text}`);
  return creationResponse.body.id as string;
}
