import type { OAuthClientStore, OAuthRecordStore } from "#domain/access/ports.ts";
import type { Connection } from "./database.ts";

export function createOAuthRecordStore({ q }: Connection): OAuthRecordStore {
  return {
    async put(model, idHash, { payload, grantId, audience, scope, expiresAt }) {
      const values = { payload: JSON.stringify(payload), audience, scope, expires_at: expiresAt };
      await q
        .insertInto("oauth_records")
        .values((value) => ({
          model,
          id_hash: idHash,
          ...values,
          grant_id: grantId,
          generation:
            grantId === null ? null : value.selectFrom("grants").select("generation").where("id", "=", grantId),
          consumed_at: null,
        }))
        .onConflict((conflict) => conflict.columns(["model", "id_hash"]).doUpdateSet(values))
        .execute();
    },
    async find(model, idHash) {
      const row = await q
        .selectFrom("oauth_records as r")
        .leftJoin("grants as g", "g.id", "r.grant_id")
        .select(["r.payload", "r.grant_id as grantId", "r.generation", "r.consumed_at as consumedAt"])
        .where("r.model", "=", model)
        .where("r.id_hash", "=", idHash)
        .where("g.revoked_at", "is", null)
        .executeTakeFirst();
      return row && { ...row, payload: JSON.parse(row.payload) as Record<string, unknown> };
    },
    async delete(model, idHash) {
      const { numDeletedRows } = await q
        .deleteFrom("oauth_records")
        .where("model", "=", model)
        .where("id_hash", "=", idHash)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async consume(model, idHash, now) {
      const { numUpdatedRows } = await q
        .updateTable("oauth_records")
        .set({ consumed_at: now })
        .where("model", "=", model)
        .where("id_hash", "=", idHash)
        .where("consumed_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async rotate(grantId, generation, now, graceMs) {
      const { numUpdatedRows } = await q
        .updateTable("grants")
        .set({ generation: generation + 1, rotated_at: now })
        .where("id", "=", grantId)
        .where("revoked_at", "is", null)
        .where("generation", "=", generation)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return true;
      const recentlyRotatedGrant = await q
        .selectFrom("grants")
        .select("id")
        .where("id", "=", grantId)
        .where("revoked_at", "is", null)
        .where("generation", "=", generation + 1)
        .where("rotated_at", ">", now - graceMs)
        .executeTakeFirst();
      return recentlyRotatedGrant !== undefined;
    },
  };
}

export function createOAuthClientStore({ q }: Connection): OAuthClientStore {
  return {
    async put(id, metadata, now) {
      const values = { metadata: JSON.stringify(metadata) };
      await q
        .insertInto("oauth_clients")
        .values({ id, ...values, created_at: now })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute();
    },
    async find(id) {
      const row = await q.selectFrom("oauth_clients").select("metadata").where("id", "=", id).executeTakeFirst();
      return row && (JSON.parse(row.metadata) as Record<string, unknown>);
    },
    async postponePurge(id, minCreatedAt) {
      await q
        .updateTable("oauth_clients")
        .set({ created_at: minCreatedAt })
        .where("id", "=", id)
        .where("created_at", "<", minCreatedAt)
        .execute();
    },
  };
}
