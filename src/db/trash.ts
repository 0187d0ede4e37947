import type { TrashItem, TrashMark } from "#domain/model/trash.ts";
import type { TrashStore, TrashWrites } from "#domain/ports/trash.ts";
import { assetColumns } from "./asset-row.ts";
import { countChangedRows, statement, type Connection } from "./database.ts";
import type { TrashColumns } from "./schema.ts";

export const toTrashColumns = (trash: TrashMark | null): TrashColumns => ({
  trashedAt: trash?.at ?? null,
  trashExpiresAt: trash?.expiresAt ?? null,
  trashedBy: trash?.by ?? null,
  trashedClientName: trash?.clientName ?? null,
});

/** Limits each table before the union, so that a page reads no more rows of either table than it can show. */
const buildItemsSql = (type: TrashItem["type"], titleColumn: string, table: string, condition: string): string =>
  `SELECT * FROM (
     SELECT id, '${type}' AS type, ${titleColumn} AS title, trashed_at AS at, trash_expires_at AS expires_at,
            trashed_by AS by, trashed_client_name AS client_name
       FROM ${table}
      WHERE studio_id = $1 AND trashed_at IS NOT NULL ${condition} AND trash_expires_at > $2
        AND (trashed_at < $3 OR (trashed_at = $3 AND id < $4))
      ORDER BY trashed_at DESC, id DESC LIMIT $5) AS ${type}s`;

const listTrashQuery = statement<TrashItem>(`
  SELECT u.name AS by_name, t.* FROM (
    ${buildItemsSql("post", "title", "posts", "")} UNION ALL ${buildItemsSql("asset", "filename", "assets", "AND post_id IS NULL")}
  ) AS t LEFT JOIN users u ON u.id = t.by
  ORDER BY t.at DESC, t.id DESC LIMIT $5`);

export function createTrashStore({ q, run }: Connection): TrashStore & TrashWrites {
  return {
    async list(studioId, now, after, limit) {
      const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
      return run(listTrashQuery, [studioId, now, at, id, limit]);
    },
    async expire(items, now) {
      const ids = items.map(({ id }) => id);
      let count = 0;
      for (const table of ["posts", "assets"] as const) {
        count += await q
          .updateTable(table)
          .set({ trashExpiresAt: now })
          .where("id", "in", ids)
          .where("trashedAt", "<=", now)
          .where("trashExpiresAt", ">", now)
          .$if(table === "assets", (assets) => assets.where("postId" as never, "is", null))
          .$call(countChangedRows);
      }
      return count;
    },
    listExpiredPosts: (now, exceptStudioIds, limit) =>
      q
        .selectFrom("posts")
        .select(["id", "studioId"])
        .where("trashedAt", "is not", null)
        .where("trashExpiresAt", "<=", now)
        .$if(exceptStudioIds.length > 0, (list) => list.where("studioId", "not in", exceptStudioIds))
        .orderBy("trashExpiresAt")
        .limit(limit)
        .execute(),
    listExpiredAssets: (now, exceptStudioIds, limit) =>
      q
        .selectFrom("assets")
        .select(assetColumns)
        .where("trashedAt", "is not", null)
        .where("postId", "is", null)
        .where("trashExpiresAt", "<=", now)
        .$if(exceptStudioIds.length > 0, (list) => list.where("studioId", "not in", exceptStudioIds))
        .orderBy("trashExpiresAt")
        .limit(limit)
        .execute(),
  };
}
