import type { PlatformStore } from "#domain/ports/platforms.ts";
import { changesRow, type Connection } from "./database.ts";

type ConnectStore = Pick<
  PlatformStore,
  `${"insert" | "find" | "start" | "consume"}ConnectLink` | `${"find" | "insert" | "delete"}App`
>;

/** The links to the pages where users connect platform accounts, and Atelier's app registrations at platform instances. */
export function createConnectStore({ q }: Connection): ConnectStore {
  return {
    async insertConnectLink({ client, ...link }) {
      await q
        .insertInto("platformConnects")
        .values({ ...link, clientId: client?.id ?? null, clientName: client?.name ?? null })
        .execute();
    },
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
      q
        .updateTable("platformConnects")
        .set({ stateHash, stateExpiresAt })
        .where((eb) => eb.and({ tokenHash, usedAt: null }))
        .where("expiresAt", ">", now)
        .$call(changesRow),
    consumeConnectLink: (stateHash, now) =>
      q
        .updateTable("platformConnects")
        .set({ usedAt: now })
        .where((eb) => eb.and({ stateHash, usedAt: null }))
        .$call(changesRow),

    findApp: ({ platform, instance }, redirectUri) =>
      q
        .selectFrom("platformApps")
        .select(["platform", "instance", "redirectUri", "credential"])
        .where((eb) => eb.and({ platform, instance, redirectUri }))
        .executeTakeFirst(),
    async insertApp(app, now) {
      const { redirectUri, credential } = app;
      await q
        .insertInto("platformApps")
        .values({ ...app, createdAt: now })
        .onConflict((conflict) =>
          conflict
            .columns(["platform", "instance"])
            .doUpdateSet({ redirectUri, credential, createdAt: now })
            .where("platformApps.redirectUri", "<>", redirectUri),
        )
        .execute();
    },
    async deleteApp({ platform, instance }, credential) {
      await q
        .deleteFrom("platformApps")
        .where((eb) => eb.and({ platform, instance }))
        .$if(credential !== undefined, (apps) => apps.where("credential", "=", credential!))
        .execute();
    },
  };
}
