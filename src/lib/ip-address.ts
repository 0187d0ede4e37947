import { BlockList, isIPv4, isIPv6 } from "node:net";

/** An address in one spelling: IPv4 as it is, also where it comes in IPv6 clothes; IPv6 as eight groups. */
export interface Address {
  readonly family: "ipv4" | "ipv6";
  readonly text: string;
}

/** Undefined for anything that is no address. */
export function parseAddress(value: string): Address | undefined {
  if (isIPv4(value)) return { family: "ipv4", text: value };
  const [bare = ""] = value.split("%", 1); // the zone says where on this machine, not who
  if (!isIPv6(bare)) return undefined;
  const groups = expand(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return { family: "ipv6", text: groups.map((group) => group.toString(16)).join(":") };
  const [high = 0, low = 0] = groups.slice(6);
  return { family: "ipv4", text: [high >> 8, high & 255, low >> 8, low & 255].join(".") };
}

/** The network that one customer has: an IPv4 address, or the first half of an IPv6 address; or the whole site's. */
export function networkOf({ family, text }: Address, bits: 64 | 48 = 64): string {
  if (family === "ipv4") return text;
  const network = text.split(":").slice(0, bits / 16);
  return `${network.join(":")}::/${bits}`;
}

function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [, rest = "", ...bytes] = dotted ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  const hex = dotted ? `${rest}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}` : address;
  const [head = "", tail] = hex.split("::");
  const left = toGroups(head);
  const right = toGroups(tail ?? "");
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function toGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Addresses and networks, such as those of the proxies in front of us. */
export interface AddressSet {
  has(address: Address): boolean;
}

/** Entries are addresses, networks (`10.0.0.0/8`) or the word `loopback`; undefined where one is none of these. */
export function parseAddressSet(entries: readonly string[]): AddressSet | undefined {
  const list = new BlockList();
  for (const entry of entries.flatMap((one) => (one === "loopback" ? ["127.0.0.0/8", "::1"] : [one]))) {
    const [text = "", prefix, ...more] = entry.split("/");
    const address = text.includes("%") ? undefined : parseAddress(text);
    const widest = address?.family === "ipv4" ? 32 : 128;
    if (!address || more.length > 0) return undefined;
    if (prefix === undefined) list.addAddress(address.text, address.family);
    // A network of mapped addresses would count its bits from elsewhere.
    else if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > widest || (isIPv6(text) && address.family === "ipv4"))
      return undefined;
    else list.addSubnet(address.text, Number(prefix), address.family);
  }
  return { has: ({ family, text }) => list.check(text, family) };
}
