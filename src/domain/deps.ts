import type { Clock } from "#lib/clock.ts";
import type { IdGenerator } from "#lib/ids.ts";
import type { PublicUrlOpener } from "#lib/public-fetch.ts";
import type { Signer } from "#lib/signed-token.ts";
import type { Vault } from "#lib/vault.ts";
import type { Authority } from "./access/authority.ts";
import type {
  GrantStore,
  OAuthClientStore,
  OAuthRecordStore,
  RateLimitStore,
  SessionStore,
  TokenStore,
  UserStore,
} from "./access/ports.ts";
import type { UserQueue } from "./access/user-queue.ts";
import type { ActivityStore } from "./activity/record.ts";
import type { CommentStore } from "./comments/ports.ts";
import type { FileStore } from "./assets/model/file-store.ts";
import type { ImportSlots } from "./assets/lifecycle/import-slots.ts";
import type { AssetLimits } from "./assets/model/kinds.ts";
import type { MediaReader } from "./assets/model/media-metadata.ts";
import type { AssetStore, SharedFileStore, StrayFileStore, UploadClaimStore } from "./assets/ports.ts";
import type { writes, WriteStores } from "./changes/writes/write-stores.ts";
import type { AssetChangeStore, RevisionStore } from "./history/ports.ts";
import type { IdempotencyStore } from "./run-once.ts";
import type { LeaseStore } from "./housekeeping/lease.ts";
import type { PurgeStore } from "./housekeeping/purge-expired.ts";
import type { Platforms, PlatformStore } from "./platforms/ports.ts";
import type { TextChecks } from "./platforms/text-checks.ts";
import type { CalendarStore } from "./publishing/list-calendar.ts";
import type { PublicationRunStore, PublicationStore } from "./publishing/ports.ts";
import type { Publisher } from "./publishing/publisher.ts";
import type { ImageInspectionStore } from "./renditions/ports.ts";
import type { LockablePostStore, PostStore } from "./posts/ports.ts";
import type { PostSummaryStore } from "./posts/post-summary.ts";
import type { SearchIndexStore } from "./search/ports.ts";
import type { SearchQueue } from "./search/search-queue.ts";
import type { StudioLimits } from "./studios/members.ts";
import type { InvitationStore, MembershipStore, StudioStore } from "./studios/ports.ts";
import type { SubscriptionStore } from "./subscriptions/ports.ts";
import type { TrashStore } from "./trash/ports.ts";
import type { UploadStore } from "./uploads/ports.ts";

/**
 * The domain's view of the database: one store per port, all bound to one connection. Posts, assets and publications are
 * only read: `changes/` writes them.
 */
export interface Stores {
  users: UserStore;
  sessions: SessionStore;
  grants: GrantStore;
  tokens: TokenStore;
  oauthRecords: OAuthRecordStore;
  oauthClients: OAuthClientStore;
  studios: StudioStore;
  memberships: MembershipStore;
  invitations: InvitationStore;
  posts: PostStore;
  postSummaries: PostSummaryStore;
  revisions: RevisionStore;
  assets: AssetStore;
  assetChanges: AssetChangeStore;
  comments: CommentStore;
  subscriptions: SubscriptionStore;
  trash: TrashStore;
  searchIndex: SearchIndexStore;
  sharedFiles: SharedFileStore;
  strayFiles: StrayFileStore;
  imageInspections: ImageInspectionStore;
  uploads: UploadStore;
  uploadClaims: UploadClaimStore;
  platformStore: PlatformStore;
  publications: PublicationStore;
  calendar: CalendarStore;
  activity: ActivityStore;
  rateLimits: RateLimitStore;
  purges: PurgeStore;
  leases: LeaseStore;
  idempotency: IdempotencyStore;
}

/** The stores of an open transaction. Only `transact` creates one. */
export interface Tx extends Stores {
  posts: LockablePostStore;
  readonly [writes]: WriteStores;
  /** Whether what this transaction changes may be published without a new approval, as read in the transaction. */
  mayPublish: boolean;
}

export interface TransactOptions {
  /** For transactions that change memberships or grants: locks them in an order that prevents deadlocks. */
  changesAccess?: boolean;
}

/** Everything a verb may use. Each verb picks only what it needs, so its signature shows its side effects. */
export interface Deps extends Stores {
  /**
   * Runs `work` in a transaction, after checking in it that `authority` is still valid: see `checkAuthority`. `work` may
   * run more than once, so it must make all its changes through `tx`.
   */
  transact<T>(authority: Authority, work: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>;
  clock: Clock;
  newId: IdGenerator;
  /** Generates an unguessable token. */
  newSecret: () => string;
  /** `{base}` in comments: prefix of the URLs in results. */
  baseUrl: string;
  /** `{uploadPage}` in comments: prefix of the URLs of upload links. */
  uploadPage: string;
  limits: AssetLimits & StudioLimits;
  /** Who may sign in and create studios: verified emails and `@domains`, or `*`. */
  signInAllow: readonly string[];
  /** The file store. Not part of transactions. */
  files: FileStore;
  media: MediaReader;
  /** Signs the tokens in our URLs. */
  signer: Signer;
  /** Fetches public URLs that users provide. */
  openUrl: PublicUrlOpener;
  importSlots: ImportSlots;
  searchQueue: SearchQueue;
  /** Use `runLongWork`. */
  longWork: UserQueue;
  /** The social platforms and their OAuth clients. */
  platforms: Platforms;
  textChecks: TextChecks;
  publisher: Publisher;
  /** Wakes the publishing worker, because a publication may be due. */
  wakeWorker: () => void;
  /** Encrypts third-party credentials for storage. */
  vault: Vault;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** For background jobs only. */
export interface JobDeps extends Deps {
  publicationRuns: PublicationRunStore;
}
