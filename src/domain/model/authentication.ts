import type { Caller, Person, Scope } from "../caller.ts";
import type { Role } from "../policy.ts";

/** The user's current membership in a studio. */
export interface Membership {
  studio: Caller["studio"];
  role: Role;
}

/** What a bearer token authorizes. Resolved for every request, in one round trip. */
export interface Authentication {
  user: Person;
  client: { id: string; name: string };
  scopes: readonly Scope[];
  /** The token's grant. MCP sessions belong to one grant. */
  grantId: string;
  /** SHA-256 digest of the token. */
  tokenHash: string;
  /** The grant's studio, even if the user is no longer a member of it. */
  grantStudioId: string | null;
  /**
   * The membership that this request acts with. The requested studio is the session's or, without a session, the
   * grant's. If the user is not a member of it, the membership is in the studio that the user joined first. Undefined,
   * like `nextSessionMembership`, if the user has no memberships.
   */
  membership: Membership | undefined;
  /** The same for a session that starts now, where the requested studio is the user's active studio. */
  nextSessionMembership: Membership | undefined;
  /** The session's studio was deleted: the session ends instead of moving to another studio. */
  isSessionStudioDeleted: boolean;
}

/**
 * Returns undefined for a token that is unknown, expired, revoked, bound to another resource or of a disabled user.
 * `sessionStudioId` is the studio of the request's MCP session, if it has one.
 */
export type Authenticator = (token: string, sessionStudioId: string | undefined) => Promise<Authentication | undefined>;

/** Builds the caller from the token's user and one of the user's memberships. */
export function toCaller({ user, client, scopes, grantId }: Authentication, { studio, role }: Membership): Caller {
  return { user, studio, role, scopes, client, credential: { kind: "grant", grantId } };
}
