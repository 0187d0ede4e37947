import { hours, minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import type { RateLimitStore } from "./ports.ts";

/**
 * How often one key (an address or a user) may do a thing in a window. Exact, and shared by all instances.
 * Chosen so that a studio of fifty people behind one address, each with a few clients, does not meet them;
 * registration is the exception, it is the only one that leaves something behind for a stranger.
 */
export const rateLimits = {
  /** By address. */
  registration: { hits: 20, window: hours(1) },
  /** By the IPv6 /48 that an address is in: anyone is given one for the asking, with 65,536 networks to come from. */
  registrationSite: { hits: 200, window: hours(1) },
  /** By address: the token and revocation endpoints. A client asks about once an hour. */
  token: { hits: 300, window: minutes(1) },
  /** By address: beginning an authorization. */
  authorize: { hits: 120, window: minutes(1) },
  /** By address: being sent to the identity provider. */
  signIn: { hits: 100, window: minutes(10) },
  /** By address: coming back from it. */
  signInCallback: { hits: 100, window: minutes(10) },
  /** By user: looking at a request for approval, which may make us read its client's document again. */
  consentPage: { hits: 120, window: minutes(10) },
  /** By user: answering a request for approval. */
  consent: { hits: 60, window: minutes(10) },
  /** By user: asking for a page to connect a platform, for which an instance may be asked. */
  connect: { hits: 60, window: minutes(10) },
  /** By address: coming back from a platform. */
  connectCallback: { hits: 100, window: minutes(10) },
  /** By address: making us fetch a client's metadata document. */
  clientDocument: { hits: 60, window: minutes(10) },
} as const satisfies Record<string, { hits: number; window: number }>;

export type RateLimitName = keyof typeof rateLimits;

/** How much of an IPv6 address a limit by address counts together. */
export const getNetworkBits = (limit: RateLimitName): 48 | 64 => (limit === "registrationSite" ? 48 : 64);

/** Counts one hit, or throws `rate_limited` where there were too many. Windows begin at fixed times, the same for all instances. */
export async function enforceRateLimit(
  deps: Pick<Deps, "rateLimits" | "clock">,
  limit: RateLimitName,
  key: string,
): Promise<void> {
  const { hits, window } = rateLimits[limit];
  const now = deps.clock();
  const windowEnd = now - (now % window) + window;
  if (await deps.rateLimits.hit(`${limit} ${key}`, windowEnd, hits)) return;
  const retryAfter = Math.ceil((windowEnd - now) / 1000);
  throw new AppError("rate_limited:requests", { retryAfter }, { retryAfter });
}

/** For measurements: everything is within the limits. */
export const unlimitedRateLimitStore: RateLimitStore = { hit: async () => true, addHits: async () => new Map() };
