import { sql, type RawBuilder } from "kysely";
import type { StudioContentStore } from "#domain/ports/studios.ts";
import { assetColumns } from "./asset-row.ts";
import { execute, type Connection } from "./database.ts";

/** The rows of a post that have no limit or a high one, with their order of deletion: replies before their comment. */
const postDetails = [
  ["postRevisions", ""],
  ["postRevisionAssets", ""],
  ["comments", "ORDER BY parent_id IS NULL"],
  ["publications", ""],
  ["uploadLinks", ""],
  ["reviewPosts", ""],
] as const;

export function createStudioContentStore({ q, engine }: Connection): StudioContentStore {
  /** By the position of the rows in the database, because the tables have different keys. */
  function buildDelete(table: string, order: string, postIds: readonly string[], limit: number): RawBuilder<unknown> {
    const selectRows = (position: string) =>
      sql`SELECT ${sql.raw(position)} FROM ${sql.table(table)} WHERE post_id IN (${sql.join(postIds)}) ${sql.raw(order)} LIMIT ${limit}`;
    return engine === "postgres"
      ? sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(${selectRows("ctid")}))`
      : sql`DELETE FROM ${sql.table(table)} WHERE rowid IN (${selectRows("rowid")})`;
  }

  async function hasPostDetails(postIds: readonly string[]): Promise<boolean> {
    for (const [table] of postDetails) {
      const row = await q.selectFrom(table).select("postId").where("postId", "in", postIds).limit(1).executeTakeFirst();
      if (row) return true;
    }
    return false;
  }

  return {
    async listIds(table, studioId, after, limit) {
      const rows = await q
        .selectFrom(table)
        .select("id")
        .where("studioId", "=", studioId)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    deleteRows: (table, ids) => q.deleteFrom(table).where("id", "in", ids).$call(execute),
    deleteAssets: (ids) => q.deleteFrom("assets").where("id", "in", ids).returning(assetColumns).execute(),
    async deletePostDetails(postIds, limit) {
      let count = 0;
      for (const [table, order] of postDetails) {
        if (count >= limit) break;
        const { numAffectedRows } = await buildDelete(table, order, postIds, limit - count).execute(q);
        count += Number(numAffectedRows ?? 0);
      }
      // A low count does not show that no rows are left: another process may have deleted the selected rows first.
      return count < limit && !(await hasPostDetails(postIds));
    },
  };
}
