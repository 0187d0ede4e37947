import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";

/** What a token is good for. One made for one purpose is refused for every other. */
export const tokenPurposes = [
  "form",
  "sign-in",
  "mcp-session",
  "upload",
  "file",
  "thumbnail",
  "connect",
  "question",
] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

export interface Signer {
  /** A compact token that carries `claims` until `expiresAt` (epoch milliseconds). */
  sign(purpose: TokenPurpose, claims: Record<string, unknown>, expiresAt: number): string;
  /** The claims, or undefined for a token that is forged, expired, or made for another purpose. */
  verify(purpose: TokenPurpose, token: string): Record<string, unknown> | undefined;
}

/** Longer than any token of ours; longer input is not worth a hash. */
const maxTokenLength = 4096;

/**
 * HMAC-SHA-256 under a key derived for each purpose from each secret.
 * The first secret signs; all verify, so secrets can be rotated without ending what is out there.
 */
export function createSigner(secrets: readonly [string, ...string[]], clock: Clock): Signer {
  const keysByPurpose = Object.fromEntries(
    // As key objects, which are read once: a key given as bytes is read anew for every digest, at seven times the cost.
    tokenPurposes.map((purpose) => [
      purpose,
      secrets.map((secret) => createSecretKey(deriveKey(secret, `token:${purpose}`))),
    ]),
  ) as Record<TokenPurpose, [KeyObject, ...KeyObject[]]>;

  return {
    sign(purpose, claims, expiresAt) {
      const body = Buffer.from(JSON.stringify({ ...claims, exp: expiresAt })).toString("base64url");
      return `${body}.${computeMac(keysByPurpose[purpose][0], body).toString("base64url")}`;
    },
    verify(purpose, token) {
      if (token.length > maxTokenLength) return undefined;
      const separatorIndex = token.indexOf(".");
      if (separatorIndex < 1) return undefined;
      const body = token.slice(0, separatorIndex);
      const signature = token.slice(separatorIndex + 1);
      // Compared as text, so that no second spelling of the same bytes passes.
      const signatureBytes = Buffer.from(signature);
      const isGenuine = keysByPurpose[purpose].some((key) => {
        const expected = Buffer.from(computeMac(key, body).toString("base64url"));
        return signatureBytes.length === expected.length && timingSafeEqual(signatureBytes, expected);
      });
      if (!isGenuine) return undefined;
      const { exp, ...claims } = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
      return typeof exp === "number" && clock() < exp ? claims : undefined;
    },
  };
}

/** A 32-byte key for one use, from a secret that serves many. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "atelier", purpose, 32));
}

function computeMac(key: KeyObject, body: string): Buffer {
  return createHmac("sha256", key).update(body).digest();
}
