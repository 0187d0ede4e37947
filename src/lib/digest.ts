import { hash, timingSafeEqual } from "node:crypto";

/** Bearer secrets are stored as digests, so that a leaked database contains no usable ones. */
export const sha256 = (value: string): string => hash("sha256", value, "hex");

/** Hashing makes the lengths equal, which `timingSafeEqual` requires. */
export function equalsInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
