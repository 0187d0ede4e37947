/** What nobody will ask for again. */
export const purgeableKinds = [
  "oauthRecords",
  "sessions",
  "rateLimits",
  "uploadLinks",
  "connectPages",
  "platformApps",
  "grantCalls",
] as const;
export type PurgeableKind = (typeof purgeableKinds)[number];

/** Each of these is one statement over at most `limit` rows, so that nobody waits for long. */
export interface PurgeStore {
  /** Deletes rows that had expired at `now`, oldest first, and answers how many. */
  deleteExpired(kind: PurgeableKind, now: number, limit: number): Promise<number>;
  /** Clients that registered themselves after `after` and not after `before`, oldest first. */
  listClients(after: RegisteredClient, before: number, limit: number): Promise<RegisteredClient[]>;
  /** Deletes those of them that nobody ever approved, nor is about to, and answers how many. */
  deleteUnusedClients(clientIds: readonly string[], before: number): Promise<number>;
}

export interface RegisteredClient {
  id: string;
  createdAt: number;
}

export interface LeaseStore {
  /** Takes the lease until `expiresAt`, in one statement; false where someone holds it and it has not expired at `now`. */
  acquire(name: string, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Gives it back, where this holder still has it. */
  release(name: string, holder: string): Promise<void>;
}
