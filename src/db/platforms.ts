import type { Selectable } from "kysely";
import type { PlatformConnection } from "#domain/model/connection.ts";
import type { PlatformStore } from "#domain/ports/platforms.ts";
import { notFoundError } from "#lib/errors.ts";
import { changesRow, statement, type Connection } from "./database.ts";
import { createConnectStore } from "./connect-links.ts";
import type { Schema } from "./schema.ts";
import { lockForCounting } from "./studios.ts";

type ConnectionRow = Selectable<Schema["platformConnections"]>;

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
  const { q, run } = connection;
  return {
    ...createConnectStore(connection),
    async list(studioId) {
      const rows = await q
        .selectFrom("platformConnections")
        .selectAll()
        .where("studioId", "=", studioId)
        .orderBy("id", "desc")
        .limit(maxListedConnections)
        .execute();
      return rows.map(toConnection);
    },
    listConnected: async (studioId) => (await run(listConnectedQuery, [studioId])).map(toConnection),
    async find(studioId, connectionId) {
      const [row] = await run(findConnectionQuery, [studioId, connectionId]);
      return row && toConnection(row);
    },
    async insertOrUpdate({ id, studioId, platform, instance, account, limits, connectedAt }, maxConnections) {
      if (!(await lockForCounting(q, studioId))) throw notFoundError("studio");
      const otherConnections = await q
        .selectFrom("platformConnections")
        .select("id")
        .where("studioId", "=", studioId)
        .where("state", "<>", "disconnected")
        .where(({ not, and }) => not(and({ platform, instance, accountId: account.id })))
        .limit(maxConnections)
        .execute();
      if (otherConnections.length >= maxConnections) return undefined;
      const { id: accountId, ...profile } = account;
      const profileColumns = { ...profile, limits };
      const row = await q
        .insertInto("platformConnections")
        .values({
          id,
          studioId,
          platform,
          instance,
          accountId,
          ...profileColumns,
          state: "disconnected",
          generation: 1,
          connectedAt,
        })
        .onConflict((conflict) =>
          conflict.columns(["studioId", "platform", "instance", "accountId"]).doUpdateSet(profileColumns),
        )
        .returning("id")
        .executeTakeFirstOrThrow();
      return row.id;
    },
    async connect(connectionId, sealedCredential, { expiresAt, renewAt }, connectedBy) {
      await q
        .updateTable("platformConnections")
        .set((eb) => ({
          state: "connected",
          credential: sealedCredential,
          generation: eb("generation", "+", 1),
          expiresAt,
          renewAt,
          renewingUntil: 0,
          connectedBy: connectedBy.userId,
          connectedAt: connectedBy.at,
        }))
        .where("id", "=", connectionId)
        .execute();
    },
    acquireRenewal: (connectionId, generation, now, leaseExpiresAt) =>
      q
        .updateTable("platformConnections")
        .set({ renewingUntil: leaseExpiresAt })
        .where((eb) => eb.and({ id: connectionId, generation, state: "connected" }))
        .where("renewingUntil", "<=", now)
        .$call(changesRow),
    async postponeRenewal(connectionId, generation, renewAt, leaseExpiresAt) {
      await q
        .updateTable("platformConnections")
        .set({ renewAt, ...(leaseExpiresAt === undefined ? {} : { renewingUntil: leaseExpiresAt }) })
        .where((eb) => eb.and({ id: connectionId, generation, state: "connected" }))
        .execute();
    },
    renew: (connectionId, generation, sealedCredential, { expiresAt, renewAt }) =>
      q
        .updateTable("platformConnections")
        .set({ credential: sealedCredential, generation: generation + 1, expiresAt, renewAt, renewingUntil: 0 })
        .where((eb) => eb.and({ id: connectionId, generation, state: "connected" }))
        .$call(changesRow),
    deleteCredential: (connectionId, state, generation) =>
      q
        .updateTable("platformConnections")
        .set((eb) => ({
          state,
          credential: null,
          generation: eb("generation", "+", 1),
          expiresAt: null,
          renewAt: null,
        }))
        .where((eb) => eb.and({ id: connectionId, generation }))
        .where("state", "<>", state)
        .where("state", "<>", "disconnected")
        .$call(changesRow),
    async listDueForRenewal(platforms, now, limit) {
      if (platforms.length === 0) return [];
      const rows = await q
        .selectFrom("platformConnections")
        .selectAll()
        .where("renewAt", "<=", now)
        .where("renewingUntil", "<=", now)
        .where("platform", "in", platforms)
        .orderBy("renewAt")
        .limit(limit)
        .execute();
      return rows.map(toConnection);
    },
  };
}

function toConnection(row: ConnectionRow): PlatformConnection {
  const { accountId: id, handle, name, avatarUrl, profileUrl } = row;
  const connection = row as ConnectionRow & PlatformConnection;
  connection.account = { id, handle, name, avatarUrl, profileUrl };
  connection.credentialGeneration = row.generation;
  connection.tokenExpiresAt = row.expiresAt;
  return connection;
}
