import { createHash } from "node:crypto";

const alphabet = "234567abcdefghijklmnopqrstuvwxyz";

/**
 * A record key in the form of a TID: 53 bits of microseconds, then 10 bits that tell writers apart, in an alphabet that
 * sorts by time. The same commit always has the same key, so that a repeated request writes the same record.
 */
export function deriveRecordKey(commitKey: string, committedAt: number): string {
  const digest = createHash("sha256").update(commitKey).digest();
  const microseconds = BigInt(committedAt) * 1000n + BigInt(digest.readUInt32BE(0) % 1000);
  let bits = (microseconds << 10n) | BigInt(digest.readUInt16BE(4) % 1024);
  let key = "";
  for (let i = 0; i < 13; i++) {
    key = `${alphabet[Number(bits & 31n)]}${key}`;
    bits >>= 5n;
  }
  return key;
}
