import type { Deps, Stores } from "#domain/deps.ts";
import { activityStore } from "./activity.ts";
import { assetStore } from "./assets.ts";
import type { Connection, Database } from "./client.ts";
import { grantStore } from "./grants.ts";
import { idempotencyStore } from "./idempotency.ts";
import { invitationStore } from "./invitations.ts";
import { leaseStore } from "./leases.ts";
import { membershipStore } from "./memberships.ts";
import { oauthClientStore, oauthRecordStore } from "./oauth.ts";
import { platformStore } from "./platforms.ts";
import { postStore } from "./posts.ts";
import { purgeStore } from "./purges.ts";
import { rateLimitStore } from "./rate-limits.ts";
import { sessionStore } from "./sessions.ts";
import { strayFileStore } from "./stray-files.ts";
import { studioStore } from "./studios.ts";
import { tokenStore } from "./tokens.ts";
import { uploadStore } from "./uploads.ts";
import { userStore } from "./users.ts";

function storesOn(connection: Connection): Stores {
  return {
    users: userStore(connection),
    sessions: sessionStore(connection),
    grants: grantStore(connection),
    tokens: tokenStore(connection),
    oauthRecords: oauthRecordStore(connection),
    oauthClients: oauthClientStore(connection),
    studios: studioStore(connection),
    memberships: membershipStore(connection),
    invitations: invitationStore(connection),
    posts: postStore(connection),
    assets: assetStore(connection),
    strayFiles: strayFileStore(connection),
    uploads: uploadStore(connection),
    platformStore: platformStore(connection),
    activity: activityStore(connection),
    rateLimits: rateLimitStore(connection),
    purges: purgeStore(connection),
    leases: leaseStore(connection),
    idempotency: idempotencyStore(connection),
  };
}

/** Every store of the domain, and a way to use them together. */
export function createStores(database: Database): Stores & Pick<Deps, "transact"> {
  return { ...storesOn(database), transact: (work) => database.transact((tx) => work(storesOn(tx))) };
}
