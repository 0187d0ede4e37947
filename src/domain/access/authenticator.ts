import type { Caller, Person, Scope } from "../caller.ts";
import type { Role } from "../policy.ts";

/** A place in a studio: which one, and with what role. Membership and role are as they are now. */
export interface Membership {
  studio: Caller["studio"];
  role: Role;
}

/** What a bearer token stands for, read afresh for every request, in one round trip. */
export interface Authentication {
  user: Person;
  client: { id: string; name: string };
  scopes: readonly Scope[];
  /** The approval the token belongs to. A session of one grant is unknown to every other. */
  grantId: string;
  /** The studio in the authorization record, whether or not the user still is a member of it. */
  grantStudioId: string | null;
  /**
   * Where this request acts: the studio asked for, or else the grant's, if the user is a member of it;
   * otherwise the user's first membership. Undefined: the user has none at all, and so has `nextSeat`.
   */
  membership: Membership | undefined;
  /** Where a session that begins now acts: the user's active studio if a member, otherwise the first membership. */
  nextSessionMembership: Membership | undefined;
  /** The open session's studio was deleted. The session ends instead of moving to another studio. */
  isSessionStudioDeleted: boolean;
}

/**
 * Undefined for a token that is unknown, expired, revoked or bound to another resource.
 * `sealedStudioId`: the studio of the open session that the request names, if it names one.
 */
export type Authenticator = (token: string, sessionStudioId: string | undefined) => Promise<Authentication | undefined>;

/** The token's user as a caller in one seat. */
export function toCaller({ user, client, scopes, grantId }: Authentication, { studio, role }: Membership): Caller {
  return { user, studio, role, scopes, client, grantId };
}
