import type { Person, Scope } from "../caller.ts";
import type { Role } from "../policy.ts";

export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  emailVerified: boolean;
}

export interface User extends Person {
  emailVerified: boolean;
  activeStudioId: string | null;
}

/** A studio as its member sees it in a list. */
export interface OwnMembership {
  studioId: string;
  studioName: string;
  role: Role;
  joinedAt: number;
}

export interface UserStore {
  /** The user with this issuer and subject, made or brought up to date in one statement. */
  upsert(id: string, identity: Identity, now: number): Promise<User>;
  find(userId: string): Promise<User | undefined>;
  /** Whether this identity is a user who is in a studio by an invitation they accepted. */
  isGuest(issuer: string, subject: string): Promise<boolean>;
  /** Earliest joined first. */
  memberships(userId: string): Promise<OwnMembership[]>;
  /** False, and nothing changed, unless the user is a member. */
  setActiveStudio(userId: string, studioId: string): Promise<boolean>;
}

/** Web sessions, by the digest of their cookie. */
export interface SessionStore {
  insert(tokenHash: string, userId: string, now: number, expiresAt: number): Promise<void>;
  /** The user behind a session that has not expired. */
  findUser(tokenHash: string, now: number): Promise<User | undefined>;
  delete(tokenHash: string): Promise<void>;
}

/** One person's approval of one OAuth client. */
export interface Grant {
  id: string;
  userId: string;
  clientId: string;
  clientName: string;
  /** The client proved the domain it names: its id is a document at that domain. */
  clientVerified: boolean;
  redirectHost: string;
  scopes: readonly Scope[];
  /** The studio it acts in on the wire without sessions: taken at approval, and again when the client connects anew. */
  studioId: string | null;
  grantedAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface GrantStore {
  insert(grant: Grant): Promise<void>;
  find(grantId: string): Promise<Grant | undefined>;
  /** Approvals of a studio's members that act, or would act, in it; newest first. Only `userId`'s where given. */
  listForStudio(studioId: string, userId: string | undefined): Promise<(Grant & { userName: string; userEmail: string | null })[]>;
  /** Ends it, with everything that hangs on it; false where it had ended before. */
  revoke(grantId: string, now: number): Promise<boolean>;
  /** Moves the grant to another studio; false where it was there already. */
  moveStudio(grantId: string, studioId: string): Promise<boolean>;
  /** Notes the use, at most once a minute. */
  touch(grantId: string, now: number): Promise<void>;
}
