import type { OAuthClientStore, OAuthRecordStore } from "#domain/ports/access.ts";
import { changesRow, deleteRows, execute, selectRows, updateRows, type Connection } from "./database.ts";

export function createOAuthRecordStore({ q }: Connection): OAuthRecordStore {
  return {
    put(model, idHash, { payload, grantId, audience, scope, expiresAt }) {
      const values = { payload, audience, scope, expiresAt };
      return q
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
        .$call(execute);
    },
    find: (model, idHash) =>
      q
        .selectFrom("oauthRecords as r")
        .leftJoin("grants as g", "g.id", "r.grantId")
        .select(["r.payload", "r.grantId", "r.generation", "r.consumedAt"])
        .where((eb) => eb.and({ "r.model": model, "r.idHash": idHash, "g.revokedAt": null }))
        .executeTakeFirst(),
    delete: (model, idHash) => deleteRows(q, "oauthRecords", { model, idHash }).$call(changesRow),
    consume: (model, idHash, now) =>
      updateRows(q, "oauthRecords", { model, idHash, consumedAt: null }, { consumedAt: now }).$call(changesRow),
    async rotate(grantId, generation, now, graceMs) {
      const rotation = { generation: generation + 1, rotatedAt: now };
      const current = { id: grantId, revokedAt: null, generation };
      if (await updateRows(q, "grants", current, rotation).$call(changesRow)) return true;
      const recentlyRotatedGrant = await selectRows(q, "grants", { ...current, generation: generation + 1 })
        .select("id")
        .where("rotatedAt", ">", now - graceMs)
        .executeTakeFirst();
      return recentlyRotatedGrant !== undefined;
    },
  };
}

export function createOAuthClientStore({ q }: Connection): OAuthClientStore {
  return {
    put: (id, metadata, now) =>
      q
        .insertInto("oauthClients")
        .values({ id, metadata, createdAt: now })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ metadata }))
        .$call(execute),
    async find(id) {
      const row = await q.selectFrom("oauthClients").select("metadata").where("id", "=", id).executeTakeFirst();
      return row?.metadata;
    },
    postponePurge: (id, minCreatedAt) =>
      updateRows(q, "oauthClients", { id }, { createdAt: minCreatedAt })
        .where("createdAt", "<", minCreatedAt)
        .$call(execute),
  };
}
