import type { Deps, Stores } from "#domain/deps.ts";
import { createActivityStore } from "./activity.ts";
import { createAssetStore } from "./assets.ts";
import type { Connection, Database } from "./client.ts";
import { createGrantStore } from "./grants.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createInvitationStore } from "./invitations.ts";
import { createLeaseStore } from "./leases.ts";
import { createMembershipStore } from "./memberships.ts";
import { createOAuthClientStore, createOAuthRecordStore } from "./oauth.ts";
import { createPlatformStore } from "./platforms.ts";
import { createPostStore } from "./posts.ts";
import { createPurgeStore } from "./purges.ts";
import { createRateLimitStore } from "./rate-limits.ts";
import { createSessionStore } from "./sessions.ts";
import { createStrayFileStore } from "./stray-files.ts";
import { createStudioStore } from "./studios.ts";
import { createTokenStore } from "./tokens.ts";
import { createUploadStore } from "./uploads.ts";
import { createUserStore } from "./users.ts";

function createStoresFor(connection: Connection): Stores {
  return {
    users: createUserStore(connection),
    sessions: createSessionStore(connection),
    grants: createGrantStore(connection),
    tokens: createTokenStore(connection),
    oauthRecords: createOAuthRecordStore(connection),
    oauthClients: createOAuthClientStore(connection),
    studios: createStudioStore(connection),
    memberships: createMembershipStore(connection),
    invitations: createInvitationStore(connection),
    posts: createPostStore(connection),
    assets: createAssetStore(connection),
    strayFiles: createStrayFileStore(connection),
    uploads: createUploadStore(connection),
    platformStore: createPlatformStore(connection),
    activity: createActivityStore(connection),
    rateLimits: createRateLimitStore(connection),
    purges: createPurgeStore(connection),
    leases: createLeaseStore(connection),
    idempotency: createIdempotencyStore(connection),
  };
}

/** Every store of the domain, and a way to use them together. */
export function createStores(database: Database): Stores & Pick<Deps, "transact"> {
  return { ...createStoresFor(database), transact: (work) => database.transact((tx) => work(createStoresFor(tx))) };
}
