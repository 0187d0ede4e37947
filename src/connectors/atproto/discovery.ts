import * as oauth from "oauth4webapi";
import { PlatformError } from "#domain/model/platform-error.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { readObject, sendCall, toText } from "../call-api.ts";
import { createOAuthFetch } from "../oauth-fetch.ts";
import type { JsonObject } from "../platform.ts";
import { exchange } from "../protocol-errors.ts";

export type AuthorizationServer = oauth.AuthorizationServer &
  Required<
    Pick<
      oauth.AuthorizationServer,
      "authorization_endpoint" | "token_endpoint" | "pushed_authorization_request_endpoint"
    >
  >;

/**
 * Returns undefined if the status is not a success. Callers must treat this as a server that is unavailable: a missing
 * document does not mean that the account has moved or revoked our access.
 */
export async function fetchDocument(publicFetch: PublicFetch, url: string): Promise<JsonObject | undefined> {
  const response = await sendCall(publicFetch, { method: "GET", url });
  return response.ok ? readObject(response) : undefined;
}

/** Returns the authorization server that an account's server names (RFC 9728), or undefined if it names none. */
export async function findIssuer(publicFetch: PublicFetch, serverUrl: string): Promise<string | undefined> {
  const metadata = await fetchDocument(publicFetch, `${serverUrl}/.well-known/oauth-protected-resource`);
  const servers = metadata?.["authorization_servers"];
  if (!metadata || !Array.isArray(servers)) return undefined;
  if (toOrigin(metadata["resource"]) !== serverUrl) throw invalidServerError();
  return toOrigin(servers[0]);
}

/** Reads the metadata of an authorization server (RFC 8414), which must have everything that the protocol requires. */
export async function readServerMetadata(publicFetch: PublicFetch, issuer: string): Promise<AuthorizationServer> {
  const issuerUrl = new URL(issuer);
  const options = { ...createOAuthFetch(publicFetch, issuer), algorithm: "oauth2" } as const;
  const server = await exchange(
    () => oauth.discoveryRequest(issuerUrl, options),
    (response) => oauth.processDiscoveryResponse(issuerUrl, response),
  );
  if (!isComplete(server)) throw invalidServerError();
  // Every response must name its issuer (RFC 9207), because all servers share one redirect URI.
  return { ...server, authorization_response_iss_parameter_supported: true };
}

/** Reads the metadata of the instance's authorization server, which may be the instance itself, such as bsky.social. */
export async function discoverServer(publicFetch: PublicFetch, instance: string): Promise<AuthorizationServer> {
  const issuer = await findIssuer(publicFetch, instance).catch(() => undefined);
  return readServerMetadata(publicFetch, issuer ?? instance);
}

function isComplete(server: oauth.AuthorizationServer): server is AuthorizationServer {
  return [server.authorization_endpoint, server.token_endpoint, server.pushed_authorization_request_endpoint].every(
    (endpoint) => endpoint !== undefined && /^https?:/.test(endpoint),
  );
}

/** Undefined unless the value is an origin. */
export function toOrigin(value: unknown): string | undefined {
  const text = toText(value)?.replace(/\/$/, "");
  const url = text === undefined ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.origin === text ? text : undefined;
}

const invalidServerError = (): PlatformError =>
  new PlatformError("unavailable", "this URL is not a server of the AT Protocol");
