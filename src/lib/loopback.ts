import { isIP } from "node:net";

/** A host name or address that never leaves this machine: `localhost`, `*.localhost`, 127.0.0.0/8, ::1. */
export function isLoopbackName(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, "").toLowerCase();
  return bare === "localhost" || bare.endsWith(".localhost") || isLoopbackAddress(bare);
}

/** 127.0.0.0/8 and ::1, also as an IPv4 address in IPv6 clothes. */
export function isLoopbackAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/i, "") ?? "";
  return isIP(plain) !== 0 && (plain === "::1" || plain.startsWith("127."));
}
