// An OAuth client that is implemented from the RFCs and shares no code with the server.

import { createHash, randomBytes } from "node:crypto";
import {
  createHttpBrowser,
  createCookieJar,
  signInFromPage,
  type HttpBrowser,
  type CookieJar,
  type LoadedPage,
} from "./http-browser.ts";

/** A registered client. */
export interface OAuthClient {
  id: string;
  secret?: string | undefined;
  redirectUri: string;
}

/** A response from a JSON endpoint. */
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

/** A browser that stops at the redirect to the client. */
export function createOAuthBrowser(base: string, cookies: CookieJar = createCookieJar()): HttpBrowser {
  const { origin } = new URL(base);
  // The client and the identity provider can both be on loopback; only redirects to the client have `iss` (RFC 9207).
  const isExternal = (url: URL) =>
    url.origin !== origin && (!/^(localhost|127\.0\.0\.1)$/.test(url.hostname) || url.searchParams.has("iss"));
  return createHttpBrowser(cookies, isExternal);
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

/** Sends a client registration request (RFC 7591). */
export function sendRegistration(
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
  const { status, text, body } = await sendRegistration(base, {
    client_name: "A test client",
    token_endpoint_auth_method: "none",
    ...metadata,
    redirect_uris: redirectUris,
  });
  if (status !== 201) throw new Error(`registration: ${status} ${text}`);
  return { id: body.client_id, secret: body.client_secret, redirectUri: redirectUris[0] ?? "" };
}

export interface AuthorizationRequest {
  url: string;
  verifier: string;
  state: string;
}

/** Creates an authorization request. An override that is undefined removes the parameter. */
export function createAuthorization(
  base: string,
  client: OAuthClient,
  overrides: Record<string, string | undefined> = {},
): AuthorizationRequest {
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

/** Opens the authorization URL, signs in if needed, and returns the consent page. */
export async function openConsent(browser: HttpBrowser, url: string, email: string): Promise<LoadedPage> {
  const page = await browser.open(url);
  const consent = page.url.pathname === "/login" ? await signInFromPage(browser, page, email) : page;
  if (!consent.url.pathname.startsWith("/consent/") || consent.status !== 200)
    throw new Error(
      `expected the consent page, got ${consent.status} ${consent.visitedUrls.join(" ")}\n${consent.text}`,
    );
  return consent;
}

/** Signs in, creates a studio, and allows access on the consent page, which redirects to the program's own listener. */
export async function allowAccess(base: string, url: string, email: string): Promise<void> {
  const browser = createHttpBrowser();
  const page = await openConsent(browser, url, email);
  await createStudio(base, browser);
  const { status, text } = await browser.submit(page, { decision: "approve" });
  if (status !== 200) throw new Error(`the program did not accept the redirect: ${status} ${text}`);
}

/** Returns the parameters of the redirect to the client, after checking the issuer (RFC 9207 §2). */
export function readCallback(loadedPage: LoadedPage, base: string): URLSearchParams {
  const { searchParams } = loadedPage.url;
  if (loadedPage.status !== 0)
    throw new Error(
      `expected a redirect to the client, got ${loadedPage.status} ${loadedPage.url.href}\n${loadedPage.text}`,
    );
  if (searchParams.get("iss") !== base)
    throw new Error(`the redirect does not name the issuer: ${loadedPage.url.href}`);
  return searchParams;
}

export interface ConnectOptions {
  email?: string;
  access?: "read" | "write";
  /** Overrides parameters of the authorization request. */
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

/** Registers a client if none is passed, and obtains an authorization code through the real pages. */
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

/** Sends a form with the client's credentials. A parameter that is undefined is left out. */
function postAsClient(
  url: string,
  client: OAuthClient,
  params: Record<string, string | undefined>,
): Promise<OAuthResponse> {
  const allParams = { client_id: client.id, client_secret: client.secret, ...params };
  const definedParams = Object.entries(allParams).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return post(url, new URLSearchParams(definedParams));
}

export function requestToken(
  base: string,
  client: OAuthClient,
  params: Record<string, string | undefined>,
): Promise<OAuthResponse> {
  return postAsClient(`${base}${endpointPaths.token}`, client, params);
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
  return postAsClient(`${base}${endpointPaths.revoke}`, client, { token, token_type_hint: hint });
}

export type ConnectedClient = ObtainedCode & { tokens: Tokens };

/** Obtains an authorization code and exchanges it for tokens. */
export async function connectClient(base: string, options: ConnectOptions = {}): Promise<ConnectedClient> {
  const obtainedCode = await obtainCode(base, options);
  const { status, text, body } = await exchangeCode(base, obtainedCode);
  if (status !== 200) throw new Error(`token: ${status} ${text}`);
  return { ...obtainedCode, tokens: body as Tokens };
}

/** Requests the list of tools from `/mcp` with this token. */
export async function listTools(base: string, token: string): Promise<OAuthResponse> {
  return post(`${base}/mcp`, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }), {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    authorization: `Bearer ${token}`,
  });
}

/** Creates a studio for the user of this browser, who must be signed in; returns the studio's id. */
export async function createStudio(base: string, browser: HttpBrowser, name = "North"): Promise<string> {
  const headers = { origin: new URL(base).origin, "content-type": "application/json" };
  const response = await readResponse(
    await browser.send(`${base}/api/studios`, { method: "POST", headers, body: JSON.stringify({ name }) }),
  );
  if (response.status !== 201) throw new Error(`no studio: ${response.status} ${response.text}`);
  return response.body.id as string;
}
