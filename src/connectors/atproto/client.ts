import * as oauth from "oauth4webapi";
import { PlatformError } from "#domain/model/platform-error.ts";
import { isLoopbackName } from "#lib/ip-address.ts";
import { deriveSigningKeys, type PrivateJwk } from "#lib/signing-keys.ts";
import { callbackPath, type AtprotoPlatform, type JsonObject } from "../platform.ts";

/** Where servers of the AT Protocol read our client metadata. Part of our client id, so it must not change. */
const buildMetadataPath = (platformId: string): string => `/api/platforms/${platformId}/client-metadata.json`;

/** Our identity as an OAuth client. Servers can't read a document on loopback, so they accept a special id there. */
export interface AtprotoClient {
  clientId: string;
  /** The URI that we send. On loopback, the host is 127.0.0.1, and the callback there redirects to `{base}`. */
  redirectUri: string;
  /** Where the callback is handled, at `{base}`. */
  callbackUrl: string;
}

export function createAtprotoClient(base: string, { id, scopes }: AtprotoPlatform): AtprotoClient {
  const callbackUrl = `${base}${callbackPath}${id}`;
  if (!isLoopbackName(new URL(base).hostname))
    return { clientId: `${base}${buildMetadataPath(id)}`, redirectUri: callbackUrl, callbackUrl };
  const redirectUrl = new URL(callbackUrl);
  if (redirectUrl.hostname === "localhost") redirectUrl.hostname = "127.0.0.1";
  const query = new URLSearchParams({ redirect_uri: redirectUrl.href, scope: scopes.join(" ") });
  return { clientId: `http://localhost?${query.toString()}`, redirectUri: redirectUrl.href, callbackUrl };
}

/**
 * The metadata document that servers of the AT Protocol read about this server. If a client does not authenticate,
 * servers end its sessions after two weeks, so the document contains our public keys.
 */
export function buildClientDocument(
  base: string,
  { id, scopes }: AtprotoPlatform,
  clientKeys: readonly PrivateJwk[],
): { path: string; body: JsonObject } {
  const path = buildMetadataPath(id);
  const body = {
    client_id: `${base}${path}`,
    client_name: "Atelier",
    client_uri: base,
    application_type: "web",
    redirect_uris: [`${base}${callbackPath}${id}`],
    scope: scopes.join(" "),
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "ES256",
    jwks: { keys: clientKeys.map(({ d: _, ...publicKey }) => publicKey) },
    dpop_bound_access_tokens: true,
  };
  return { path, body };
}

/** The keys that we publish and authenticate with. */
export const deriveClientKeys = (secrets: readonly string[]): PrivateJwk[] =>
  deriveSigningKeys(secrets, "platform-client-key");

/** How we authenticate: with the key of this id, or not at all on loopback, where servers can't read our keys. */
export async function createClientAuth(
  clientId: string,
  clientKeys: readonly PrivateJwk[],
  keyId: string | undefined,
): Promise<oauth.ClientAuth> {
  if (!clientId.startsWith("https:")) return oauth.None();
  const clientKey = clientKeys.find(({ kid }) => kid === keyId);
  // Servers accept a session's tokens only from the key that the session started with.
  if (!clientKey)
    throw new PlatformError("rejected", "the secret that this session’s key was derived from is no longer in SECRETS");
  const { kid, use: _, ...jwk } = clientKey;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return oauth.PrivateKeyJwt({ key: await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]), kid });
}
