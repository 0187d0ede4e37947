export interface LeaseStore {
  /** Acquires the lease until `expiresAt`, in one statement; returns false if any holder has it at `now`. */
  acquire(name: string, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Releases the lease if this holder still has it. */
  release(name: string, holder: string): Promise<void>;
}

/** A key is scoped to one user, one studio and one verb. */
export interface IdempotencyKey {
  studioId: string;
  userId: string;
  verb: string;
  key: string;
}

export interface StoredResult {
  inputHash: string;
  /** The result of the first call, as JSON. */
  result: string;
}

export interface IdempotencyStore {
  /** Returns the result stored under the key, unless it is older than `expiredBefore`. */
  find(key: IdempotencyKey, expiredBefore: number): Promise<StoredResult | undefined>;
  /**
   * Claims the key for this transaction, or returns the result stored under it. Parallel transactions with the same
   * key wait for the one that claimed it. Also deletes the user's keys that are older than `expiredBefore`.
   */
  claim(key: IdempotencyKey, inputHash: string, now: number, expiredBefore: number): Promise<StoredResult | undefined>;
  /** Stores the result under a key that this transaction claimed. */
  saveResult(key: IdempotencyKey, result: string): Promise<void>;
  /** Replaces the stored result if it is still `from`, in one statement; returns whether it was replaced. */
  replaceResult(key: IdempotencyKey, from: string, to: string): Promise<boolean>;
}

/** Rows that are useless once expired. */
export const purgeableKinds = [
  "oauthRecords",
  "sessions",
  "mcpSessions",
  "rateLimits",
  "uploadLinks",
  "connectLinks",
  "platformApps",
  "grantCalls",
  "assetChanges",
  "commentChanges",
  "deletedComments",
  "deletedCommentTexts",
  "webhookDeliveries",
  "notifications",
  "mails",
] as const;
export type PurgeableKind = (typeof purgeableKinds)[number];

/** Each method is one statement over at most `limit` rows, so that it holds locks only briefly. */
export interface PurgeStore {
  /** Deletes rows (or, for `deletedCommentTexts`, texts) that have expired at `now`, oldest first; returns how many. */
  deleteExpired(kind: PurgeableKind, now: number, limit: number): Promise<number>;
  /**
   * Lists dynamically registered clients in the order of `createdAt` and id: those that follow `after` and were
   * registered at `before` or earlier.
   */
  listClients(after: RegisteredClient, before: number, limit: number): Promise<RegisteredClient[]>;
  /**
   * Deletes the clients among these that never had a grant, and returns their number. Compares `createdAt` with `before`
   * again, because `postponePurge` may have changed it since the clients were listed.
   */
  deleteUnusedClients(clientIds: readonly string[], before: number): Promise<number>;
}

export interface RegisteredClient {
  id: string;
  createdAt: number;
}
