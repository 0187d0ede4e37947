import * as oauth from "oauth4webapi";
import type { PendingConnect, PlatformApp, PlatformTokens } from "#domain/ports/platforms.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { sendCall, withPlatformErrors } from "./call-api.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import type { ApiCall, Endpoints, TokenContext, OAuthPlatform } from "./platform.ts";
import { exchange } from "./protocol-errors.ts";
import { normalizeTokenResponse, toTokens } from "./token-response.ts";

/** One platform, or one of its instances, with this server's credentials for it. */
export interface ConnectorContext {
  platform: OAuthPlatform;
  endpoints: Endpoints;
  app: PlatformApp;
  redirectUri: string;
  publicFetch: PublicFetch;
}

/** Returns the URL to redirect the browser to, and the values that `exchangeCode` verifies the callback with. */
export async function createAuthorizationUrl(
  context: ConnectorContext,
): Promise<{ location: string } & PendingConnect> {
  const { platform, endpoints, app, redirectUri } = context;
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const location = new URL(endpoints.authorization);
  const parameters = {
    ...platform.authorizeParams,
    response_type: "code",
    [platform.clientIdParam ?? "client_id"]: app.clientId,
    redirect_uri: redirectUri,
    scope: platform.scopes.join(platform.scopeSeparator ?? " "),
    state,
    ...(platform.pkce
      ? { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" }
      : {}),
  };
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return { location: location.href, state, verifier };
}

/** Verifies the callback and exchanges its code for tokens. */
export async function exchangeCode(
  context: ConnectorContext,
  callback: URL,
  pending: PendingConnect,
): Promise<PlatformTokens> {
  const { platform } = context;
  const { server, client, options } = createOAuthClient(context);
  const callbackParams = new URLSearchParams(callback.searchParams);
  // Check `iss` (RFC 9207) only if the platform declares its issuer. Redirect URIs per instance also prevent mix-up.
  if (context.endpoints.issuer === undefined) callbackParams.delete("iss");
  // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated as a warning, not for removal
  const verifier = platform.pkce ? pending.verifier : oauth.nopkce;
  const auth = createClientAuth(context);
  const tokens = await exchange(
    async () => {
      const params = oauth.validateAuthResponse(server, client, callbackParams, pending.state);
      return oauth.authorizationCodeGrantRequest(server, client, auth, params, context.redirectUri, verifier, options);
    },
    async (response) => toTokens(await oauth.processAuthorizationCodeResponse(server, client, response)),
  );
  return platform.buildLongLivedTokenCall
    ? fetchTokens(context, platform.buildLongLivedTokenCall(toTokenContext(context, tokens)))
    : tokens;
}

export async function renewTokens(
  context: ConnectorContext,
  tokens: PlatformTokens,
): Promise<PlatformTokens | undefined> {
  const { refresh } = context.platform;
  if (refresh === "none") return undefined;
  if (refresh !== "standard") return fetchTokens(context, refresh(toTokenContext(context, tokens)));
  const { refreshToken } = tokens;
  if (refreshToken === undefined) return undefined;
  const { server, client, options } = createOAuthClient(context);
  return exchange(
    () => oauth.refreshTokenGrantRequest(server, client, createClientAuth(context), refreshToken, options),
    async (response) => toTokens(await oauth.processRefreshTokenResponse(server, client, response)),
  );
}

export async function revokeTokens(context: ConnectorContext, tokens: PlatformTokens): Promise<void> {
  const { revoke } = context.platform;
  if (revoke === "none") return;
  if (revoke !== "standard") return void (await sendCall(context.publicFetch, revoke(toTokenContext(context, tokens))));
  const { server, client, options } = createOAuthClient(context);
  // RFC 7009 §2.1: revoking the refresh token should revoke its access tokens too, but not every platform does so.
  for (const token of [tokens.refreshToken, tokens.accessToken].filter((candidate) => candidate !== undefined))
    await withPlatformErrors(oauth.revocationRequest(server, client, createClientAuth(context), token, options));
}

export function toTokenContext(
  { app, endpoints }: ConnectorContext,
  { accessToken, refreshToken }: PlatformTokens,
): TokenContext {
  return { accessToken, refreshToken, ...app, endpoints };
}

/** Sends a platform-specific call that returns a token response. */
async function fetchTokens(context: ConnectorContext, call: ApiCall): Promise<PlatformTokens> {
  const { server, client } = createOAuthClient(context);
  return exchange(
    async () => normalizeTokenResponse(context.platform, await sendCall(context.publicFetch, call)),
    async (response) => toTokens(await oauth.processGenericTokenEndpointResponse(server, client, response)),
  );
}

function createOAuthClient({ platform, endpoints, app, publicFetch }: ConnectorContext) {
  const server: oauth.AuthorizationServer = {
    issuer: endpoints.issuer ?? new URL(endpoints.token).origin,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    ...(endpoints.revocation === undefined ? {} : { revocation_endpoint: endpoints.revocation }),
  };
  const options = createOAuthFetch(publicFetch, endpoints.token, (url, response) =>
    url === endpoints.token ? normalizeTokenResponse(platform, response) : response,
  );
  return { server, client: { client_id: app.clientId }, options };
}

function createClientAuth({ platform, app }: ConnectorContext): oauth.ClientAuth {
  const { clientIdParam } = platform;
  if (clientIdParam !== undefined) {
    return (_server, _client, body) => {
      body.set(clientIdParam, app.clientId);
      body.set("client_secret", app.clientSecret);
    };
  }
  if (platform.clientAuth === "post") return oauth.ClientSecretPost(app.clientSecret);
  const basicCredentials = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString("base64");
  return (_server, _client, _body, headers) => headers.set("authorization", `Basic ${basicCredentials}`);
}
