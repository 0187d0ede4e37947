import * as oauth from "oauth4webapi";
import type { Account } from "#domain/model/connection.ts";
import { PlatformError } from "#domain/model/platform-error.ts";
import type { PendingConnect, PlatformApp, PlatformTokens, TokenBinding } from "#domain/ports/platforms.ts";
import type { PrivateJwk } from "#lib/signing-keys.ts";
import type { Connector } from "../connectors.ts";
import { createOAuthFetch } from "../oauth-fetch.ts";
import type { AtprotoPlatform } from "../platform.ts";
import { withProtocolErrors } from "../protocol-errors.ts";
import { toTokens } from "../token-response.ts";
import { withPlatformErrors } from "../call-api.ts";
import { timeoutError, withStepTimeout } from "../step-timeout.ts";
import { createAtprotoClient, createClientAuth } from "./client.ts";
import { discoverServer, readServerMetadata, type AuthorizationServer } from "./discovery.ts";
import { resolveIdentity, resolveServer, type Identity, type IdentitySources } from "./identity.ts";
import { createProofKey, importProofKey, withNonceRetry, type ProofKey } from "./proofs.ts";

export interface AtprotoSetup extends IdentitySources {
  platform: AtprotoPlatform;
  /** The keys that we authenticate with, newest first. */
  clientKeys: readonly PrivateJwk[];
}

/** Connects accounts of the AT Protocol: pushed requests (RFC 9126), tokens bound to a key (RFC 9449), DIDs. */
export function createAtprotoConnector(base: string, setup: AtprotoSetup): Connector {
  const { platform, publicFetch, clientKeys } = setup;
  const { clientId, redirectUri, callbackUrl } = createAtprotoClient(base, platform);
  const scope = platform.scopes.join(" ");
  const newestKeyId = clientKeys[0]?.kid;

  /** The arguments that the library needs for each OAuth request. */
  async function createOAuthArguments(
    server: AuthorizationServer,
    app: PlatformApp | undefined,
    { key, clientKeyId = newestKeyId }: Pick<TokenBinding, "key" | "clientKeyId">,
  ) {
    // A session keeps the id it started with if our URL changes.
    const client: oauth.Client = { client_id: app?.clientId ?? clientId };
    const auth = await createClientAuth(client.client_id, clientKeys, clientKeyId);
    const options = { ...createOAuthFetch(publicFetch, server.issuer), DPoP: await importProofKey(key) };
    return { client, auth, options };
  }

  async function start(instance: string, app: PlatformApp | undefined) {
    const server = await discoverServer(publicFetch, instance);
    const key = await createProofKey();
    const { client, auth, options } = await createOAuthArguments(server, app, { key });
    const state = oauth.generateRandomState();
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      response_type: "code",
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    const { request_uri: requestUri } = await request(
      () => oauth.pushedAuthorizationRequest(server, client, auth, parameters, options),
      (response) => oauth.processPushedAuthorizationResponse(server, client, response),
    );
    const location = new URL(server.authorization_endpoint);
    location.searchParams.set("client_id", client.client_id);
    location.searchParams.set("request_uri", requestUri);
    return { location: location.href, state, verifier, tokenKey: JSON.stringify(key) };
  }

  async function finish(
    instance: string,
    app: PlatformApp | undefined,
    callback: URL,
    pending: PendingConnect,
    hasTimedOut: () => boolean,
  ) {
    const { tokenKey, verifier } = pending;
    if (tokenKey === undefined) throw new Error("the authorization has no key");
    const key = JSON.parse(tokenKey) as ProofKey;
    const server = await discoverServer(publicFetch, instance);
    const { client, auth, options } = await createOAuthArguments(server, app, { key });
    const response = await request(
      async () => {
        const params = oauth.validateAuthResponse(server, client, callback, pending.state);
        return oauth.authorizationCodeGrantRequest(server, client, auth, params, redirectUri, verifier, options);
      },
      (answer) => oauth.processAuthorizationCodeResponse(server, client, answer),
    );
    const did = readSubject(response);
    try {
      const identity = await resolveIdentity(setup, did, server.issuer);
      if (hasTimedOut()) throw timeoutError();
      const { did: accountId, serverUrl } = identity;
      const binding = { key, accountId, issuer: server.issuer, serverUrl, clientKeyId: newestKeyId };
      return { identity, tokens: bindTokens(response, binding) };
    } catch (error) {
      // The tokens will never be used. A failed revocation makes no difference to the user.
      await revoke(server, app, toTokens(response), { key }).catch(() => {});
      throw error;
    }
  }

  async function renew(app: PlatformApp | undefined, { refreshToken, binding }: PlatformTokens) {
    if (refreshToken === undefined || !binding) return undefined;
    const { accountId, issuer } = binding;
    // Throws if the account has moved to another server. Before the refresh, because a refresh token works only once.
    const { serverUrl, server } = await withStepTimeout(async () => ({
      ...(await resolveServer(setup, accountId, issuer)),
      server: await readServerMetadata(publicFetch, issuer),
    }));
    const { client, auth, options } = await createOAuthArguments(server, app, binding);
    // A step of its own: a slow identity lookup must not end the step while the server replaces the refresh token.
    const response = await withStepTimeout(() =>
      request(
        () => oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options),
        (answer) => oauth.processRefreshTokenResponse(server, client, answer),
      ),
    );
    if (readSubject(response) !== accountId)
      throw new PlatformError("rejected", "it issued tokens for another account");
    return bindTokens(response, { ...binding, serverUrl });
  }

  async function revoke(
    server: AuthorizationServer,
    app: PlatformApp | undefined,
    { refreshToken, accessToken }: PlatformTokens,
    binding: Pick<TokenBinding, "key" | "clientKeyId">,
  ): Promise<void> {
    if (server.revocation_endpoint === undefined) return;
    const { client, auth, options } = await createOAuthArguments(server, app, binding);
    // Servers require a proof, which the library sends with pushed requests but not with revocations. The two have the
    // same form, so we send the revocation as a pushed request to the revocation endpoint.
    const target = { ...server, pushed_authorization_request_endpoint: server.revocation_endpoint };
    const send = (): Promise<Response> =>
      oauth.pushedAuthorizationRequest(target, client, auth, { token: refreshToken ?? accessToken }, options);
    const response = await withPlatformErrors(send());
    // The first attempt may have failed only because it had no nonce, which the response supplies.
    if (!response.ok) await withPlatformErrors(send());
  }

  return {
    getRedirectUri: () => callbackUrl,
    // Nothing to register: the instance reads our metadata. Contacting it shows whether its URL is right.
    registerApp: ({ instance }) =>
      withStepTimeout(async () => {
        await discoverServer(publicFetch, instance);
        return { clientId, clientSecret: "" };
      }),
    startAuthorization: ({ instance }, app) => withStepTimeout(() => start(instance, app)),
    finishAuthorization: ({ instance }, app, callback, pending) =>
      withStepTimeout(async (hasTimedOut) => {
        const { identity, tokens } = await finish(instance, app, callback, pending, hasTimedOut);
        return [{ account: toAccount(platform, identity), tokens, limits: null }];
      }),
    renew: (_target, app, tokens) => renew(app, tokens),
    revoke: (_target, app, tokens) =>
      withStepTimeout(async () => {
        const { binding } = tokens;
        if (binding) await revoke(await readServerMetadata(publicFetch, binding.issuer), app, tokens, binding);
      }),
  };
}

/** Sends an OAuth request, and repeats it if the server wants another nonce. */
const request = <T>(send: () => Promise<Response>, parse: (response: Response) => Promise<T>): Promise<T> =>
  withProtocolErrors(() => withNonceRetry(async () => parse(await send())));

/** The account that the tokens are for. */
function readSubject({ sub }: oauth.TokenEndpointResponse): string {
  if (typeof sub !== "string") throw new PlatformError("unavailable", "it sent an invalid response");
  return sub;
}

function bindTokens(response: oauth.TokenEndpointResponse, binding: TokenBinding): PlatformTokens {
  if (response.token_type !== "dpop") throw new PlatformError("unavailable", "it sent an invalid response");
  return { ...toTokens(response), binding };
}

function toAccount({ buildProfileUrl }: AtprotoPlatform, { did, handle }: Identity): Account {
  return { id: did, handle, name: null, avatarUrl: null, profileUrl: buildProfileUrl(handle ?? did) };
}
