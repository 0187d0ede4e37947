import type { Selectable } from "kysely";
import type { TrashItem, TrashMark, TrashStore } from "#domain/trash/ports.ts";
import { toAsset } from "./asset-row.ts";
import { statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

export function toTrashColumns(
  trash: TrashMark | null,
): Pick<Selectable<Schema["posts"]>, "trashed_at" | "trash_expires_at" | "trashed_by" | "trashed_client_name"> {
  return {
    trashed_at: trash?.at ?? null,
    trash_expires_at: trash?.expiresAt ?? null,
    trashed_by: trash?.by ?? null,
    trashed_client_name: trash?.clientName ?? null,
  };
}

interface TrashRow {
  id: string;
  type: TrashItem["type"];
  title: string;
  trashed_at: number;
  trash_expires_at: number;
  trashed_by: string | null;
  trashed_client_name: string | null;
  user_name: string | null;
}

/** Limits each table before the union, so that a page reads no more rows of either table than it can show. */
const buildItemsSql = (type: TrashItem["type"], titleColumn: string, table: string, condition: string): string =>
  `SELECT * FROM (
     SELECT id, '${type}' AS type, ${titleColumn} AS title, trashed_at, trash_expires_at, trashed_by, trashed_client_name
       FROM ${table}
      WHERE studio_id = $1 AND trashed_at IS NOT NULL ${condition} AND trash_expires_at > $2
        AND (trashed_at < $3 OR (trashed_at = $3 AND id < $4))
      ORDER BY trashed_at DESC, id DESC LIMIT $5) AS ${type}s`;

const listTrashQuery = statement<TrashRow>(
  "list_trash",
  `SELECT t.*, u.name AS user_name FROM (
     ${buildItemsSql("post", "title", "posts", "")} UNION ALL ${buildItemsSql("asset", "filename", "assets", "AND post_id IS NULL")}
   ) AS t LEFT JOIN users u ON u.id = t.trashed_by
   ORDER BY t.trashed_at DESC, t.id DESC LIMIT $5`,
);

export function createTrashStore({ q, run }: Connection): TrashStore {
  return {
    async list(studioId, now, after, limit) {
      const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
      return (await run(listTrashQuery, [studioId, now, at, id, limit])).map((row) => ({
        id: row.id,
        type: row.type,
        title: row.title,
        at: row.trashed_at,
        expiresAt: row.trash_expires_at,
        by: row.trashed_by,
        byName: row.user_name,
        clientName: row.trashed_client_name,
      }));
    },
    async expire(items, now) {
      let count = 0;
      for (const table of ["posts", "assets"] as const) {
        const { numUpdatedRows } = await q
          .updateTable(table)
          .set({ trash_expires_at: now })
          .where(
            "id",
            "in",
            items.map(({ id }) => id),
          )
          .where("trashed_at", "<=", now)
          .where("trash_expires_at", ">", now)
          .$if(table === "assets", (assets) => assets.where("post_id" as never, "is", null))
          .executeTakeFirst();
        count += Number(numUpdatedRows);
      }
      return count;
    },
    async listExpiredPosts(now, exceptStudioIds, limit) {
      return q
        .selectFrom("posts")
        .select(["id", "studio_id as studioId"])
        .where("trashed_at", "is not", null)
        .where("trash_expires_at", "<=", now)
        .$if(exceptStudioIds.length > 0, (posts) => posts.where("studio_id", "not in", exceptStudioIds))
        .orderBy("trash_expires_at")
        .limit(limit)
        .execute();
    },
    async listExpiredAssets(now, exceptStudioIds, limit) {
      const rows = await q
        .selectFrom("assets")
        .selectAll()
        .where("trashed_at", "is not", null)
        .where("post_id", "is", null)
        .where("trash_expires_at", "<=", now)
        .$if(exceptStudioIds.length > 0, (assets) => assets.where("studio_id", "not in", exceptStudioIds))
        .orderBy("trash_expires_at")
        .limit(limit)
        .execute();
      return rows.map(toAsset);
    },
  };
}
