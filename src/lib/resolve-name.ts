import { Resolver } from "node:dns/promises";

/** Returns every IPv4 and IPv6 address of a host name; aborting the signal cancels the queries. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface NameResolverOptions {
  /** Name servers as `ip:port`; those of the system by default. */
  servers?: readonly string[];
  maxLookups?: number;
}

/** The name could not be resolved: it has no IP address, no name server responded, or too many lookups are running. */
export class NameResolutionError extends Error {
  override readonly name = "NameResolutionError";
}

/** Leaves time for the request itself within the 3 s that a client metadata document may take. */
const lookupTimeoutMs = 2500;
/** How long to wait for the other query (A or AAAA) once one has succeeded; some name servers drop AAAA queries. */
const secondQueryGraceMs = 500;
const queryTimeoutMs = 1000;
const queryTries = 2;
const defaultMaxLookups = 32;

/**
 * Resolves untrusted names. `dns.lookup` blocks a thread of libuv's pool until the name server responds, and libuv runs
 * at most two lookups at a time (half of its four threads). Two names whose servers never respond would therefore stall
 * every other lookup, including sign-in at the identity provider. c-ares queries occupy only a socket and can be
 * canceled. They ignore /etc/hosts, mDNS and search domains, as intended: only public names may be fetched. Hosts that
 * the operator configures (issuer, S3, database) are trusted and do not use this resolver.
 *
 * Lookups beyond the limit are rejected immediately instead of queued, so that names that never resolve cannot pile up.
 */
export function createNameResolver({ servers, maxLookups = defaultMaxLookups }: NameResolverOptions = {}): ResolveName {
  let lookups = 0;
  return async (host, signal) => {
    if (lookups >= maxLookups) throw new NameResolutionError("too many host names are being resolved, try again soon");
    lookups++;
    try {
      return await resolveBothFamilies(host, signal, servers);
    } finally {
      lookups--;
    }
  };
}

async function resolveBothFamilies(host: string, signal: AbortSignal, servers?: readonly string[]): Promise<string[]> {
  signal.throwIfAborted();
  // One resolver per lookup: `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queryTries });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  const timers = [setTimeout(cancel, lookupTimeoutMs)];
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const queries = [resolver.resolve4(host), resolver.resolve6(host)];
    Promise.any(queries).then(
      () => timers.push(setTimeout(cancel, secondQueryGraceMs)),
      () => {},
    );
    const results = await Promise.allSettled(queries);
    const addresses = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    if (addresses.length === 0) throw new NameResolutionError("the host name couldn’t be resolved");
    return addresses;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}
