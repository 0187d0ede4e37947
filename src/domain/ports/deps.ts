import type { Clock } from "#lib/clock.ts";
import type { IdGenerator } from "#lib/ids.ts";
import type { PublicUrlCheck, PublicUrlOpener } from "#lib/public-fetch.ts";
import type { Signer } from "#lib/signed-token.ts";
import type { Vault } from "#lib/vault.ts";
import type { AssetLimits } from "../model/asset-kinds.ts";
import type { Authority } from "../model/authority.ts";
import type { ImportSlots } from "../model/import-slots.ts";
import type { SearchQueue } from "../model/search/search-queue.ts";
import type { StudioLimits } from "../model/studio.ts";
import type { UserQueue } from "../model/user-queue.ts";
import type { TextChecks } from "../model/validation/text-checks.ts";
import type {
  GrantStore,
  LinkedIdentityStore,
  OAuthClientStore,
  OAuthRecordStore,
  RateLimitStore,
  SessionStore,
  TokenStore,
  UserStore,
} from "./access.ts";
import type { ActivityStore } from "./activity.ts";
import type { AssetStore, SharedFileStore, StrayFileStore, UploadClaimStore } from "./assets.ts";
import type { CalendarFeedStore } from "./calendar-feeds.ts";
import type { CalendarStore, PostSummaryStore } from "./post-summaries.ts";
import type { CommentStore } from "./comments.ts";
import type { FileStore } from "./file-store.ts";
import type { AssetChangeStore, RevisionStore } from "./history.ts";
import type { IdempotencyStore, LeaseStore, PurgeStore } from "./coordination.ts";
import type { Mailer, MailStore } from "./mails.ts";
import type { ImageInspectionStore, MediaReader } from "./media.ts";
import type { NotificationStore } from "./notifications.ts";
import type { Platforms, PlatformStore } from "./platforms.ts";
import type { LockablePostStore, PostStore } from "./posts.ts";
import type { PublicationRunStore, PublicationStore } from "./publications.ts";
import type { Publisher } from "./publisher.ts";
import type { ReviewStore } from "./reviews.ts";
import type { ResultStore } from "./results.ts";
import type { SearchIndexStore } from "./search.ts";
import type { InvitationStore, MembershipStore, StudioStore } from "./studios.ts";
import type { SlotStore } from "./slots.ts";
import type { SubscriptionStore } from "./subscriptions.ts";
import type { TrashStore } from "./trash.ts";
import type { UploadStore } from "./uploads.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { writes, WriteStores } from "./write-stores.ts";

/**
 * The domain's view of the database: one store per port, all bound to one connection. Posts, assets and publications are
 * only read: `changes/` writes them.
 */
export interface Stores {
  users: UserStore;
  linkedIdentities: LinkedIdentityStore;
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
  reviews: ReviewStore;
  uploadClaims: UploadClaimStore;
  platformStore: PlatformStore;
  publications: PublicationStore;
  calendar: CalendarStore;
  slots: SlotStore;
  calendarFeeds: CalendarFeedStore;
  results: ResultStore;
  activity: ActivityStore;
  webhooks: WebhookStore;
  notifications: NotificationStore;
  mails: MailStore;
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
   * run more than once, so it must make all its changes through `tx`. On PostgreSQL, statements see what others have
   * committed in the meantime (READ COMMITTED).
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
  /** Sends requests to webhook endpoints, which users provide. Follows no redirects. */
  openWebhookUrl: PublicUrlOpener;
  /** Throws what `openWebhookUrl` would throw for this URL before it sends anything. */
  checkWebhookUrl: PublicUrlCheck;
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
  /** Wakes the sender of webhooks, because a delivery may be due. */
  wakeWebhookSender: () => void;
  /** Undefined if no mail server is configured. */
  mailer: Mailer | undefined;
  /** Wakes the sender of mails, because one may be due. */
  wakeMailSender: () => void;
  /** Encrypts third-party credentials for storage. */
  vault: Vault;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** For background jobs only. */
export interface JobDeps extends Deps {
  publicationRuns: PublicationRunStore;
}
