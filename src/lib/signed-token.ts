import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";

/** A token is valid only for the purpose that it was signed for. */
export const tokenPurposes = [
  "form",
  "sign-in",
  "mcp-session",
  "upload",
  "review",
  "review-image",
  "file",
  "thumbnail",
  "media",
  "connect",
  "elicitation",
  "unsubscribe",
] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

export interface Signer {
  /** Returns a compact token that carries `claims` until `expiresAt` (epoch milliseconds). */
  sign(purpose: TokenPurpose, claims: Record<string, unknown>, expiresAt: number): string;
  /** Returns the claims, or undefined if the token is forged, expired or for another purpose. */
  verify(purpose: TokenPurpose, token: string): Record<string, unknown> | undefined;
}

/** Longer than any token that we sign; longer input is rejected without computing a MAC. */
const maxTokenLength = 4096;

/**
 * HMAC-SHA-256 with a separate key for each purpose and secret.
 * The first secret signs and all secrets verify, so rotating secrets does not invalidate existing tokens.
 */
export function createSigner(secrets: readonly [string, ...string[]], clock: Clock): Signer {
  const keysByPurpose = Object.fromEntries(
    // Key objects are imported once; importing a key from bytes for every digest costs seven times as much.
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
      // Compare the text: base64url has several encodings of the same bytes.
      const signatureBytes = Buffer.from(signature);
      const isGenuine = keysByPurpose[purpose].some((key) => {
        const expectedBytes = Buffer.from(computeMac(key, body).toString("base64url"));
        return signatureBytes.length === expectedBytes.length && timingSafeEqual(signatureBytes, expectedBytes);
      });
      if (!isGenuine) return undefined;
      const { exp, ...claims } = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
      return typeof exp === "number" && clock() < exp ? claims : undefined;
    },
  };
}

/** Derives a 32-byte key for one purpose from a shared secret. */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "atelier", purpose, 32));
}

function computeMac(key: KeyObject, body: string): Buffer {
  return createHmac("sha256", key).update(body).digest();
}
