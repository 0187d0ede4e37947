import { hash, timingSafeEqual } from "node:crypto";

/** How anything that is itself a key is kept: whoever reads the database cannot use it. */
export const sha256 = (value: string): string => hash("sha256", value, "hex");

/** Compares without telling by its timing how much was right. */
export function isTimingSafeEqual(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
