import type { Scope } from "../caller.ts";
import type { Authentication } from "../model/authentication.ts";
import type { Grant, ListedGrant } from "../model/grant.ts";
import type { Identity, ListedUser, User, UserMembership } from "../model/user.ts";

/** Which page of a long list to return, newest first. */
export interface OperatorPage {
  /** Only items older than this id. */
  before?: string | undefined;
  limit: number;
}

/** All items, or those that contain `search`. */
export interface OperatorSearch extends OperatorPage {
  search?: string | undefined;
}

export interface UserStore {
  /** Creates or updates the user with this issuer and subject, in one statement. */
  upsert(id: string, identity: Identity, now: number): Promise<User>;
  find(userId: string): Promise<User | undefined>;
  /** Whether this user joined a studio by invitation and is still a member. */
  isInvitedMember(issuer: string, subject: string): Promise<boolean>;
  /** Earliest joined first. */
  listMemberships(userId: string): Promise<UserMembership[]>;
  /** Returns false and changes nothing if the user is not a member. */
  setActiveStudio(userId: string, studioId: string): Promise<boolean>;
  /** All users, or those whose name or email contains `search`. */
  list(page: OperatorSearch): Promise<ListedUser[]>;
  /** Disables the user, or enables them if `at` is null. Returns false if nothing changed. */
  setDisabled(userId: string, at: number | null): Promise<boolean>;
}

/** The user whom an assertion is about. */
export interface AssertedUser {
  user: Omit<User, "activeStudioId"> & Pick<Identity, "issuer" | "subject">;
  /** Their verified email at the issuer of the assertion. */
  companyEmail: string | null;
}

export interface LinkedIdentity {
  issuer: string;
  subject: string;
  userId: string;
  email: string;
  linkedAt: number;
}

/** Identities of users at issuers where they do not sign in. */
export interface LinkedIdentityStore {
  /** The user who linked this identity. */
  findUser(issuer: string, subject: string): Promise<AssertedUser | undefined>;
  /** The user who signs in with this identity. */
  findSignInUser(issuer: string, subject: string): Promise<AssertedUser | undefined>;
  list(userId: string): Promise<Pick<LinkedIdentity, "issuer" | "email">[]>;
  /** Returns false if a user has linked it. */
  insert(identity: LinkedIdentity): Promise<boolean>;
  delete(userId: string, issuer: string): Promise<void>;
}

/** Web sessions, by the hash of their cookie. */
export interface SessionAccess {
  expiresAt: number;
  /** Every studio that the user is a member of. */
  studioIds: ReadonlySet<string>;
}

export interface SessionStore {
  insert(tokenHash: string, userId: string, now: number, expiresAt: number): Promise<void>;
  /** Finds the user of an unexpired session, unless the user is disabled. */
  findUser(tokenHash: string, now: number): Promise<User | undefined>;
  /** Sessions that have ended, or whose user is disabled, are missing in the result. */
  findAccess(tokenHashes: readonly string[], now: number): Promise<Map<string, SessionAccess>>;
  delete(tokenHash: string): Promise<void>;
  /** Ends all sessions of a user and returns their number. */
  deleteForUser(userId: string): Promise<number>;
}

export interface GrantFilter {
  /** List this user's grants in all studios. */
  userId: string;
  /** Also list other users' grants that act on this studio. */
  includeOthers: boolean;
  /** Only this grant. */
  grantId?: string | undefined;
  /** If true, only revoked grants; if false, only active ones. */
  isRevoked?: boolean | undefined;
  /** Only grants older than this id. */
  before?: string | undefined;
  limit?: number | undefined;
  /** The first day whose calls are counted; without it, `calls` is 0. */
  callsSince?: number | undefined;
}

export interface OperatorGrantFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  includeRevoked: boolean;
  callsSince: number;
}

export interface GrantStore {
  /** Returns false and stores nothing if the user and client have an active grant by the same issuer's assertions. */
  insert(grant: Grant): Promise<boolean>;
  /** The active or blocked grant by an issuer's assertions. */
  findAsserted(userId: string, clientId: string, issuer: string): Promise<Grant | undefined>;
  setScopes(grantId: string, scopes: readonly Scope[]): Promise<void>;
  /** Returns false if the grant is not blocked. */
  unblock(grantId: string): Promise<boolean>;
  /** Revokes what an issuer's assertions about a user gave, without blocking later ones. */
  revokeAsserted(userId: string, issuer: string, now: number): Promise<void>;
  find(grantId: string): Promise<Grant | undefined>;
  /** The grants that a user may see in a studio, newest first, including revoked ones. */
  listVisible(studioId: string, filter: GrantFilter): Promise<ListedGrant[]>;
  /**
   * Revokes the grant and all its tokens; returns false if it is already revoked. `blocksAssertions`: if assertions gave
   * it, later ones give no access.
   */
  revoke(grantId: string, now: number, options?: { blocksAssertions: boolean }): Promise<boolean>;
  /** Grants of all studios, newest first. Includes revoked grants only if `includeRevoked` is true. */
  list(page: OperatorPage & OperatorGrantFilter): Promise<ListedGrant[]>;
  /** Revokes all grants of a user and returns how many were active. */
  revokeForUser(userId: string, now: number): Promise<number>;
  /** Revokes all grants that act on this studio. */
  revokeInStudio(studioId: string, now: number): Promise<void>;
  /** Moves the grant to another studio; returns false if it is there already. */
  moveStudio(grantId: string, studioId: string): Promise<boolean>;
  /** Updates `lastUsedAt`, at most once a minute. */
  touch(grantId: string, now: number): Promise<void>;
  /** Adds to the calls of a day; does nothing if the grant no longer exists. */
  addCalls(grantId: string, day: number, calls: number): Promise<void>;
}

/** Counters shared by all instances. */
export interface RateLimitStore {
  /** Counts one hit in the window that ends at `windowEnd`; returns false and counts nothing if `limit` is reached. */
  hit(key: string, windowEnd: number, limit: number): Promise<boolean>;
  /** Adds hits to many keys, without a limit, and returns each key's total over all instances. */
  addHits(counts: readonly { key: string; hits: number }[], windowEnd: number): Promise<Map<string, number>>;
}

/** A record of the OAuth server, such as a code or token, stored under the hash of its secret id. */
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
  /**
   * Inserts the record with the current generation of its grant. If the record exists, replaces only its payload,
   * audience, scope and expiry.
   */
  put(model: string, idHash: string, record: NewOAuthRecord): Promise<void>;
  /** Returns undefined for an unknown record and for records of a revoked grant. */
  find(model: string, idHash: string): Promise<OAuthRecord | undefined>;
  /** Returns false if there was no such record. */
  delete(model: string, idHash: string): Promise<boolean>;
  /** Marks the record as consumed; returns false if it was consumed before. */
  consume(model: string, idHash: string, now: number): Promise<boolean>;
  /**
   * Increments a grant's generation and returns true if `generation` is the current one. For the previous one, returns
   * true within `graceMs` of the last rotation and changes nothing. Otherwise returns false.
   */
  rotate(grantId: string, generation: number, now: number, graceMs: number): Promise<boolean>;
}

/** Dynamically registered clients (RFC 7591). */
export interface OAuthClientStore {
  put(id: string, metadata: Record<string, unknown>, now: number): Promise<void>;
  find(id: string): Promise<Record<string, unknown> | undefined>;
  /** Raises `createdAt` to at least `minCreatedAt`, so that the client is not purged while a user is on the consent page. */
  postponePurge(id: string, minCreatedAt: number): Promise<void>;
}

export interface ResolvedToken {
  authentication: Authentication;
  lastUsedAt: number | null;
}

export interface TokenStore {
  /**
   * One round trip. Returns undefined if the token is unknown, expired or for another audience, if its grant is revoked,
   * or if its user is disabled.
   */
  resolve(
    tokenHash: string,
    audience: string,
    sessionStudioId: string | undefined,
    now: number,
  ): Promise<ResolvedToken | undefined>;
}
