import * as client from "openid-client";
import type { Identity } from "#domain/model/user.ts";
import { edgeError, type AppError } from "#lib/errors.ts";
import { providerUnavailableError, withSignInErrors } from "./sign-in-errors.ts";

/** An OpenID Connect issuer where users sign in. */
export interface IdentityProvider {
  /** Part of the callback URL: `{base}/api/auth/callback/<id>`. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /**
   * Stored as the issuer of this provider's users, instead of the ID token's `iss`, which for the dev issuer changes
   * with its port.
   */
  identityIssuer?: string;
  /** Creates the error for unreadable or incomplete metadata. Set it only if retrying would not help. */
  createUnavailableError?: (cause: unknown) => AppError;
}

/** A sign-in that was sent to an identity provider and has not returned yet. */
export interface PendingSignIn {
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** The signed-in user whose account at the provider is linked; absent for a sign-in. */
  linksTo?: string | undefined;
}

export interface RelyingParty {
  /** Returns where to redirect the browser, and what to store until the browser returns. */
  startAuthorization(
    isSwitchingAccount: boolean,
  ): Promise<{ location: string } & Omit<PendingSignIn, "provider" | "returnTo" | "linksTo">>;
  /** Returns the identity from the callback URL. Throws if any part of the response is invalid. */
  finishAuthorization(callback: URL, pending: PendingSignIn): Promise<Identity>;
}

/** Timeout for all requests of one step: a user sees an error within 10 s if the provider does not respond. */
const stepTimeoutMs = 8000;

/**
 * OpenID Connect client: code flow with PKCE, state, nonce and `iss`.
 * Fetches metadata and keys at every step: sign-ins are rare, an unavailable provider is detected before the redirect,
 * and no cache can be stale when endpoints or keys change.
 */
export function createRelyingParty(provider: IdentityProvider, redirectUri: string): RelyingParty {
  const { createUnavailableError = (cause: unknown) => providerUnavailableError(provider.name, cause) } = provider;

  async function discover(): Promise<client.Configuration> {
    const execute = [client.enableNonRepudiationChecks];
    // The config allows http only for loopback issuers.
    // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated as a warning, not for removal
    if (provider.issuer.startsWith("http:")) execute.push(client.allowInsecureRequests);
    const options = { execute, timeout: stepTimeoutMs / 1000, [client.customFetch]: createTimedFetch(stepTimeoutMs) };
    const auth = createClientAuth(provider.clientSecret);
    const server = await client
      .discovery(new URL(provider.issuer), provider.clientId, undefined, auth, options)
      .catch((error: unknown) => Promise.reject(createUnavailableError(error)));
    const { authorization_endpoint, token_endpoint, jwks_uri } = server.serverMetadata();
    const isComplete = [authorization_endpoint, token_endpoint, jwks_uri].every((url) => URL.canParse(url ?? ""));
    if (!isComplete) throw createUnavailableError(new Error("the metadata lacks an endpoint"));
    return server;
  }

  return {
    startAuthorization: (isSwitchingAccount) =>
      withSignInErrors(provider.name, async () => {
        const server = await discover();
        const state = client.randomState();
        const nonce = client.randomNonce();
        const verifier = client.randomPKCECodeVerifier();
        const location = client.buildAuthorizationUrl(server, {
          redirect_uri: redirectUri,
          scope: "openid profile email",
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          ...(isSwitchingAccount ? { prompt: chooseAccountPrompt(server) } : {}),
        });
        return { location: location.href, state, nonce, verifier };
      }),

    finishAuthorization: (callback, pending) =>
      withSignInErrors(provider.name, async () => {
        const server = await discover();
        const tokens = await client.authorizationCodeGrant(server, callback, {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw edgeError("invalid_input", "The identity provider sent no ID token.");
        const needsUserinfo = !hasNameAndEmail(claims) && server.serverMetadata().userinfo_endpoint !== undefined;
        const userinfo = needsUserinfo
          ? await client.fetchUserInfo(server, tokens.access_token, claims.sub)
          : undefined;
        return toIdentity(provider.identityIssuer ?? claims.iss, claims, userinfo);
      }),
  };
}

/** A `fetch` whose requests, including bodies, share one deadline that starts now. */
function createTimedFetch(timeoutMs: number): client.CustomFetch {
  const deadline = AbortSignal.timeout(timeoutMs);
  return (url, options) =>
    fetch(url, {
      ...options,
      signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
    } as RequestInit);
}

/** Sends the secret by the method that the provider supports; in the header by default (OIDC Discovery §3). */
function createClientAuth(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [inBody, inHeader] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    (methods.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Returns `select_account` if the provider lists it, and for Google and Microsoft. Other providers support `login`. */
function chooseAccountPrompt(server: client.Configuration): string {
  const { issuer, prompt_values_supported: prompts } = server.serverMetadata();
  const supportsSelectAccount = Array.isArray(prompts) && prompts.includes("select_account");
  return supportsSelectAccount || /^https:\/\/(accounts\.google\.com|login\.microsoftonline\.com)/.test(issuer)
    ? "select_account"
    : "login";
}

/** Claims of an ID token or a userinfo response (OpenID Connect Core §5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token contains name and email, so that userinfo is not needed. */
export function hasNameAndEmail(idToken: Claims): boolean {
  return readName(idToken) !== undefined && hasEmailClaims(idToken);
}

function hasEmailClaims(claims: Claims): boolean {
  return "email" in claims && "email_verified" in claims;
}

/**
 * Returns the identity in verified claims. `email` and `email_verified` always come from the same source, and only the
 * JSON value `true` counts as verified.
 */
export function toIdentity(issuer: string, idToken: Claims, userinfo: Claims = {}): Identity {
  const subject = idToken["sub"];
  // OpenID Connect Core §2: at most 255 characters. Control characters and lone surrogates cannot be stored.
  if (typeof subject !== "string" || !subject.isWellFormed() || !/^\P{Cc}{1,255}$/u.test(subject)) {
    throw edgeError("invalid_input", "The identity provider did not send a valid user id.");
  }
  const emailClaims = hasEmailClaims(idToken) || !("email" in userinfo) ? idToken : userinfo;
  const email = parseEmail(emailClaims["email"]) ?? null;
  const emailVerified = email !== null && emailClaims["email_verified"] === true;
  const name = readName(idToken) ?? readName(userinfo) ?? email ?? "Someone";
  return { issuer, subject, name, email, emailVerified };
}

function readName(claims: Claims): string | undefined {
  return toSingleLine(claims["name"]) ?? toSingleLine(claims["preferred_username"]);
}

function parseEmail(value: unknown): string | undefined {
  const isValid =
    typeof value === "string" &&
    value.length <= 254 &&
    value.isWellFormed() &&
    /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value);
  return isValid ? value : undefined;
}

/** Removes characters that a database cannot store or that a page cannot show in one line. */
function toSingleLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.slice(0, 100).replace(/[\ud800-\udbff]$/, "") || undefined;
}
