import * as client from "openid-client";
import type { Identity } from "#domain/access/ports.ts";
import { edgeError } from "#lib/errors.ts";
import { providerUnavailableError, withSignInErrors } from "./sign-in-errors.ts";

/** An OpenID Connect issuer that people sign in at. */
export interface IdentityProvider {
  /** Stands in the callback address: `{base}/api/auth/callback/<id>`. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** The issuer its people are known by, where that is not the address itself. */
  identityIssuer?: string;
}

/** A sign-in that went to an identity provider and has not come back yet. */
export interface PendingSignIn {
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

export interface RelyingParty {
  /** Where to send the browser, and what has to be remembered until it returns. */
  startAuthorization(
    isSwitchingAccount: boolean,
  ): Promise<{ location: string } & Omit<PendingSignIn, "provider" | "returnTo">>;
  /** The person, from the address the browser came back to. Throws for an answer that does not hold in every point. */
  finishAuthorization(callback: URL, pending: PendingSignIn): Promise<Identity>;
}

/** What one step may take, all requests of it together: a person is told of a silent provider within 10 s. */
const stepTimeoutMs = 8000;

/**
 * Our side of OpenID Connect: code flow with PKCE, state, nonce and `iss`.
 * Metadata and keys are asked for anew at every step. Sign-ins are rare, so that costs nothing worth having, and a
 * provider that is down is noticed while we can still say so, one that moved or changed its keys needs no care.
 */
export function createRelyingParty(provider: IdentityProvider, redirectUri: string): RelyingParty {
  async function discover(): Promise<client.Configuration> {
    const execute = [client.enableNonRepudiationChecks];
    // Settings allow http for loopback issuers only.
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to stand out, not to go
    if (provider.issuer.startsWith("http:")) execute.push(client.allowInsecureRequests);
    const options = { execute, timeout: stepTimeoutMs / 1000, [client.customFetch]: createTimedFetch(stepTimeoutMs) };
    const auth = createClientAuth(provider.clientSecret);
    const server = await client
      .discovery(new URL(provider.issuer), provider.clientId, undefined, auth, options)
      .catch((error: unknown) => Promise.reject(providerUnavailableError(provider.name, error)));
    const { authorization_endpoint, token_endpoint, jwks_uri } = server.serverMetadata();
    const isComplete = [authorization_endpoint, token_endpoint, jwks_uri].every((url) => URL.canParse(url ?? ""));
    if (!isComplete) throw providerUnavailableError(provider.name, new Error("its metadata lacks an endpoint"));
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

/** Every request given to it, bodies included, is over when the time is. */
function createTimedFetch(timeoutMs: number): client.CustomFetch {
  const deadline = AbortSignal.timeout(timeoutMs);
  return (url, options) =>
    fetch(url, {
      ...options,
      signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
    } as RequestInit);
}

/** The secret goes where the provider says it reads it; in the header where it says nothing (OIDC Discovery §3). */
function createClientAuth(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [inBody, inHeader] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    (methods.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Every provider knows `login`, except the two that only know how to offer accounts. */
function chooseAccountPrompt(server: client.Configuration): string {
  const { issuer, prompt_values_supported: prompts } = server.serverMetadata();
  const supportsSelectAccount = Array.isArray(prompts) && prompts.includes("select_account");
  return supportsSelectAccount || /^https:\/\/(accounts\.google\.com|login\.microsoftonline\.com)/.test(issuer)
    ? "select_account"
    : "login";
}

/** What an ID token or a userinfo answer says of a person: OpenID Connect Core §5.1. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token alone is enough to know name and address. */
export function hasNameAndEmail(idToken: Claims): boolean {
  return readName(idToken) !== undefined && hasEmailClaims(idToken);
}

function hasEmailClaims(claims: Claims): boolean {
  return "email" in claims && "email_verified" in claims;
}

/**
 * The person behind verified claims. An address counts with the verdict it came with: the two are never taken from
 * different answers, and only the JSON value `true` is a yes.
 */
export function toIdentity(issuer: string, idToken: Claims, userinfo: Claims = {}): Identity {
  const subject = idToken["sub"];
  // OpenID Connect Core §2: at most 255 characters. What no database can keep is nobody's name either.
  if (typeof subject !== "string" || !subject.isWellFormed() || !/^\P{Cc}{1,255}$/u.test(subject)) {
    throw edgeError("invalid_input", "The identity provider's answer names nobody.");
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

/** As both engines can keep it and a page can show it. */
function toSingleLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.slice(0, 100).replace(/[\ud800-\udbff]$/, "") || undefined;
}
