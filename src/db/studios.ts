import type { StudioStore } from "#domain/studios/ports.ts";
import type { Connection } from "./database.ts";
import { containsText } from "./users.ts";

/**
 * Tables whose rows are deleted before the studio itself, with the number of rows per statement. Assets come before the
 * posts that they refer to. The revisions of a post are deleted with it.
 */
const contentTables = [
  ["publications", 200],
  ["assets", 200],
  ["posts", 20],
  ["activity", 200],
] as const;

export function createStudioStore({ q, engine }: Connection): StudioStore {
  /** In batches, because one statement that deletes thousands of posts exceeds the statement timeout. */
  async function deleteContent(studioId: string, [table, limit]: (typeof contentTables)[number]): Promise<void> {
    // Continues after the last id: the index still has the entries of rows that this transaction deleted.
    let after = "";
    for (let count: number = limit; count === limit;) {
      const rows = await q
        .selectFrom(table)
        .select("id")
        .where("studio_id", "=", studioId)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      const last = rows.at(-1)?.id;
      if (last === undefined) return;
      await q
        .deleteFrom(table)
        .where("studio_id", "=", studioId)
        .where("id", ">", after)
        .where("id", "<=", last)
        .execute();
      [after, count] = [last, rows.length];
    }
  }

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
    async lock(studioId) {
      if (engine === "postgres")
        await q.selectFrom("studios").select("id").where("id", "=", studioId).forUpdate().execute();
    },
    async delete(studioId) {
      for (const table of contentTables) await deleteContent(studioId, table);
      await q.deleteFrom("studios").where("id", "=", studioId).execute();
    },
  };
}
