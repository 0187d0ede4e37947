import { sql, type Expression, type ExpressionBuilder, type Kysely, type Selectable, type SqlBool } from "kysely";
import {
  revisionFields,
  type AssetFieldChange,
  type ChangeSelection,
  type RevisionField,
  type RevisionStep,
} from "#domain/history/ports.ts";
import type { CommentStep } from "#domain/comments/ports.ts";
import type { Schema } from "./schema.ts";

// Reads the changes that an undo considers.

export async function listPostIds(
  q: Kysely<Schema>,
  studioId: string,
  selection: ChangeSelection,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await q
    .selectFrom("post_revisions as r")
    .select("r.post_id")
    .distinct()
    .where("r.studio_id", "=", studioId)
    .where((eb) => isSelected(eb, selection))
    .where("r.post_id", ">", after)
    .orderBy("r.post_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.post_id);
}

export async function listAssetIds(
  q: Kysely<Schema>,
  studioId: string,
  selection: ChangeSelection,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await q
    .selectFrom("asset_changes as r")
    .select("r.asset_id")
    .distinct()
    .where("r.studio_id", "=", studioId)
    .where((eb) => isSelected(eb, selection))
    .where("r.asset_id", ">", after)
    .orderBy("r.asset_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.asset_id);
}

/** Whether the crops differ from the previous row. Crops have no column like `title_changed`. */
const cropsChangedSql = sql<number>`
  CASE WHEN r.crops = LAG(r.crops, 1, r.crops) OVER (ORDER BY r.revision) THEN 0 ELSE 1 END`;

export async function listRevisionSteps(
  q: Kysely<Schema>,
  postId: string,
  selection: ChangeSelection,
): Promise<RevisionStep[]> {
  const firstSelected = await q
    .selectFrom("post_revisions as r")
    .select((eb) => eb.fn.min<number | null>("r.revision").as("revision"))
    .where("r.post_id", "=", postId)
    .where((eb) => isSelected(eb, selection))
    .executeTakeFirst();
  const firstRevision = firstSelected?.revision ?? undefined;
  if (firstRevision === undefined) return [];
  const lastBefore = await q
    .selectFrom("post_revisions")
    .select((eb) => eb.fn.max<number | null>("revision").as("revision"))
    .where("post_id", "=", postId)
    .where("revision", "<", firstRevision)
    .executeTakeFirst();
  const rows = await q
    .selectFrom("post_revisions as r")
    .select([
      "r.revision",
      "r.assets_revision",
      "r.title_changed",
      "r.body_changed",
      "r.status_changed",
      "r.variants_changed",
      "r.tags_changed",
      "r.assets_changed",
      "r.trashed_changed",
    ])
    .select(cropsChangedSql.as("crops_changed"))
    .select((eb) => eb.case().when(isSelected(eb, selection)).then(1).else(0).end().as("selected"))
    .where("r.post_id", "=", postId)
    .where("r.revision", ">=", lastBefore?.revision ?? firstRevision)
    .orderBy("r.revision")
    .execute();
  // A range rather than a list of revisions, which could exceed the parameters of a statement.
  const assetRows = await q
    .selectFrom("post_revision_assets")
    .select(["revision", "asset_id"])
    .where("post_id", "=", postId)
    .where("revision", ">=", rows[0]?.assets_revision ?? firstRevision)
    .orderBy("revision")
    .orderBy("position")
    .execute();
  const assetsByRevision = Map.groupBy(assetRows, (row) => row.revision);
  return rows.map((row) => ({
    revision: row.revision,
    isSelected: row.selected === 1,
    changed: [...listChangedFields(row), ...(row.crops_changed === 1 ? (["crops"] as const) : [])],
    assetIds: (assetsByRevision.get(row.assets_revision) ?? []).map((asset) => asset.asset_id),
  }));
}

export async function listAssetSteps(
  q: Kysely<Schema>,
  assetId: string,
  selection: ChangeSelection,
): Promise<(AssetFieldChange & { isSelected: boolean })[]> {
  const rows = await q
    .selectFrom("asset_changes as r")
    .select(["r.change", "r.field", "r.before", "r.after"])
    .select((eb) => eb.case().when(isSelected(eb, selection)).then(1).else(0).end().as("selected"))
    .where("r.asset_id", "=", assetId)
    .orderBy("r.change")
    .execute();
  const first = rows.findIndex((row) => row.selected === 1);
  if (first < 0) return [];
  return rows
    .slice(first)
    .map(({ field, before, after, selected }) => ({ field, before, after, isSelected: selected === 1 }));
}

export async function listCommentIds(
  q: Kysely<Schema>,
  studioId: string,
  selection: ChangeSelection,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await q
    .selectFrom("comment_changes as r")
    .select("r.comment_id")
    .distinct()
    .where("r.studio_id", "=", studioId)
    .where((eb) => isSelected(eb, selection))
    .where("r.comment_id", ">", after)
    .orderBy("r.comment_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.comment_id);
}

export async function listCommentSteps(
  q: Kysely<Schema>,
  commentId: string,
  selection: ChangeSelection,
): Promise<CommentStep[]> {
  const rows = await q
    .selectFrom("comment_changes as r")
    .select(["r.change", "r.removed"])
    .select((eb) => eb.case().when(isSelected(eb, selection)).then(1).else(0).end().as("selected"))
    .where("r.comment_id", "=", commentId)
    .orderBy("r.change")
    .execute();
  const first = rows.findIndex((row) => row.selected === 1);
  if (first < 0) return [];
  return rows.slice(first).map(({ removed, selected }) => ({ isDeleted: removed === 1, isSelected: selected === 1 }));
}

/** The columns that all tables of changes have. */
interface ChangeTable {
  r: Pick<Schema["post_revisions"], "user_id" | "client_id" | "at" | "undo_id">;
}

/** Whether a change, in the table `r`, belongs to the selection. */
function isSelected<DB extends ChangeTable>(
  builder: ExpressionBuilder<DB, keyof DB>,
  selection: ChangeSelection,
): Expression<SqlBool> {
  const eb = builder as unknown as ExpressionBuilder<ChangeTable, "r">;
  const condition =
    "undoId" in selection
      ? eb("r.undo_id", "=", selection.undoId)
      : eb.and([
          eb("r.client_id", "=", selection.clientId),
          eb("r.user_id", "=", selection.userId),
          eb("r.at", ">=", selection.since),
        ]);
  const { runningUndoId } = selection;
  return runningUndoId === undefined ? condition : eb.or([condition, eb("r.undo_id", "=", runningUndoId)]);
}

export function listChangedFields(
  row: Pick<Selectable<Schema["post_revisions"]>, `${RevisionField}_changed`>,
): RevisionField[] {
  return revisionFields.filter((field) => row[`${field}_changed`] === 1);
}
