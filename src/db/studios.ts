import type { StudioStore } from "#domain/studios/ports.ts";
import type { Connection } from "./client.ts";
import { containsText } from "./users.ts";

export function createStudioStore({ q }: Connection): StudioStore {
  return {
    async insert({ id, name, slug, timezone, createdAt }, ownerId) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("studios")
        .values({ id, name, slug, timezone, owner_count: 1, created_at: createdAt })
        .onConflict((conflict) => conflict.column("slug").doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await q
        .insertInto("memberships")
        .values({ studio_id: id, user_id: ownerId, role: "owner", joined_at: createdAt })
        .execute();
      return true;
    },
    async find(studioId) {
      return q
        .selectFrom("studios")
        .select(["id", "name", "slug", "timezone", "approval", "created_at as createdAt"])
        .where("id", "=", studioId)
        .executeTakeFirst();
    },
    async update(studioId, changes) {
      return q
        .updateTable("studios")
        .set(changes)
        .where("id", "=", studioId)
        .returning(["id", "name", "slug", "timezone", "approval", "created_at as createdAt"])
        .executeTakeFirst();
    },
    async list({ search, before, limit }) {
      return q
        .selectFrom("studios")
        .select(["id", "name", "slug", "timezone", "approval", "created_at as createdAt"])
        .$if(search !== undefined, (studios) => studios.where(containsText(["name", "slug"], search!)))
        .$if(before !== undefined, (studios) => studios.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
    async delete(studioId) {
      await q.deleteFrom("studios").where("id", "=", studioId).execute();
    },
  };
}
