import type { Selectable } from "kysely";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import type { InstanceLimits } from "#domain/platforms/instance-limits.ts";
import type { PlatformStore } from "#domain/platforms/ports.ts";
import { notFoundError } from "#lib/errors.ts";
import { statement, type Connection } from "./database.ts";
import { createPlatformAppStore, createConnectLinkStore } from "./connect-links.ts";
import type { Schema } from "./schema.ts";
import { lockForCounting } from "./studios.ts";

type ConnectionRow = Selectable<Schema["platform_connections"]>;

/** A safety bound, above the number of connections that a studio may have. */
const maxListedConnections = 500;

/** Runs for every read of a post in a studio with connected platforms. */
const listConnectedQuery = statement<ConnectionRow>(
  "list_connected_platforms",
  `SELECT * FROM platform_connections WHERE studio_id = $1 AND state = 'connected' ORDER BY id LIMIT ${maxListedConnections}`,
);

/** Runs for every step of a publication. */
const findConnectionQuery = statement<ConnectionRow>(
  "find_platform_connection",
  "SELECT * FROM platform_connections WHERE studio_id = $1 AND id = $2",
);

export function createPlatformStore(connection: Connection): PlatformStore {
  return {
    ...createConnectLinkStore(connection),
    ...createPlatformAppStore(connection),
    ...createConnectionStore(connection),
  };
}

function createConnectionStore({
  q,
  run,
}: Connection): Omit<
  PlatformStore,
  keyof ReturnType<typeof createConnectLinkStore> | keyof ReturnType<typeof createPlatformAppStore>
> {
  return {
    async list(studioId) {
      const rows = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("studio_id", "=", studioId)
        .orderBy("id", "desc")
        .limit(maxListedConnections)
        .execute();
      return rows.map(toConnection);
    },
    async listConnected(studioId) {
      return (await run(listConnectedQuery, [studioId])).map(toConnection);
    },
    async find(studioId, connectionId) {
      const [row] = await run(findConnectionQuery, [studioId, connectionId]);
      return row && toConnection(row);
    },
    async insertOrUpdate({ id, studioId, platform, instance, account, limits, connectedAt }, maxConnections) {
      if (!(await lockForCounting(q, studioId))) throw notFoundError("studio");
      const otherConnections = await q
        .selectFrom("platform_connections")
        .select("id")
        .where("studio_id", "=", studioId)
        .where("state", "<>", "disconnected")
        .where(({ not, and }) => not(and({ platform, instance, account_id: account.id })))
        .limit(maxConnections)
        .execute();
      if (otherConnections.length >= maxConnections) return undefined;
      const profileColumns = {
        handle: account.handle,
        name: account.name,
        picture_url: account.avatarUrl,
        profile_url: account.profileUrl,
        limits: limits && JSON.stringify(limits),
      };
      const row = await q
        .insertInto("platform_connections")
        .values({
          id,
          studio_id: studioId,
          platform,
          instance,
          account_id: account.id,
          ...profileColumns,
          state: "disconnected",
          generation: 1,
          connected_at: connectedAt,
        })
        .onConflict((conflict) =>
          conflict.columns(["studio_id", "platform", "instance", "account_id"]).doUpdateSet(profileColumns),
        )
        .returning("id")
        .executeTakeFirstOrThrow();
      return row.id;
    },
    async connect(connectionId, sealedCredential, { expiresAt, renewAt }, connectedBy) {
      await q
        .updateTable("platform_connections")
        .set((eb) => ({
          state: "connected",
          credential: sealedCredential,
          generation: eb("generation", "+", 1),
          expires_at: expiresAt,
          renew_at: renewAt,
          renewing_until: 0,
          connected_by: connectedBy.userId,
          connected_at: connectedBy.at,
        }))
        .where("id", "=", connectionId)
        .execute();
    },
    async acquireRenewal(connectionId, generation, now, leaseExpiresAt) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set({ renewing_until: leaseExpiresAt })
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "=", "connected")
        .where("renewing_until", "<=", now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async postponeRenewal(connectionId, generation, renewAt, leaseExpiresAt) {
      await q
        .updateTable("platform_connections")
        .set({ renew_at: renewAt, ...(leaseExpiresAt === undefined ? {} : { renewing_until: leaseExpiresAt }) })
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "=", "connected")
        .execute();
    },
    async renew(connectionId, generation, sealedCredential, { expiresAt, renewAt }) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set({
          credential: sealedCredential,
          generation: generation + 1,
          expires_at: expiresAt,
          renew_at: renewAt,
          renewing_until: 0,
        })
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "=", "connected")
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async deleteCredential(connectionId, state, generation) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set((eb) => ({
          state,
          credential: null,
          generation: eb("generation", "+", 1),
          expires_at: null,
          renew_at: null,
        }))
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "<>", state)
        .where("state", "<>", "disconnected")
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async listDueForRenewal(platforms, now, limit) {
      if (platforms.length === 0) return [];
      const rows = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("renew_at", "<=", now)
        .where("renewing_until", "<=", now)
        .where("platform", "in", platforms)
        .orderBy("renew_at")
        .limit(limit)
        .execute();
      return rows.map(toConnection);
    },
  };
}

function toConnection(row: ConnectionRow): PlatformConnection {
  return {
    id: row.id,
    studioId: row.studio_id,
    platform: row.platform,
    instance: row.instance,
    account: {
      id: row.account_id,
      handle: row.handle,
      name: row.name,
      avatarUrl: row.picture_url,
      profileUrl: row.profile_url,
    },
    state: row.state,
    credential: row.credential,
    credentialGeneration: row.generation,
    tokenExpiresAt: row.expires_at,
    connectedBy: row.connected_by,
    connectedAt: row.connected_at,
    limits: row.limits === null ? null : (JSON.parse(row.limits) as InstanceLimits),
  };
}
