import { days, hours, minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { RateLimitStore } from "../ports/access.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Exact limits per IP address or user, shared by all instances. A studio of fifty users behind one IP address, each
 * with a few clients, stays below them; only registration is stricter, because it stores data for anonymous clients.
 */
export const rateLimits = {
  /** Per IP address. */
  registration: { hits: 20, windowMs: hours(1) },
  /** Per IP address: the token and revocation endpoints. A client calls them about once an hour. */
  token: { hits: 300, windowMs: minutes(1) },
  /** Per IP address: starting an authorization. */
  authorize: { hits: 120, windowMs: minutes(1) },
  /** Per IP address: redirects to the identity provider. */
  signIn: { hits: 100, windowMs: minutes(10) },
  /** Per IP address: callbacks from the identity provider. */
  signInCallback: { hits: 100, windowMs: minutes(10) },
  /** Per user: views of the consent page, which may fetch the client's metadata document. */
  consentPage: { hits: 120, windowMs: minutes(10) },
  /** Per user: decisions on the consent page. */
  consent: { hits: 60, windowMs: minutes(10) },
  /** Per user: new connect links, which may send requests to a platform instance. */
  connect: { hits: 60, windowMs: minutes(10) },
  /** Per studio: test events, each of which sends a request at once. */
  webhookTest: { hits: 60, windowMs: minutes(10) },
  /** Per user: invitations by mail, so that users cannot send many mails to strangers. */
  invitationMail: { hits: 20, windowMs: days(1) },
  /** Per user: test messages. */
  testMail: { hits: 10, windowMs: minutes(10) },
  /** Per IP address: links that end mails. */
  unsubscribe: { hits: 100, windowMs: minutes(10) },
  /** Per IP address: callbacks from a platform. */
  connectCallback: { hits: 100, windowMs: minutes(10) },
  /** Per calendar feed; per IP address for tokens that no feed has. */
  calendarFeed: { hits: 60, windowMs: minutes(10) },
  /** Per IP address: fetches of client metadata documents. */
  clientDocument: { hits: 60, windowMs: minutes(10) },
} as const satisfies Record<string, { hits: number; windowMs: number }>;

export type RateLimitName = keyof typeof rateLimits;

/** How many times more than one IPv6 /64 its /48 may send: anyone can get a /48, and it contains 65,536 networks. */
const siteFactor = 10;

/** Limits the IP address of a request: its IPv4 address, or its IPv6 /64 and /48. */
export async function enforceIpRateLimit(
  deps: Pick<Deps, "rateLimits" | "clock">,
  limit: RateLimitName,
  getIpKey: (bits: 64 | 48) => string,
): Promise<void> {
  const [network, site] = [getIpKey(64), getIpKey(48)];
  await enforceRateLimit(deps, limit, network);
  if (site !== network) await enforceRateLimit(deps, limit, site, siteFactor);
}

/** Counts one hit, or throws `rate_limited`. Windows start at fixed times, so all instances agree on them. */
export async function enforceRateLimit(
  deps: Pick<Deps, "rateLimits" | "clock">,
  limit: RateLimitName,
  key: string,
  factor = 1,
): Promise<void> {
  const { hits, windowMs } = rateLimits[limit];
  const now = deps.clock();
  const windowEnd = now - (now % windowMs) + windowMs;
  if (await deps.rateLimits.hit(`${limit} ${key}`, windowEnd, hits * factor)) return;
  const retryAfter = Math.ceil((windowEnd - now) / 1000);
  throw new AppError("rate_limited:requests", { retryAfter }, { retryAfter });
}

/** For benchmarks. */
export const unlimitedRateLimitStore: RateLimitStore = { hit: async () => true, addHits: async () => new Map() };
