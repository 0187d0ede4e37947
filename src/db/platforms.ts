import type { Selectable, Updateable } from "kysely";
import type { PlatformConnection } from "#domain/model/connection.ts";
import type { PlatformStore } from "#domain/ports/platforms.ts";
import { notFoundError } from "#lib/errors.ts";
import {
  changesRow,
  deleteRows,
  execute,
  first,
  selectRows,
  statement,
  updateRows,
  type Connection,
} from "./database.ts";
import type { Schema } from "./schema.ts";
import { lockForCounting } from "./studios.ts";

type ConnectionRow = Selectable<Schema["platformConnections"]>;

/** A safety bound, above the number of connections that a studio may have. */
const maxListedConnections = 500;

/** Runs for every read of a post in a studio with connected platforms. */
const listConnectedQuery = statement<ConnectionRow>(
  `SELECT * FROM platform_connections WHERE studio_id = $1 AND state = 'connected' ORDER BY id LIMIT ${maxListedConnections}`,
);

/** Runs for every step of a publication. */
const findConnectionQuery = statement<ConnectionRow>(
  "SELECT * FROM platform_connections WHERE studio_id = $1 AND id = $2",
);

/** Also stores the links to the pages where users connect accounts, and our app registrations at platform instances. */
export function createPlatformStore({ q, run }: Connection): PlatformStore {
  const updateConnected = (id: string, generation: number, values: Updateable<Schema["platformConnections"]>) =>
    updateRows(q, "platformConnections", { id, generation, state: "connected" }, values);
  return {
    insertConnectLink: ({ client, ...link }) =>
      q
        .insertInto("platformConnects")
        .values({ ...link, clientId: client?.id ?? null, clientName: client?.name ?? null })
        .$call(execute),
    async findConnectLink(lookup, now) {
      const [column, hash, expiryColumn] =
        "tokenHash" in lookup
          ? (["p.tokenHash", lookup.tokenHash, "p.expiresAt"] as const)
          : (["p.stateHash", lookup.stateHash, "p.stateExpiresAt"] as const);
      const row = await q
        .selectFrom("platformConnects as p")
        .leftJoin("grants as g", "g.id", "p.grantId")
        .select(["p.tokenHash", "p.studioId", "p.userId", "p.platform", "p.instance"])
        .select(["p.grantId", "p.clientId", "p.clientName", "p.expiresAt"])
        .where(column, "=", hash)
        .where("p.usedAt", "is", null)
        .where(expiryColumn, ">", now)
        .where("g.revokedAt", "is", null)
        .executeTakeFirst();
      if (!row) return undefined;
      const { clientId, clientName, ...link } = row;
      return { ...link, client: clientId === null ? null : { id: clientId, name: clientName ?? "" } };
    },
    startConnectLink: (tokenHash, stateHash, now, stateExpiresAt) =>
      updateRows(q, "platformConnects", { tokenHash, usedAt: null }, { stateHash, stateExpiresAt })
        .where("expiresAt", ">", now)
        .$call(changesRow),
    consumeConnectLink: (stateHash, now) =>
      updateRows(q, "platformConnects", { stateHash, usedAt: null }, { usedAt: now }).$call(changesRow),

    findApp: ({ platform, instance }, redirectUri) =>
      selectRows(q, "platformApps", { platform, instance, redirectUri })
        .select(["platform", "instance", "redirectUri", "credential"])
        .executeTakeFirst(),
    insertApp(app, now) {
      const { redirectUri, credential } = app;
      return q
        .insertInto("platformApps")
        .values({ ...app, createdAt: now })
        .onConflict((conflict) =>
          conflict
            .columns(["platform", "instance"])
            .doUpdateSet({ redirectUri, credential, createdAt: now })
            .where("platformApps.redirectUri", "<>", redirectUri),
        )
        .$call(execute);
    },
    deleteApp: ({ platform, instance }, credential) =>
      deleteRows(q, "platformApps", { platform, instance, ...(credential === undefined ? {} : { credential }) }).$call(
        execute,
      ),

    list: (studioId) =>
      selectRows(q, "platformConnections", { studioId })
        .selectAll()
        .orderBy("id", "desc")
        .limit(maxListedConnections)
        .$call(listConnections),
    listConnected: async (studioId) => (await run(listConnectedQuery, [studioId])).map(toConnection),
    find: (studioId, connectionId) => first(run(findConnectionQuery, [studioId, connectionId]), toConnection),
    async insertOrUpdate({ id, studioId, platform, instance, account, limits, connectedAt }, maxConnections) {
      if (!(await lockForCounting(q, studioId))) throw notFoundError("studio");
      const otherConnections = await selectRows(q, "platformConnections", { studioId })
        .select("id")
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
    storeChoices: (id, choices, choicesReadAt) =>
      updateRows(q, "platformConnections", { id }, { choices, choicesReadAt }).$call(execute),
    connect: (connectionId, sealedCredential, { expiresAt, renewAt }, connectedBy) =>
      updateRows(q, "platformConnections", { id: connectionId }, (eb) => ({
        state: "connected" as const,
        credential: sealedCredential,
        generation: eb("generation", "+", 1),
        expiresAt,
        renewAt,
        accessEndsAt: null,
        renewingUntil: 0,
        connectedBy: connectedBy.userId,
        connectedAt: connectedBy.at,
      })).$call(execute),
    acquireRenewal: (connectionId, generation, now, leaseExpiresAt) =>
      updateConnected(connectionId, generation, { renewingUntil: leaseExpiresAt })
        .where("renewingUntil", "<=", now)
        .$call(changesRow),
    postponeRenewal: (connectionId, generation, renewAt, renewingUntil) =>
      updateConnected(connectionId, generation, {
        renewAt,
        ...(renewingUntil === undefined ? {} : { renewingUntil }),
      }).$call(execute),
    keepUntilExpiry: (connectionId, generation, renewAt, accessEndsAt) =>
      updateConnected(connectionId, generation, { renewAt, renewingUntil: 0, accessEndsAt }).$call(changesRow),
    renew(connectionId, generation, credential, { expiresAt, renewAt }) {
      const times = { expiresAt, renewAt, accessEndsAt: null, renewingUntil: 0 };
      const values = { credential, generation: generation + 1, ...times };
      return updateConnected(connectionId, generation, values).$call(changesRow);
    },
    deleteCredential: (connectionId, state, generation) =>
      updateRows(
        q,
        "platformConnections",
        { id: connectionId, generation },
        {
          state,
          credential: null,
          generation: generation + 1,
          expiresAt: null,
          renewAt: null,
          accessEndsAt: null,
        },
      )
        .where("state", "<>", state)
        .where("state", "<>", "disconnected")
        .$call(changesRow),
    async listDueForRenewal(platforms, now, limit) {
      if (platforms.length === 0) return [];
      return q
        .selectFrom("platformConnections")
        .selectAll()
        .where("renewAt", "<=", now)
        .where("renewingUntil", "<=", now)
        .where("platform", "in", platforms)
        .orderBy("renewAt")
        .limit(limit)
        .$call(listConnections);
    },
  };
}

const listConnections = async (query: { execute(): Promise<ConnectionRow[]> }): Promise<PlatformConnection[]> =>
  (await query.execute()).map(toConnection);

function toConnection(row: ConnectionRow): PlatformConnection {
  const { accountId: id, handle, name, avatarUrl, profileUrl } = row;
  const connection = row as ConnectionRow & PlatformConnection;
  connection.account = { id, handle, name, avatarUrl, profileUrl };
  connection.credentialGeneration = row.generation;
  connection.tokenExpiresAt = row.expiresAt;
  return connection;
}
