import {
  expressionBuilder,
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
} from "kysely";
import {
  revisionFields,
  type AssetFieldChange,
  type ChangeCursor,
  type ChangeSelection,
  type ListChangedIds,
  type RevisionField,
  type RevisionStep,
} from "#domain/history/ports.ts";
import type { CommentStep } from "#domain/comments/ports.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

// Reads the changes that an undo considers.

const idColumns = { post_revisions: "post_id", asset_changes: "asset_id", comment_changes: "comment_id" } as const;

/** Reads the changes in the order of an index: in another order, SQLite would read and sort all of them for each page. */
export function createChangedIdsList({ q, engine }: Connection, table: keyof typeof idColumns): ListChangedIds {
  const id = sql.ref<string>(`r.${idColumns[table]}`);
  const position = engine === "sqlite" ? sql.raw("r.rowid") : id;
  return async (studioId, selection, after, limit) => {
    // The index by undo does not contain the time.
    const order = "undoId" in selection ? position : sql`r.at, ${position}`;
    const afterValues = after && ("undoId" in selection ? sql`${after.position}` : sql`${after.at}, ${after.position}`);
    const { rows } = await sql<ChangeCursor & { id: string }>`
      SELECT ${id} AS id, r.at, ${position} AS position FROM ${sql.table(table)} AS r
       WHERE r.studio_id = ${studioId} AND ${isSelected(expressionBuilder<ChangeTable, "r">(), selection)}
         ${afterValues ? sql`AND (${order}) > (${afterValues})` : sql``}
       ORDER BY ${order} LIMIT ${limit}`.execute(q);
    return { ids: rows.map((row) => row.id), next: rows.length < limit ? undefined : rows.at(-1) };
  };
}

/** Rows per statement. */
const pageSize = 200;

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
  const steps: RevisionStep[] = [];
  let assetIds = new Map<number, string[]>();
  let previousCrops: string | undefined;
  for (let from = lastBefore?.revision ?? firstRevision; ;) {
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
        "r.crops",
      ])
      .select((eb) => eb.case().when(isSelected(eb, selection)).then(1).else(0).end().as("selected"))
      .where("r.post_id", "=", postId)
      .where("r.revision", ">=", from)
      .orderBy("r.revision")
      .limit(pageSize)
      .execute();
    const [firstRow, lastRow] = [rows[0], rows.at(-1)];
    if (!firstRow || !lastRow) return steps;
    // Later pages start with the assets of the last step, unless they have changed.
    const assetsFrom = steps.length === 0 ? firstRow.assets_revision : firstRow.revision;
    const lastAssets = [...assetIds].at(-1);
    assetIds = new Map(lastAssets && [lastAssets]);
    for (const [revision, ids] of await listRevisionAssets(q, postId, assetsFrom, lastRow.revision))
      assetIds.set(revision, ids);
    for (const { crops, ...row } of rows) {
      // Crops have no column like `title_changed`.
      const haveCropsChanged = crops !== (previousCrops ?? crops);
      previousCrops = crops;
      steps.push({
        revision: row.revision,
        isSelected: row.selected === 1,
        changed: [...listChangedFields(row), ...(haveCropsChanged ? (["crops"] as const) : [])],
        assetIds: assetIds.get(row.assets_revision) ?? [],
      });
    }
    if (rows.length < pageSize) return steps;
    from = lastRow.revision + 1;
  }
}

/** The ids of the assets that these revisions stored, by revision. */
async function listRevisionAssets(
  q: Kysely<Schema>,
  postId: string,
  from: number,
  to: number,
): Promise<Map<number, string[]>> {
  // A range rather than a list of revisions, which could exceed the parameters of a statement.
  const rows = await q
    .selectFrom("post_revision_assets")
    .select(["revision", "asset_id"])
    .where("post_id", "=", postId)
    .where("revision", ">=", from)
    .where("revision", "<=", to)
    .orderBy("revision")
    .orderBy("position")
    .execute();
  const groups = Map.groupBy(rows, (row) => row.revision);
  return new Map([...groups].map(([revision, group]) => [revision, group.map((row) => row.asset_id)]));
}

export async function listAssetSteps(
  q: Kysely<Schema>,
  assetId: string,
  selection: ChangeSelection,
): Promise<(AssetFieldChange & { isSelected: boolean })[]> {
  const selectFrom = (change: number) =>
    q
      .selectFrom("asset_changes as r")
      .select(["r.change", "r.field", "r.before", "r.after"])
      .select((eb) => eb.case().when(isSelected(eb, selection)).then(1).else(0).end().as("selected"))
      .where("r.asset_id", "=", assetId)
      .where("r.change", ">=", change)
      .orderBy("r.change")
      .limit(pageSize)
      .execute();
  const rows: Awaited<ReturnType<typeof selectFrom>> = [];
  for (let from = 0; ;) {
    const page = await selectFrom(from);
    const isLastPage = page.length < pageSize;
    from = page.at(-1)?.change ?? 0;
    // A page can end in the middle of a change, which has one row per field. The next page starts with this change.
    rows.push(...page.filter((row) => isLastPage || row.change < from));
    if (isLastPage) break;
  }
  const first = rows.findIndex((row) => row.selected === 1);
  if (first < 0) return [];
  return rows
    .slice(first)
    .map(({ field, before, after, selected }) => ({ field, before, after, isSelected: selected === 1 }));
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
