import type { OAuthClientStore, OAuthRecordStore } from "#domain/ports/access.ts";
import { changesRow, type Connection } from "./database.ts";

export function createOAuthRecordStore({ q }: Connection): OAuthRecordStore {
  return {
    async put(model, idHash, { payload, grantId, audience, scope, expiresAt }) {
      const values = { payload, audience, scope, expiresAt };
      await q
        .insertInto("oauthRecords")
        .values((value) => ({
          model,
          idHash,
          ...values,
          grantId,
          generation:
            grantId === null ? null : value.selectFrom("grants").select("generation").where("id", "=", grantId),
          consumedAt: null,
        }))
        .onConflict((conflict) => conflict.columns(["model", "idHash"]).doUpdateSet(values))
        .execute();
    },
    find: (model, idHash) =>
      q
        .selectFrom("oauthRecords as r")
        .leftJoin("grants as g", "g.id", "r.grantId")
        .select(["r.payload", "r.grantId", "r.generation", "r.consumedAt"])
        .where((eb) => eb.and({ "r.model": model, "r.idHash": idHash, "g.revokedAt": null }))
        .executeTakeFirst(),
    delete: (model, idHash) =>
      q.deleteFrom("oauthRecords").where("model", "=", model).where("idHash", "=", idHash).$call(changesRow),
    consume: (model, idHash, now) =>
      q
        .updateTable("oauthRecords")
        .set({ consumedAt: now })
        .where((eb) => eb.and({ model, idHash, consumedAt: null }))
        .$call(changesRow),
    async rotate(grantId, generation, now, graceMs) {
      const isRotated = await q
        .updateTable("grants")
        .set({ generation: generation + 1, rotatedAt: now })
        .where((eb) => eb.and({ id: grantId, revokedAt: null, generation }))
        .$call(changesRow);
      if (isRotated) return true;
      const recentlyRotatedGrant = await q
        .selectFrom("grants")
        .select("id")
        .where((eb) => eb.and({ id: grantId, revokedAt: null, generation: generation + 1 }))
        .where("rotatedAt", ">", now - graceMs)
        .executeTakeFirst();
      return recentlyRotatedGrant !== undefined;
    },
  };
}

export function createOAuthClientStore({ q }: Connection): OAuthClientStore {
  return {
    async put(id, metadata, now) {
      await q
        .insertInto("oauthClients")
        .values({ id, metadata, createdAt: now })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ metadata }))
        .execute();
    },
    async find(id) {
      const row = await q.selectFrom("oauthClients").select("metadata").where("id", "=", id).executeTakeFirst();
      return row?.metadata;
    },
    async postponePurge(id, minCreatedAt) {
      await q
        .updateTable("oauthClients")
        .set({ createdAt: minCreatedAt })
        .where("id", "=", id)
        .where("createdAt", "<", minCreatedAt)
        .execute();
    },
  };
}
