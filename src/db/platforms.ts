import type { Selectable } from "kysely";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import type { ConnectPage, PlatformStore } from "#domain/platforms/ports.ts";
import type { Connection } from "./client.ts";
import type { Schema } from "./schema.ts";

type ConnectionRow = Selectable<Schema["platform_connections"]>;

/** More than a studio has; a list that is longer is no list any more. */
const mostListed = 500;

export function platformStore(connection: Connection): PlatformStore {
  return { ...pages(connection), ...apps(connection), ...connections(connection) };
}

function pages({ q }: Connection): Pick<PlatformStore, "insertPage" | "findPage" | "startPage" | "usePage"> {
  return {
    async insertPage({ tokenHash, studioId, userId, platform, instance, grantId, client, expiresAt }) {
      await q
        .insertInto("platform_connects")
        .values({
          token_hash: tokenHash,
          studio_id: studioId,
          user_id: userId,
          platform,
          instance,
          grant_id: grantId,
          client_id: client?.id ?? null,
          client_name: client?.name ?? null,
          expires_at: expiresAt,
        })
        .execute();
    },
    async findPage(by, now) {
      const [column, hash] =
        "tokenHash" in by ? (["p.token_hash", by.tokenHash] as const) : (["p.state_hash", by.stateHash] as const);
      const row = await q
        .selectFrom("platform_connects as p")
        .leftJoin("grants as g", "g.id", "p.grant_id")
        .selectAll("p")
        .where(column, "=", hash)
        .where("p.used_at", "is", null)
        .where("p.expires_at", ">", now)
        .where("g.revoked_at", "is", null)
        .executeTakeFirst();
      return row && toPage(row);
    },
    async startPage(tokenHash, stateHash, now, expiresAt) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connects")
        .set({ state_hash: stateHash, expires_at: expiresAt })
        .where("token_hash", "=", tokenHash)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async usePage(stateHash, now) {
      const { numUpdatedRows } = await q
        .updateTable("platform_connects")
        .set({ used_at: now })
        .where("state_hash", "=", stateHash)
        .where("used_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function apps({ q }: Connection): Pick<PlatformStore, "findApp" | "insertApp" | "deleteApp"> {
  return {
    async findApp({ platform, instance }, redirectUri) {
      const row = await q
        .selectFrom("platform_apps")
        .selectAll()
        .where("platform", "=", platform)
        .where("instance", "=", instance)
        .where("redirect_uri", "=", redirectUri)
        .executeTakeFirst();
      return row && { platform, instance, redirectUri, credential: row.credential };
    },
    async insertApp({ platform, instance, redirectUri, credential }, now) {
      await q
        .insertInto("platform_apps")
        .values({ platform, instance, redirect_uri: redirectUri, credential, created_at: now })
        .onConflict((conflict) =>
          conflict
            .columns(["platform", "instance"])
            .doUpdateSet({ redirect_uri: redirectUri, credential, created_at: now })
            .where("platform_apps.redirect_uri", "<>", redirectUri),
        )
        .execute();
    },
    async deleteApp({ platform, instance }) {
      await q.deleteFrom("platform_apps").where("platform", "=", platform).where("instance", "=", instance).execute();
    },
  };
}

function connections({
  q,
}: Connection): Omit<PlatformStore, keyof ReturnType<typeof pages> | keyof ReturnType<typeof apps>> {
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
      const rows = await q
        .selectFrom("platform_connections")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("state", "=", "connected")
        .orderBy("id")
        .limit(mostListed)
        .execute();
      return rows.map(toConnection);
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

function toPage(row: Schema["platform_connects"]): ConnectPage {
  return {
    tokenHash: row.token_hash,
    studioId: row.studio_id,
    userId: row.user_id,
    platform: row.platform,
    instance: row.instance,
    grantId: row.grant_id,
    client: row.client_id === null ? null : { id: row.client_id, name: row.client_name ?? "" },
    expiresAt: row.expires_at,
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
