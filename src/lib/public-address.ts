import { BlockList, isIP } from "node:net";

/**
 * Addresses that are not somebody else's server on the internet: this machine, this network, and the tunnels and
 * translations through which such an address can be spelled. From the IANA special-purpose registries.
 */
const special = {
  ipv4: [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
  ],
  ipv6: [
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
  ],
} as const;

/** Whether an address belongs to a public host that we may talk to on a stranger's word. */
export function createPublicAddressCheck(): (address: string) => boolean {
  // One list a family: in a shared one, the range of IPv4 addresses in IPv6 clothes takes in every IPv4 address.
  const blocked = { ipv4: listOf("ipv4"), ipv6: listOf("ipv6") };
  return (address) => {
    const version = isIP(address);
    const family = version === 6 ? "ipv6" : "ipv4";
    return version !== 0 && !address.includes("%") && !blocked[family].check(address, family);
  };
}

function listOf(family: keyof typeof special): BlockList {
  const list = new BlockList();
  for (const range of special[family]) {
    const [network = "", prefix = "0"] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
