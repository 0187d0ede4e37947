import type { IncomingMessage } from "node:http";
import { toNetworkPrefix, parseIpAddress, type IpAddress, type IpAddressSet } from "#lib/ip-address.ts";

/**
 * Who is calling, as a key for rate limits: the same for every spelling of an address and for everyone in one IPv6 /64
 * (or /48, where that is asked for).
 * What forwarded headers say counts only from proxies we trust, and only as far back as they can vouch for.
 */
export function getClientIpKey(req: IncomingMessage, trustedProxies: IpAddressSet, bits: 64 | 48 = 64): string {
  const peer = parseIpAddress(req.socket.remoteAddress ?? "");
  if (!peer) return "unknown";
  if (!trustedProxies.has(peer)) return toNetworkPrefix(peer, bits);
  const chains = [readForwardedFor(req), readForwarded(req)].filter((chain) => chain !== undefined);
  const networks = new Set(
    chains.map((chain) => toNetworkPrefix(findLastUntrusted(chain, peer, trustedProxies), bits)),
  );
  // A proxy writes one of the two headers and passes the other on as the client sent it. Where they disagree,
  // one is forged, and nobody gains a counter of their own by it.
  const [network] = networks;
  return networks.size === 1 && network !== undefined ? network : toNetworkPrefix(peer, bits);
}

/** From the right, each proxy tells who spoke to it; the first that is no proxy of ours is as far as we can believe. */
function findLastUntrusted(chain: readonly string[], peer: IpAddress, trustedProxies: IpAddressSet): IpAddress {
  let last = peer;
  for (const hop of chain.toReversed()) {
    const ipAddress = parseHop(hop);
    if (!ipAddress) return last;
    last = ipAddress;
    if (!trustedProxies.has(ipAddress)) return last;
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
  const withoutPort = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([^:]*):\d+$/.exec(text)?.[1] ?? text;
  return parseIpAddress(withoutPort);
}
