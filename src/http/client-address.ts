import type { IncomingMessage } from "node:http";
import { networkOf, parseIpAddress, type IpAddress, type IpAddressSet } from "#lib/ip-address.ts";

/**
 * Who is calling, as a key for rate limits: the same for every spelling of an address and for everyone in one IPv6 /64
 * (or /48, where that is asked for).
 * What forwarded headers say counts only from proxies we trust, and only as far back as they can vouch for.
 */
export function addressKey(req: IncomingMessage, proxies: IpAddressSet, bits: 64 | 48 = 64): string {
  const peer = parseIpAddress(req.socket.remoteAddress ?? "");
  if (!peer) return "unknown";
  if (!proxies.has(peer)) return networkOf(peer, bits);
  const chains = [readForwardedFor(req), readForwarded(req)].filter((chain) => chain !== undefined);
  const found = new Set(chains.map((chain) => networkOf(lastUntrusted(chain, peer, proxies), bits)));
  // A proxy writes one of the two headers and passes the other on as the client sent it. Where they disagree,
  // one is forged, and nobody gains a counter of their own by it.
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : networkOf(peer, bits);
}

/** From the right, each proxy tells who spoke to it; the first that is no proxy of ours is as far as we can believe. */
function lastUntrusted(chain: readonly string[], peer: IpAddress, proxies: IpAddressSet): IpAddress {
  let last = peer;
  for (const hop of chain.toReversed()) {
    const address = parseHop(hop);
    if (!address) return last;
    last = address;
    if (!proxies.has(address)) return last;
  }
  return last;
}

/** Repeated headers come joined, in their order. */
function readForwardedFor(req: IncomingMessage): string[] | undefined {
  return [req.headers["x-forwarded-for"] ?? []].flat().at(0)?.split(",");
}

/** RFC 7239. A name in place of an address (`_hidden`, `unknown`) ends the chain. */
function readForwarded(req: IncomingMessage): string[] | undefined {
  return req.headers.forwarded
    ?.split(",")
    .map((hop) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(hop)?.[1]?.replaceAll('"', "") ?? "");
}

/** An address, with or without port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function parseHop(hop: string): IpAddress | undefined {
  const text = hop.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([^:]*):\d+$/.exec(text)?.[1] ?? text;
  return parseIpAddress(bare);
}
