import { isIP, isIPv4 } from "node:net";
import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** A parsed IP address. IPv4-mapped IPv6 addresses become IPv4, so each address has one form. */
export type IpAddress = IPv4 | IPv6;

/** Returns undefined unless the text is an IPv4 or IPv6 address; `127.1` and `0x7f.0.0.1` are not. Drops a zone id. */
export function parseIpAddress(value: string): IpAddress | undefined {
  const [withoutZone = ""] = value.split("%", 1); // a zone id names a local interface, not the peer
  if (isIP(withoutZone) === 0) return undefined;
  return ipaddr.process(withoutZone);
}

/** The network that one customer usually controls: an IPv4 address, or an IPv6 /64 (or /48). */
export function toNetworkPrefix(address: IpAddress, bits: 64 | 48 = 64): string {
  if (address.kind() === "ipv4") return address.toString();
  const groups = (address as IPv6).parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${groups.join(":")}::/${bits}`;
}

/** A set of IP addresses and networks, such as trusted proxies. */
export interface IpAddressSet {
  has(address: IpAddress): boolean;
}

/** Parses addresses, networks (`10.0.0.0/8`) and the word `loopback`. Returns undefined if an entry is none of these. */
export function parseIpAddressSet(entries: readonly string[]): IpAddressSet | undefined {
  const networks: [IpAddress, number][] = [];
  for (const entry of entries.flatMap((item) => (item === "loopback" ? ["127.0.0.0/8", "::1"] : [item]))) {
    const network = parseNetwork(entry);
    if (!network) return undefined;
    networks.push(network);
  }
  return {
    has: (address) =>
      networks.some(
        ([network, prefixLength]) => network.kind() === address.kind() && address.match(network, prefixLength),
      ),
  };
}

function parseNetwork(entry: string): [IpAddress, number] | undefined {
  const [text = "", prefixLength, ...rest] = entry.split("/");
  const address = text.includes("%") ? undefined : parseIpAddress(text);
  if (!address || rest.length > 0) return undefined;
  const maxPrefixLength = address.kind() === "ipv4" ? 32 : 128;
  if (prefixLength === undefined) return [address, maxPrefixLength];
  // The prefix length of an IPv4-mapped network is ambiguous: it could count bits of the IPv4 or of the IPv6 address.
  const isMapped = address.kind() === "ipv4" && !isIPv4(text);
  if (!/^\d{1,3}$/.test(prefixLength) || Number(prefixLength) > maxPrefixLength || isMapped) return undefined;
  return [address, Number(prefixLength)];
}

/** Whether a host name or IP address always refers to this machine. */
export function isLoopbackName(name: string): boolean {
  const host = name.replace(/^\[|\]$/g, "").toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
}

/** 127.0.0.0/8 and ::1, including IPv4-mapped IPv6 addresses. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return parseIpAddress(address ?? "")?.range() === "loopback";
}

/** 169.254.0.0/16 and fe80::/10, where cloud providers serve credentials. */
export function isLinkLocalAddress(address: string): boolean {
  return parseIpAddress(address)?.range() === "linkLocal";
}

/** IPv4-compatible IPv6 addresses (RFC 4291 §2.5.5.1, deprecated), which ipaddr.js classifies as unicast. */
const ipv4CompatibleRange = ipaddr.parseCIDR("::/96");

/**
 * Whether an IP address belongs to a public host. Special-purpose ranges of the IANA registries, and the tunnels and
 * translations through which they can be reached, are not public.
 */
export function isPublicAddress(value: string): boolean {
  if (isIP(value) === 0 || value.includes("%")) return false;
  const address = ipaddr.parse(value);
  return address.range() === "unicast" && !(address.kind() === "ipv6" && address.match(ipv4CompatibleRange));
}
