import type { StudioStore } from "#domain/studios/ports.ts";
import type { Connection } from "./database.ts";
import { containsText } from "./users.ts";

/**
 * Until the transaction ends, other transactions that call this for the same studio wait, so that parallel calls count
 * against the same limit. Returns false if the studio is deleted.
 */
export async function lockForCounting(q: Connection["q"], studioId: string): Promise<boolean> {
  const { numUpdatedRows } = await q
    .updateTable("studios")
    .set(({ ref }) => ({ used_bytes: ref("used_bytes") }))
    .where("id", "=", studioId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function createStudioStore({ q, engine }: Connection): StudioStore {
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
        .where("deleted_at", "is", null)
        .executeTakeFirst();
    },
    async update(studioId, changes) {
      return q
        .updateTable("studios")
        .set(changes)
        .where("id", "=", studioId)
        .where("deleted_at", "is", null)
        .returning(["id", "name", "slug", "timezone", "approval", "created_at as createdAt"])
        .executeTakeFirst();
    },
    async list({ search, before, limit }) {
      return q
        .selectFrom("studios")
        .select(["id", "name", "slug", "timezone", "approval", "created_at as createdAt"])
        .where("deleted_at", "is", null)
        .$if(search !== undefined, (studios) => studios.where(containsText(["name", "slug"], search!)))
        .$if(before !== undefined, (studios) => studios.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
    async lock(studioId) {
      if (engine === "postgres")
        await q.selectFrom("studios").select("id").where("id", "=", studioId).forUpdate().execute();
    },
    async markDeleted(studioId, now) {
      // The slug of a deleted studio is available again. No slug is an id, because ids contain an underscore.
      await q.updateTable("studios").set({ deleted_at: now, slug: studioId }).where("id", "=", studioId).execute();
      await q
        .deleteFrom("publications")
        .where("studio_id", "=", studioId)
        .where("state", "in", ["preparing", "committing"])
        .execute();
      for (const table of ["invitations", "platform_connects", "memberships"] as const)
        await q.deleteFrom(table).where("studio_id", "=", studioId).execute();
    },
    async listDeleted(latestDeletion, limit) {
      const rows = await q
        .selectFrom("studios")
        .select("id")
        .where("deleted_at", "<=", latestDeletion)
        .orderBy("deleted_at")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async delete(studioId) {
      await q.deleteFrom("studios").where("id", "=", studioId).where("deleted_at", "is not", null).execute();
    },
  };
}
