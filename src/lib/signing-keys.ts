import { createECDH, createHash } from "node:crypto";
import { deriveKey } from "./signed-token.ts";

export interface PrivateJwk {
  [member: string]: string;
  kty: "EC";
  crv: "P-256";
  kid: string;
  x: string;
  y: string;
  d: string;
}

/** What the keys sign: tokens of our authorization server, or our requests to platforms as their client. */
type SigningPurpose = "oauth-signing-key" | "platform-client-key";

/**
 * Derives the signing keys from the secrets, newest first: the same keys on every instance and after every restart,
 * without storage, and rotated together with the secrets.
 */
export function deriveSigningKeys(secrets: readonly string[], purpose: SigningPurpose): PrivateJwk[] {
  return secrets.map((secret) => toJwk(deriveKey(secret, purpose)));
}

function toJwk(scalar: Buffer): PrivateJwk {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(scalar); // throws for the 1 in 2^32 scalars that are not below the order of the curve
  const point = curve.getPublicKey(); // 0x04, x, y
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const kid = createHash("sha256")
    .update(JSON.stringify({ crv: "P-256", kty: "EC", x, y }))
    .digest("base64url"); // RFC 7638
  return { kty: "EC", crv: "P-256", use: "sig", alg: "ES256", kid, x, y, d: scalar.toString("base64url") };
}
