import * as oauth from "oauth4webapi";
import { PlatformFailure } from "#domain/platforms/failure.ts";
import type { PendingConnect, PlatformApp, PlatformTokens } from "#domain/platforms/ports.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { reached, sendCall } from "./call.ts";
import type { ApiCall, Endpoints, HeldToken, Platform } from "./platform.ts";
import { tidyAnswer, toTokens } from "./token-answer.ts";

/** One platform at one place, with ourselves as an application there. */
export interface Site {
  platform: Platform;
  endpoints: Endpoints;
  app: PlatformApp;
  redirectUri: string;
  reach: PublicFetch;
}

/** Where to send the browser, and what it must bring back. */
export async function authorizeAddress(site: Site): Promise<{ location: string } & PendingConnect> {
  const { platform, endpoints, app, redirectUri } = site;
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const location = new URL(endpoints.authorization);
  const parameters = {
    ...platform.authorizeParams,
    response_type: "code",
    [platform.clientIdName ?? "client_id"]: app.clientId,
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

/** Changes the code in the platform's answer for tokens. */
export async function redeemCode(site: Site, callback: URL, pending: PendingConnect): Promise<PlatformTokens> {
  const { platform } = site;
  const { server, client, options } = parts(site);
  const given = new URLSearchParams(callback.searchParams);
  // RFC 9207 counts where the entry says by which name; every place has a redirect address of its own besides.
  if (site.endpoints.issuer === undefined) given.delete("iss");
  const tokens = await asFailure(async () => {
    const answer = oauth.validateAuthResponse(server, client, given, pending.state);
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out, not to go
    const verifier = platform.pkce ? pending.verifier : oauth.nopkce;
    const auth = clientAuth(site);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      answer,
      site.redirectUri,
      verifier,
      options,
    );
    return toTokens(await oauth.processAuthorizationCodeResponse(server, client, response));
  });
  return platform.extend ? tokensFrom(site, platform.extend(held(site, tokens))) : tokens;
}

export async function renewTokens(site: Site, tokens: PlatformTokens): Promise<PlatformTokens | undefined> {
  const { refresh } = site.platform;
  if (refresh === "none") return undefined;
  if (refresh !== "standard") return tokensFrom(site, refresh(held(site, tokens)));
  const { refreshToken } = tokens;
  if (refreshToken === undefined) return undefined;
  const { server, client, options } = parts(site);
  return asFailure(async () => {
    const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth(site), refreshToken, options);
    return toTokens(await oauth.processRefreshTokenResponse(server, client, response));
  });
}

export async function revokeTokens(site: Site, tokens: PlatformTokens): Promise<void> {
  const { revoke } = site.platform;
  if (revoke === "none") return;
  if (revoke !== "standard") return void (await sendCall(site.reach, revoke(held(site, tokens))));
  const { server, client, options } = parts(site);
  // RFC 7009 §2.1: with the refresh token its access tokens should go as well; not every platform obeys.
  for (const token of [tokens.refreshToken, tokens.accessToken].filter((one) => one !== undefined))
    await reached(oauth.revocationRequest(server, client, clientAuth(site), token, options));
}

export function held({ app, endpoints }: Site, { accessToken, refreshToken }: PlatformTokens): HeldToken {
  return { accessToken, refreshToken, ...app, endpoints };
}

/** A call of the platform's own making whose answer is a token answer. */
async function tokensFrom(site: Site, call: ApiCall): Promise<PlatformTokens> {
  const { server, client } = parts(site);
  return asFailure(async () => {
    const response = await tidyAnswer(site.platform, await sendCall(site.reach, call));
    return toTokens(await oauth.processGenericTokenEndpointResponse(server, client, response));
  });
}

function parts({ platform, endpoints, app, reach }: Site) {
  const server: oauth.AuthorizationServer = {
    issuer: endpoints.issuer ?? new URL(endpoints.token).origin,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    ...(endpoints.revocation === undefined ? {} : { revocation_endpoint: endpoints.revocation }),
  };
  const options = {
    // The sandbox alone: every other address is https, and `reach` refuses what is not.
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out, not to go
    [oauth.allowInsecureRequests]: endpoints.token.startsWith("http:"),
    [oauth.customFetch]: async (
      url: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
    ) => {
      const response = await reach(url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : undefined,
      });
      return url === endpoints.token ? tidyAnswer(platform, response) : response;
    },
  };
  return { server, client: { client_id: app.clientId }, options };
}

function clientAuth({ platform, app }: Site): oauth.ClientAuth {
  const { clientIdName } = platform;
  if (clientIdName !== undefined) {
    return (_server, _client, body) => {
      body.set(clientIdName, app.clientId);
      body.set("client_secret", app.clientSecret);
    };
  }
  if (platform.clientAuth === "post") return oauth.ClientSecretPost(app.clientSecret);
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString("base64");
  return (_server, _client, _body, headers) => headers.set("authorization", `Basic ${basic}`);
}

/** Codes that say nothing about what we showed: asking later may help. */
const passing = ["temporarily_unavailable", "server_error", "slow_down"];
const aboutUs = ["invalid_client", "unauthorized_client"];

/** Every way the protocol can fail, as one of ours. The platform's own words are left out: they may carry anything. */
function asFailure<T>(work: () => Promise<T>): Promise<T> {
  return reached(
    work().catch((error: unknown) => {
      throw protocolFailure(error) ?? error;
    }),
  );
}

function protocolFailure(error: unknown): PlatformFailure | undefined {
  if (error instanceof oauth.AuthorizationResponseError) {
    return passing.includes(error.error)
      ? new PlatformFailure("unreachable", "it could not answer now")
      : new PlatformFailure("denied", "access was not given");
  }
  if (error instanceof oauth.ResponseBodyError) {
    if (passing.includes(error.error) || error.status >= 500)
      return new PlatformFailure("unreachable", "it could not answer now");
    return new PlatformFailure(
      aboutUs.includes(error.error) ? "unknown_app" : "refused",
      "it did not accept what we showed",
    );
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return new PlatformFailure("unreachable", "its answer cannot be understood");
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new PlatformFailure("unknown_app", "it does not know us");
  return undefined;
}
