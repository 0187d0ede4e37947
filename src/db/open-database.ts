import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkAuthority, isUser } from "#domain/model/authority.ts";
import { writes, type WriteStores } from "#domain/ports/write-stores.ts";
import type { JobDeps, Stores, Tx } from "#domain/ports/deps.ts";
import { OperatorError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createActivityStore } from "./activity.ts";
import { createAssetStore } from "./assets.ts";
import { createTokenStore, findCurrentAccess } from "./authority.ts";
import { createCalendarFeedStore } from "./calendar-feeds.ts";
import { createCalendarStore } from "./calendar.ts";
import type { Connection, Database } from "./database.ts";
import { createCommentStore } from "./comments.ts";
import { createIdempotencyStore, createLeaseStore, createPurgeStore, createRateLimitStore } from "./coordination.ts";
import { createGrantStore } from "./grants.ts";
import { createLinkedIdentityStore } from "./linked-identities.ts";
import { createInvitationStore } from "./invitations.ts";
import { createMailStore } from "./mails.ts";
import { createMembershipStore } from "./memberships.ts";
import { migratePostgres, migrateSqlite } from "./migrate.ts";
import { createOAuthClientStore, createOAuthRecordStore } from "./oauth.ts";
import { createPlatformStore } from "./platforms.ts";
import { createPostSummaryStore } from "./post-summaries.ts";
import { createPostStore } from "./posts.ts";
import { createPublicationStore } from "./publications.ts";
import { createReviewStore } from "./reviews.ts";
import { createResultStore } from "./results.ts";
import { createAssetChangeStore, createRevisionStore } from "./revisions.ts";
import { createSearchIndexStore } from "./search-index.ts";
import { DamagedDatabaseError, isBusy, openSqlite } from "./sqlite.ts";
import { createImageInspectionStore } from "./image-inspections.ts";
import { createSharedFileStore } from "./shared-files.ts";
import { createStrayFileStore } from "./stray-files.ts";
import { createSlotStore } from "./slots.ts";
import { createStudioContentStore } from "./studio-content.ts";
import { createStudioStore } from "./studios.ts";
import { createSubscriptionStore } from "./subscriptions.ts";
import { createTrashStore } from "./trash.ts";
import { createUploadStore } from "./uploads.ts";
import { createNotificationStore } from "./user-notifications.ts";
import { createSessionStore, createUserStore } from "./users.ts";
import { createWebhookStore } from "./webhooks.ts";

type AllStores = Stores & Pick<Tx, "posts"> & Pick<JobDeps, "publicationRuns"> & WriteStores;

function createStoresFor(connection: Connection): AllStores {
  const assets = createAssetStore(connection);
  const publications = createPublicationStore(connection);
  return {
    users: createUserStore(connection),
    linkedIdentities: createLinkedIdentityStore(connection),
    sessions: createSessionStore(connection),
    grants: createGrantStore(connection),
    tokens: createTokenStore(connection),
    oauthRecords: createOAuthRecordStore(connection),
    oauthClients: createOAuthClientStore(connection),
    studios: createStudioStore(connection),
    studioContent: createStudioContentStore(connection),
    memberships: createMembershipStore(connection),
    invitations: createInvitationStore(connection),
    posts: createPostStore(connection),
    postSummaries: createPostSummaryStore(connection),
    revisions: createRevisionStore(connection),
    assets,
    assetChanges: createAssetChangeStore(connection),
    comments: createCommentStore(connection),
    subscriptions: createSubscriptionStore(connection),
    trash: createTrashStore(connection),
    searchIndex: createSearchIndexStore(connection),
    sharedFiles: createSharedFileStore(connection),
    strayFiles: createStrayFileStore(connection),
    imageInspections: createImageInspectionStore(connection),
    uploads: createUploadStore(connection),
    reviews: createReviewStore(connection),
    uploadClaims: assets,
    platformStore: createPlatformStore(connection),
    publications,
    publicationRuns: publications,
    calendar: createCalendarStore(connection),
    slots: createSlotStore(connection),
    results: createResultStore(connection),
    calendarFeeds: createCalendarFeedStore(connection),
    activity: createActivityStore(connection),
    webhooks: createWebhookStore(connection),
    notifications: createNotificationStore(connection),
    mails: createMailStore(connection),
    rateLimits: createRateLimitStore(connection),
    purges: createPurgeStore(connection),
    leases: createLeaseStore(connection),
    idempotency: createIdempotencyStore(connection),
  };
}

/** The write stores outside a transaction, for tests and benchmarks that need states that no verb creates. */
export const createWriteStores = (database: Database): WriteStores => createStoresFor(database);

/** Every store of the domain, and `transact` to use several of them in one transaction. */
export function createStores(database: Database): Stores & Pick<JobDeps, "transact" | "publicationRuns"> {
  return {
    ...createStoresFor(database),
    transact: (authority, work, options) =>
      database.transact(async (connection) => {
        const access = isUser(authority) ? await findCurrentAccess(connection, authority, options) : undefined;
        const stores = createStoresFor(connection);
        return work({ ...stores, [writes]: stores, ...checkAuthority(authority, access) });
      }),
  };
}

export const databaseFileName = "atelier.db";
export const migrationsFolder = join(import.meta.dirname, "../../migrations");

export interface OpenDatabaseOptions {
  databaseUrl: string | undefined;
  /** For session connections to the same database, if `databaseUrl` leads to a transaction pooler. */
  databaseListenUrl?: string | undefined;
  dataDir: string;
  log: Log;
  /** Another folder with migrations, in tests. */
  migrations?: string;
  /** False only for tests whose outcome must not depend on the speed of the machine. */
  hasTimeLimits?: boolean;
}

/** Opens the configured database and applies migrations. Throws, without changes, if the database is lost or damaged. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const folder = options.migrations ?? migrationsFolder;
  if (options.databaseUrl !== undefined) {
    const { databaseUrl: url, databaseListenUrl: sessionUrl = url, log, hasTimeLimits = true } = options;
    // A migration may take longer than the timeouts of a pooler allow.
    logAppliedMigrations(log, await migratePostgres(sessionUrl, folder));
    // Imported only if it is used: the driver needs 8 MB of memory.
    const { openPostgres } = await import("./postgres.ts");
    const database = openPostgres({ url, log, isBehindPooler: sessionUrl !== url, hasTimeLimits });
    await assertNoUnknownPooler(database);
    return database;
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const path = join(options.dataDir, databaseFileName);
  await assertDatabaseNotLost(options.dataDir, path);
  const database = await openWithRetry(path);
  try {
    logAppliedMigrations(options.log, await migrateSqlite(path, folder));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** PgBouncer rejects connections with the parameters that a direct connection has. */
async function assertNoUnknownPooler(database: Database): Promise<void> {
  const error: unknown = await database.ping().catch((reason: unknown) => reason);
  const message = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  if (!message.includes("unsupported startup parameter")) return;
  await database.close();
  throw new OperatorError(
    "DATABASE_URL leads to a pooler such as PgBouncer. Set DATABASE_LISTEN_URL to the URL of the PostgreSQL server itself.",
  );
}

/** Switching a new file to WAL mode needs an exclusive lock, and SQLite's busy timeout does not cover that. */
async function openWithRetry(path: string): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    try {
      return openSqlite(path);
    } catch (error) {
      if (!isBusy(error) || attempt >= 100) throw error;
      await sleep(50);
    }
  }
}

/**
 * A missing or empty database is a first start only if the data folder is empty too. The secret and the files are
 * created after the first migration, so if they exist, a database existed.
 */
export async function assertDatabaseNotLost(dataDir: string, path: string): Promise<void> {
  // Read the folder before the file: another starting process creates the database before anything else.
  const otherEntries = (await readdir(dataDir)).filter(
    (name) => name !== databaseFileName && name !== "lost+found" && !name.startsWith("."),
  );
  const size = await stat(path).then(
    (stats) => stats.size,
    () => undefined,
  );
  if (size !== undefined && size > 0) return;
  const remainingEntries =
    size === 0 ? otherEntries.filter((name) => !name.startsWith(`${databaseFileName}-`)) : otherEntries;
  if (remainingEntries.length === 0) return;
  throw new DamagedDatabaseError(
    `The database ${path} is ${size === 0 ? "empty" : "missing"}, but ${dataDir} contains ${remainingEntries.slice(0, 3).join(", ")}. ` +
      "Restore the database from a backup, or set DATA_DIR to an empty folder. Nothing was changed.",
  );
}

function logAppliedMigrations(log: Log, names: readonly string[]): void {
  if (names.length > 0) log.info({ applied: names }, "database migrations applied");
}
