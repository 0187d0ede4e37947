export interface PostVersion {
  studioId: string;
  isTrashed: boolean;
  /** Differs after every change of what a read of the post returns: its fields, files, publications and validation. */
  version: string;
}

/** What an access token that is still valid allows. */
export interface TokenAccess {
  expiresAt: number;
  /** The studio that calls without a session act on. */
  grantStudioId: string | null;
  /** Every studio that the user is a member of. */
  studioIds: ReadonlySet<string>;
}

/** The version of each post when the client subscribed to it, by post id. */
export type SubscribedPosts = ReadonlyMap<string, string>;

export interface McpSession {
  idHash: string;
  grantId: string;
  expiresAt: number;
}

export interface StoredSession {
  /** The only event stream of the session that carries notifications; null if none was opened. */
  streamId: string | null;
  posts: SubscribedPosts;
}

export interface SubscriptionStore {
  /** Posts that do not exist are missing in the result. */
  findVersions(postIds: readonly string[]): Promise<Map<string, PostVersion>>;
  /** Tokens that are expired or revoked, or whose user is disabled or has no studio, are missing in the result. */
  findAccess(tokenHashes: readonly string[], audience: string, now: number): Promise<Map<string, TokenAccess>>;
  /** A number that differs after every commit of any process; undefined if the database sends notifications instead. */
  getCommitMarker(): Promise<number | undefined>;
  /** Makes this the session's only stream with notifications, and notifies all processes. */
  openStream(session: McpSession, streamId: string): Promise<SubscribedPosts>;
  /** Locks the session until the transaction ends, and creates it if needed. */
  lockSession(session: McpSession): Promise<SubscribedPosts>;
  /** Replaces the posts of a session and notifies all processes. */
  savePosts(idHash: string, posts: SubscribedPosts): Promise<void>;
  findSessions(idHashes: readonly string[]): Promise<Map<string, StoredSession>>;
}
