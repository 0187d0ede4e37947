import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { edgeError } from "#lib/errors.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { minutes, seconds } from "#lib/clock.ts";
import type { EnterpriseIssuer } from "./enterprise-issuers.ts";

/** Metadata and keys of an issuer are small, and a client waits while we fetch them. */
export const issuerFetchLimits = { timeoutMs: seconds(3), maxBytes: 64 * 1024 } as const;

/** Finds the key of an assertion. Throws `url_unreachable` if the issuer does not return its keys. */
export type FindIssuerKey = (issuer: EnterpriseIssuer) => JWTVerifyGetKey;

/** Keeps each issuer's keys for ten minutes, and fetches them earlier, at most every 30 s, for an unknown key. */
export function createIssuerKeys(fetchUrl: PublicFetch): FindIssuerKey {
  const keySets = new Map<string, Promise<JWTVerifyGetKey>>();

  async function openKeySet(issuer: EnterpriseIssuer): Promise<JWTVerifyGetKey> {
    const keysUrl = new URL(issuer.jwks_uri ?? (await discoverKeysUrl(fetchUrl, issuer.issuer)));
    return createRemoteJWKSet(keysUrl, {
      cacheMaxAge: minutes(10),
      cooldownDuration: seconds(30),
      [customFetch]: async (url, { signal }) =>
        fetchUrl(url, { signal }).catch((error: unknown) => {
          throw unavailableError(issuer.issuer, error);
        }),
    });
  }

  return (issuer) => async (header, token) => {
    const keySet = keySets.get(issuer.issuer) ?? openKeySet(issuer);
    keySets.set(issuer.issuer, keySet);
    const findKey = await keySet.catch((error: unknown) => {
      keySets.delete(issuer.issuer);
      throw unavailableError(issuer.issuer, error);
    });
    return findKey(header, token);
  };
}

/** OpenID Connect Discovery §4.3: the metadata must name the issuer that it was fetched for. */
async function discoverKeysUrl(fetchUrl: PublicFetch, issuer: string): Promise<string> {
  const response = await fetchUrl(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (response.status !== 200) throw new Error(`the metadata has status ${response.status}`);
  const metadata = (await response.json()) as Record<string, unknown>;
  if (metadata["issuer"] !== issuer) throw new Error("the metadata names another issuer");
  if (typeof metadata["jwks_uri"] !== "string") throw new Error("the metadata has no jwks_uri");
  return metadata["jwks_uri"];
}

const unavailableError = (issuer: string, cause: unknown): Error =>
  edgeError("url_unreachable", `The keys of ${issuer} can’t be read.`, "Try again in a moment.", { cause });
