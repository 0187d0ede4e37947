import * as oauth from "oauth4webapi";
import type { TokenBinding } from "#domain/ports/platforms.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { buildRequest, withPlatformErrors, type CallOptions } from "../call-api.ts";
import type { ApiCall } from "../platform.ts";

export type ProofKey = TokenBinding["key"];

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Creates the key that an account's tokens are bound to (RFC 9449). */
export async function createProofKey(): Promise<ProofKey> {
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "", d = "" } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d };
}

/** Returns a handle that signs proofs with the key and remembers the newest nonce of each server. */
export async function importProofKey(key: ProofKey): Promise<oauth.DPoPHandle> {
  const { d: _, ...publicKey } = key;
  return oauth.DPoP(
    {},
    {
      privateKey: await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]),
      publicKey: await crypto.subtle.importKey("jwk", publicKey, algorithm, true, ["verify"]),
    },
  );
}

/**
 * Retries once with a new nonce. Servers change it every few minutes and reject requests with an old one without executing
 * them (RFC 9449 §8).
 */
export async function withNonceRetry<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return work();
  }
}

/** Sends a call with its access token as `Authorization: DPoP`, and a proof that we have the key (RFC 9449). */
type SendBoundCall = (
  publicFetch: PublicFetch,
  call: ApiCall,
  token: { accessToken: string; key: ProofKey },
  options?: CallOptions,
) => Promise<Response>;

/** How many accounts' proof handles are kept. A new one knows no nonce, so its first call needs a second attempt. */
const maxProofHandles = 500;

export function createBoundCallSender(): SendBoundCall {
  const proofHandles = new Map<string, oauth.DPoPHandle>();

  async function getProofHandle(key: ProofKey): Promise<oauth.DPoPHandle> {
    const id = `${key.x} ${key.y}`;
    const handle = proofHandles.get(id) ?? (await importProofKey(key));
    const [oldestId] = proofHandles.keys();
    const isFull = !proofHandles.has(id) && proofHandles.size >= maxProofHandles;
    if (isFull && oldestId !== undefined) proofHandles.delete(oldestId);
    proofHandles.set(id, handle);
    return handle;
  }

  return async (publicFetch, call, { accessToken, key }, callOptions) => {
    const { url, request } = buildRequest(call, callOptions);
    const options = {
      DPoP: await getProofHandle(key),
      // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated as a warning, not for removal
      [oauth.allowInsecureRequests]: url.startsWith("http:"),
      [oauth.customFetch]: (_url: string, { headers }: { headers: Record<string, string> }) =>
        publicFetch(url, { ...request, headers }),
    };
    const send = (): Promise<Response> =>
      oauth.protectedResourceRequest(
        accessToken,
        call.method,
        new URL(url),
        new Headers(request.headers),
        undefined,
        options,
      );
    return withPlatformErrors(
      withNonceRetry(send).catch((error: unknown) => {
        // The response says why the token was rejected. A second nonce error says nothing about the token.
        if (error instanceof oauth.WWWAuthenticateChallengeError && !oauth.isDPoPNonceError(error))
          return error.response;
        throw error;
      }),
    );
  };
}
