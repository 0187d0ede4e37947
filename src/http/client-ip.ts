import type { IncomingMessage } from "node:http";
import { toNetworkPrefix, parseIpAddress, type IpAddress, type IpAddressSet } from "#lib/ip-address.ts";

/**
 * Returns the client's network as a rate limit key: the IPv4 address, or the IPv6 /64 (or /48) prefix.
 * Forwarding headers count only if they come from a trusted proxy.
 */
export function getClientIpKey(req: IncomingMessage, trustedProxies: IpAddressSet, bits: 64 | 48 = 64): string {
  const peer = parseIpAddress(req.socket.remoteAddress ?? "");
  if (!peer) return "unknown";
  if (!trustedProxies.has(peer)) return toNetworkPrefix(peer, bits);
  const chains = [readForwardedFor(req), readForwarded(req)].filter((chain) => chain !== undefined);
  const networks = new Set(chains.map((chain) => toNetworkPrefix(findClientHop(chain, peer, trustedProxies), bits)));
  // A proxy sets one of the two headers and may forward the other from the client. If they disagree, one is forged, so
  // fall back to the proxy's IP address: forging a header must not yield a new rate limit key.
  const [network] = networks;
  return networks.size === 1 && network !== undefined ? network : toNetworkPrefix(peer, bits);
}

/**
 * Reads the chain from the right, where each proxy added its peer, and returns the first hop that is not a trusted
 * proxy. If there is none, returns the last hop that could be read.
 */
function findClientHop(chain: readonly string[], peer: IpAddress, trustedProxies: IpAddressSet): IpAddress {
  let furthestHop = peer;
  for (const hop of chain.toReversed()) {
    const ipAddress = parseHop(hop);
    if (!ipAddress) return furthestHop;
    furthestHop = ipAddress;
    if (!trustedProxies.has(ipAddress)) return furthestHop;
  }
  return furthestHop;
}

/** Node joins repeated headers into one string, in order; only the type allows an array. */
function readForwardedFor(req: IncomingMessage): string[] | undefined {
  return [req.headers["x-forwarded-for"] ?? []].flat().at(0)?.split(",");
}

/** RFC 7239. An identifier instead of an IP address (`_hidden`, `unknown`) ends the chain. */
function readForwarded(req: IncomingMessage): string[] | undefined {
  return req.headers.forwarded
    ?.split(",")
    .map((hop) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(hop)?.[1]?.replaceAll('"', "") ?? "");
}

/** Parses an IP address with or without a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function parseHop(hop: string): IpAddress | undefined {
  const text = hop.trim();
  const withoutPort = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([^:]*):\d+$/.exec(text)?.[1] ?? text;
  return parseIpAddress(withoutPort);
}
