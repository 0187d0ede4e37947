import type { Person, Scope } from "../caller.ts";
import type { Role } from "../policy.ts";
import type { Authentication } from "./authenticator.ts";

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
  /** Since when the operator has shut them out. */
  disabledAt: number | null;
}

export interface ListedUser extends User {
  issuer: string;
  createdAt: number;
}

/** A page of a long list, newest first. */
export interface OperatorPage {
  /** Only what is older than this id. */
  before?: string | undefined;
  limit: number;
}

/** A studio as its member sees it in a list. */
export interface UserMembership {
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
  isInvitedMember(issuer: string, subject: string): Promise<boolean>;
  /** Earliest joined first. */
  listMemberships(userId: string): Promise<UserMembership[]>;
  /** False, and nothing changed, unless the user is a member. */
  setActiveStudio(userId: string, studioId: string): Promise<boolean>;
  /** Everyone, or those whose name or address holds `search`. */
  list(page: OperatorPage & { search?: string | undefined }): Promise<ListedUser[]>;
  /** Shuts out since then, or, with null, lets in again; false where nothing changed. */
  setDisabled(userId: string, at: number | null): Promise<boolean>;
}

/** Web sessions, by the digest of their cookie. */
export interface SessionStore {
  insert(tokenHash: string, userId: string, now: number, expiresAt: number): Promise<void>;
  /** The user behind a session that has not expired, unless they are disabled. */
  findUser(tokenHash: string, now: number): Promise<User | undefined>;
  delete(tokenHash: string): Promise<void>;
  /** Ends all of a user's; answers how many. */
  deleteForUser(userId: string): Promise<number>;
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

export interface ListedGrant extends Grant {
  userName: string;
  userEmail: string | null;
  /** Where its next call acts: the grant's studio if the user is a member of it, otherwise their first. */
  effectiveStudioId: string | null;
  /** Tool calls under it since `callsSince`. */
  calls: number;
}

export interface GrantFilter {
  /** Whose own approvals are listed wherever they act: a person always finds their own. */
  userId: string;
  /** Also those of others that act in this studio. */
  others: boolean;
  /** Only this one. */
  grantId?: string | undefined;
  /** Only those that have ended, or only those that have not. */
  ended?: boolean | undefined;
  /** Those that came before this one. */
  before?: string | undefined;
  limit?: number | undefined;
  /** The first day whose calls count; without it none do. */
  callsSince?: number | undefined;
}

export interface OperatorGrantFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  ended: boolean;
  callsSince: number;
}

export interface GrantStore {
  insert(grant: Grant): Promise<void>;
  find(grantId: string): Promise<Grant | undefined>;
  /** The approvals someone may see from within a studio, newest first, ended ones too. */
  listForStudio(studioId: string, filter: GrantFilter): Promise<ListedGrant[]>;
  /** Ends it, with everything that hangs on it; false where it had ended before. */
  revoke(grantId: string, now: number): Promise<boolean>;
  /** Of everyone, or of one user, or of one client; ended ones only where asked for. */
  list(page: OperatorPage & OperatorGrantFilter): Promise<ListedGrant[]>;
  /** Ends all of a user's; answers how many had not ended before. */
  revokeForUser(userId: string, now: number): Promise<number>;
  /** Ends all that act in this studio. */
  revokeInStudio(studioId: string, now: number): Promise<void>;
  /** Moves the grant to another studio; false where it was there already. */
  moveStudio(grantId: string, studioId: string): Promise<boolean>;
  /** Notes the use, at most once a minute. */
  touch(grantId: string, now: number): Promise<void>;
  /** Adds to the calls of a day; nothing where the grant is gone. */
  addCalls(grantId: string, day: number, calls: number): Promise<void>;
}

/** Counters that all instances share. */
export interface RateLimitStore {
  /** Counts one hit in the window that ends at `windowEnd`; false, and nothing counted, where `limit` is reached. */
  hit(key: string, windowEnd: number, limit: number): Promise<boolean>;
  /** Counts many hits of many keys at once, without a limit; answers what all instances have counted of each. */
  addHits(counts: readonly { key: string; hits: number }[], windowEnd: number): Promise<Map<string, number>>;
}

/** Something the OAuth server keeps under an id that only its holder knows. */
export interface OAuthRecord {
  payload: Record<string, unknown>;
  grantId: string | null;
  generation: number | null;
  consumedAt: number | null;
}

export interface NewOAuthRecord {
  payload: Record<string, unknown>;
  grantId: string | null;
  audience: string | null;
  scope: string | null;
  expiresAt: number;
}

export interface OAuthRecordStore {
  /** Stores or replaces. A record of a grant takes the generation the grant has at that moment. */
  put(model: string, idHash: string, record: NewOAuthRecord): Promise<void>;
  /** Undefined for what never was, and for all that hangs on a grant that has ended. */
  find(model: string, idHash: string): Promise<OAuthRecord | undefined>;
  /** False where it was gone already. */
  delete(model: string, idHash: string): Promise<boolean>;
  /** Uses it up; false where someone else already has. */
  consume(model: string, idHash: string, now: number): Promise<boolean>;
  /**
   * Raises a grant's generation from `generation`, or accepts the one just before the current within `graceMs`
   * of the last rise. False for anything older.
   */
  rotate(grantId: string, generation: number, now: number, graceMs: number): Promise<boolean>;
}

/** Clients that registered themselves, in RFC 7591's words. */
export interface OAuthClientStore {
  put(id: string, metadata: Record<string, unknown>, now: number): Promise<void>;
  find(id: string): Promise<Record<string, unknown> | undefined>;
  /** Counts the client's age from `since` on where it is older, so that it is not purged while a person decides. */
  postponePurge(id: string, since: number): Promise<void>;
}

/** A token with all that hangs on it, as one look-up finds it. */
export interface ResolvedToken {
  authentication: Authentication;
  lastUsedAt: number | null;
}

export interface TokenStore {
  /** One round trip. Undefined for a token that is unknown, expired, of an ended grant or a disabled user, or for another audience. */
  resolve(
    tokenHash: string,
    audience: string,
    sessionStudioId: string | undefined,
    now: number,
  ): Promise<ResolvedToken | undefined>;
}
