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
