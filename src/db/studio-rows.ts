import { sql } from "kysely";
import type { Database } from "./database.ts";

/** The columns that users know. */
const exportedColumns = {
  posts:
    "id title body status revision tags variants crops createdBy createdByClientName readyRevision createdAt updatedAt",
  postRevisions: "postId revision title body status tags variants crops userId clientName restoredRevision at",
  comments: "id postId parentId body userId clientName createdAt resolvedAt resolvedBy",
  publications:
    "id postId connectionId state revision includesTitle scheduledFor requestedBy requestedClientName approvedBy publishedAt url remoteId problemCode problemMessage content createdAt",
  assets:
    "id postId position kind mimeType filename bytes sha256 storageKey altText tags width height durationMs createdBy createdByClientName createdAt",
  platformConnections: "id platform accountId handle name",
} as const;

export type StudioTable = keyof typeof exportedColumns;
export type StudioRow = Record<string, unknown>;

const hiddenRows: Partial<Record<StudioTable, string>> = {
  posts: "trashed_at IS NOT NULL",
  assets: "trashed_at IS NOT NULL OR status <> 'ready'",
  comments: "removed_at IS NOT NULL",
};

const pageSize = 200;

/** Reads rows of a studio or a post, without what is in the trash, in pages: other processes may change them meanwhile. */
export async function* readStudioRows(
  { q }: Pick<Database, "q">,
  table: StudioTable,
  owner: { studioId: string } | { postId: string },
): AsyncGenerator<StudioRow> {
  const [ownerColumn = "", ownerId = ""] = Object.entries(owner)[0] ?? [];
  const order = table === "postRevisions" ? "revision" : "id";
  const columns = sql.join(exportedColumns[table].split(" ").map((name) => sql.ref(name)));
  let after: unknown = order === "revision" ? 0 : "";
  for (;;) {
    const { rows } = await sql<StudioRow>`SELECT ${columns} FROM ${sql.table(table)}
      WHERE ${sql.ref(ownerColumn)} = ${ownerId} AND ${sql.ref(order)} > ${after} AND NOT (${sql.raw(hiddenRows[table] ?? "1 = 0")})
      ORDER BY ${sql.ref(order)} LIMIT ${pageSize}`.execute(q);
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)?.[order];
  }
}
