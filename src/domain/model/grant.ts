import { days, hours, minutes, toIsoTime } from "#lib/clock.ts";
import type { Person, Scope } from "../caller.ts";

export const callHistoryDays = 30;

/** How long access tokens are valid: those after a consent, and those for a company’s assertion. */
export const accessTokenLifetime = { consent: hours(1), assertion: minutes(10) } as const;

/** Days since 1970, UTC. */
export const toDayNumber = (ms: number): number => Math.floor(ms / days(1));

export interface GrantView {
  /** The id of the grant, not of the client, which can have several grants. */
  id: string;
  clientId: string;
  clientName: string;
  verified: boolean;
  redirectHost: string;
  user: Person;
  /** The studio that the client's next call acts on. */
  studioId: string | null;
  scopes: readonly Scope[];
  /** The company's issuer whose assertions gave access; null if the user approved the client. */
  issuer: string | null;
  /** A person revoked what assertions gave; they give no access until the user allows it again. */
  isBlocked: boolean;
  grantedAt: string;
  lastUsedAt: string | null;
  /** When the newest token was issued, if the client has never made a call; null before the first token. */
  unusedTokenAt: string | null;
  /** Tool calls in the last 30 days. */
  calls: number;
  revokedAt: string | null;
}

export function toGrantView(grant: ListedGrant): GrantView {
  return {
    id: grant.id,
    clientId: grant.clientId,
    clientName: grant.clientName,
    verified: grant.clientVerified,
    redirectHost: grant.redirectHost,
    user: { id: grant.userId, name: grant.userName, email: grant.userEmail },
    studioId: grant.effectiveStudioId,
    scopes: grant.scopes,
    issuer: grant.issuer,
    isBlocked: grant.isBlocked,
    grantedAt: toIsoTime(grant.grantedAt),
    lastUsedAt: grant.lastUsedAt === null ? null : toIsoTime(grant.lastUsedAt),
    unusedTokenAt: grant.unusedTokenAt === null ? null : toIsoTime(grant.unusedTokenAt),
    calls: grant.calls,
    revokedAt: grant.revokedAt === null ? null : toIsoTime(grant.revokedAt),
  };
}

/** One user's permission for one OAuth client. */
export interface Grant {
  id: string;
  userId: string;
  clientId: string;
  clientName: string;
  /** The client proved that it controls a domain: its id is the URL of its client metadata document on that domain. */
  clientVerified: boolean;
  redirectHost: string;
  scopes: readonly Scope[];
  /** The studio of calls in MCP versions without sessions. Set on consent, and again when the client reconnects. */
  studioId: string | null;
  grantedAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  issuer: string | null;
  isBlocked: boolean;
}

export interface ListedGrant extends Grant {
  userName: string;
  userEmail: string | null;
  /** The studio of the next call: the grant's or, if the user is not a member of it, the one they joined first. */
  effectiveStudioId: string | null;
  unusedTokenAt: number | null;
  /** Tool calls since `callsSince`. */
  calls: number;
}
