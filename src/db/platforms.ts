import type { Selectable } from "kysely";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import type { PlatformStore } from "#domain/platforms/ports.ts";
import { statement, type Connection } from "./client.ts";
import { platformApps, platformPages } from "./platform-pages.ts";
import type { Schema } from "./schema.ts";

type ConnectionRow = Selectable<Schema["platform_connections"]>;

/** More than a studio has; a list that is longer is no list any more. */
const mostListed = 500;

/** Runs for every look at a post of a studio that has any. */
const listConnected = statement<ConnectionRow>(
  "list_connected_platforms",
  `SELECT * FROM platform_connections WHERE studio_id = $1 AND state = 'connected' ORDER BY id LIMIT ${mostListed}`,
);

export function platformStore(connection: Connection): PlatformStore {
  return { ...platformPages(connection), ...platformApps(connection), ...connections(connection) };
}

function connections({
  q,
  run,
}: Connection): Omit<PlatformStore, keyof ReturnType<typeof platformPages> | keyof ReturnType<typeof platformApps>> {
  return {
    async list(studioId) {
      const rows = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("studio_id", "=", studioId)
        .orderBy("id", "desc")
        .limit(mostListed)
        .execute();
      return rows.map(toConnection);
    },
    async listConnected(studioId) {
      return (await run(listConnected, [studioId])).map(toConnection);
    },
    async find(studioId, connectionId) {
      const row = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("id", "=", connectionId)
        .executeTakeFirst();
      return row && toConnection(row);
    },
    async claim({ id, studioId, platform, instance, account, connectedAt }) {
      const shown = {
        handle: account.handle,
        name: account.name,
        picture_url: account.pictureUrl,
        profile_url: account.profileUrl,
      };
      const row = await q
        .insertInto("platform_connections")
        .values({
          id,
          studio_id: studioId,
          platform,
          instance,
          account_id: account.id,
          ...shown,
          state: "disconnected",
          generation: 1,
          connected_at: connectedAt,
        })
        .onConflict((conflict) =>
          conflict.columns(["studio_id", "platform", "instance", "account_id"]).doUpdateSet(shown),
        )
        .returning("id")
        .executeTakeFirstOrThrow();
      return row.id;
    },
    async connect(connectionId, sealed, { expiresAt, renewAt }, by) {
      await q
        .updateTable("platform_connections")
        .set((set) => ({
          state: "connected",
          credential: sealed,
          generation: set("generation", "+", 1),
          expires_at: expiresAt,
          renew_at: renewAt,
          renewing_until: 0,
          connected_by: by.userId,
          connected_at: by.at,
        }))
        .where("id", "=", connectionId)
        .execute();
    },
    async takeRenewal(connectionId, generation, now, until) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set({ renewing_until: until })
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "=", "connected")
        .where("renewing_until", "<=", now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async postpone(connectionId, generation, free, renewAt) {
      await q
        .updateTable("platform_connections")
        .set({ renewing_until: free, renew_at: renewAt })
        .where("id", "=", connectionId)
        .where("generation", "=", generation)
        .where("state", "=", "connected")
        .execute();
    },
    async renew(connectionId, generation, sealed, { expiresAt, renewAt }) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set({
          credential: sealed,
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
    async wipe(connectionId, state, generation) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connections")
        .set((set) => ({
          state,
          credential: null,
          generation: set("generation", "+", 1),
          expires_at: null,
          renew_at: null,
        }))
        .where("id", "=", connectionId)
        .where("state", "<>", state)
        .where("state", "<>", "disconnected")
        .$if(generation !== undefined, (rows) => rows.where("generation", "=", generation!))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async listDue(now, limit) {
      const rows = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("renew_at", "<=", now)
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
      pictureUrl: row.picture_url,
      profileUrl: row.profile_url,
    },
    state: row.state,
    credential: row.credential,
    generation: row.generation,
    expiresAt: row.expires_at,
    connectedBy: row.connected_by,
    connectedAt: row.connected_at,
  };
}
