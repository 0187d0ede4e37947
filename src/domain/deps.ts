import type { Clock } from "#lib/clock.ts";
import type { IdGenerator } from "#lib/ids.ts";
import type { PublicUrlOpener } from "#lib/public-fetch.ts";
import type { Signer } from "#lib/signed-token.ts";
import type { Vault } from "#lib/vault.ts";
import type {
  GrantStore,
  OAuthClientStore,
  OAuthRecordStore,
  RateLimitStore,
  SessionStore,
  TokenStore,
  UserStore,
} from "./access/ports.ts";
import type { ActivityStore } from "./activity/record.ts";
import type { FileStore } from "./assets/model/file-store.ts";
import type { ImportSlots } from "./assets/lifecycle/import-slots.ts";
import type { AssetLimits } from "./assets/model/kinds.ts";
import type { MediaReader } from "./assets/model/media-metadata.ts";
import type { AssetStore, StrayFileStore } from "./assets/ports.ts";
import type { IdempotencyStore } from "./run-once.ts";
import type { LeaseStore, PurgeStore } from "./housekeeping/purge-expired.ts";
import type { Platforms, PlatformStore } from "./platforms/ports.ts";
import type { PostStore } from "./posts/ports.ts";
import type { SearchQueue } from "./posts/search-queue.ts";
import type { StudioLimits } from "./studios/members.ts";
import type { InvitationStore, MembershipStore, StudioStore } from "./studios/ports.ts";
import type { UploadStore } from "./uploads/ports.ts";

/** What the domain needs of the database; one store a port, all of them bound to one connection. */
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
  assets: AssetStore;
  strayFiles: StrayFileStore;
  uploads: UploadStore;
  platformStore: PlatformStore;
  activity: ActivityStore;
  rateLimits: RateLimitStore;
  purges: PurgeStore;
  leases: LeaseStore;
  idempotency: IdempotencyStore;
}

/** Everything a verb may use. Each verb names the few it does, so that a reader sees its reach. */
export interface Deps extends Stores {
  /** All or nothing. The work may run more than once, and touches nothing but the stores it is given. */
  transact<T>(work: (tx: Stores) => Promise<T>): Promise<T>;
  clock: Clock;
  newId: IdGenerator;
  /** Unguessable text, for whatever is handed out as a key. */
  newSecret: () => string;
  /** `{base}`: for the addresses that results carry. */
  base: string;
  /** `{uploadPage}`: where upload links lead. */
  uploadPage: string;
  limits: AssetLimits & StudioLimits;
  /** Who may sign in and create studios: verified emails and `@domains`, or `*`. */
  signInAllow: readonly string[];
  /** Where files lie. Not part of any transaction. */
  files: FileStore;
  media: MediaReader;
  /** Seals what an address of ours carries. */
  signer: Signer;
  /** Reads a stranger's address. */
  openUrl: PublicUrlOpener;
  importSlots: ImportSlots;
  searchQueue: SearchQueue;
  /** The social platforms, and our OAuth with them. */
  platforms: Platforms;
  /** Keeps credentials of others that we must be able to read again. */
  vault: Vault;
  sleep: (ms: number) => Promise<void>;
}
