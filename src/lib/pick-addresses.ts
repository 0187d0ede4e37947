import { lookup as lookUpName } from "node:dns/promises";
import { isIP } from "node:net";
import { isLinkLocalAddress, isLoopbackAddress } from "./ip-address.ts";
import { NameResolutionError, type ResolveName } from "./resolve-name.ts";

/** The URL must not be fetched (`isBlocked`), or the request failed. The message completes “couldn’t be fetched: …”. */
export class PublicFetchError extends Error {
  override readonly name = "PublicFetchError";
  readonly isBlocked: boolean;

  constructor(message: string, isBlocked: boolean) {
    super(message);
    this.isBlocked = isBlocked;
  }
}

/** Only the first IP addresses of each family are tried. */
const maxPinnedPerFamily = 2;

/** Returns the IP addresses of a public host to connect to, IPv4 first. All of them have passed `isAllowed`. */
export async function pickPublicAddresses(
  hostname: string,
  abortSignal: AbortSignal,
  resolve: ResolveName,
  isAllowed: (address: string) => boolean,
): Promise<string[]> {
  const resolvePublicName = async (host: string): Promise<readonly string[]> => {
    // Public names have a dot; `localhost` and its subdomains are this machine (RFC 6761 §6.3).
    if (!/[^.]\.[^.]+\.?$/.test(host) || /\.localhost\.?$/.test(host))
      throw new PublicFetchError("the host is not public", true);
    try {
      return await resolve(host, abortSignal);
    } catch (error) {
      throw error instanceof NameResolutionError ? new PublicFetchError(error.message, false) : error;
    }
  };
  return pickAddresses(hostname, resolvePublicName, isAllowed);
}

/**
 * The IP addresses of a host that the operator listed. The host may be in this machine's hosts file. Link-local IP
 * addresses are rejected, and for plain http all except loopback, because plain http must not leave this machine.
 */
export async function pickPrivateAddresses({ hostname, protocol }: URL): Promise<string[]> {
  return pickAddresses(
    hostname,
    async (host) => (await lookUpName(host, { all: true })).map(({ address }) => address),
    (address) => !isLinkLocalAddress(address) && (protocol === "https:" || isLoopbackAddress(address)),
  );
}

async function pickAddresses(
  hostname: string,
  resolve: (host: string) => Promise<readonly string[]>,
  isAllowed: (address: string) => boolean,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) ? [host] : await resolve(host);
  // A private IP address among public ones is an attack: none of them is used.
  if (addresses.length === 0 || !addresses.every(isAllowed)) throw new PublicFetchError("the host is not public", true);
  return [4, 6].flatMap((family) =>
    addresses.filter((address) => isIP(address) === family).slice(0, maxPinnedPerFamily),
  );
}

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

export function getHostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname.replace(/\.$/, "")}:${port || defaultPorts[protocol]}`;
}
