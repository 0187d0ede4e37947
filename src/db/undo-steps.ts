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
  type AssetFieldChange,
  type RevisionField,
  revisionFields,
  type RevisionStep,
} from "#domain/model/revision.ts";
import type { ChangeCursor, ChangeSelection, ListChangedIds } from "#domain/ports/history.ts";
import type { CommentStep } from "#domain/model/comment.ts";
import { selectRows, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

// Reads the changes that an undo considers.

const idColumns = { postRevisions: "postId", assetChanges: "assetId", commentChanges: "commentId" } as const;

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
       WHERE r.studio_id = ${studioId} AND ${isChangeSelected(expressionBuilder<ChangeTable, "r">(), selection)}
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
    .selectFrom("postRevisions as r")
    .select((eb) => eb.fn.min<number | null>("r.revision").as("revision"))
    .where("r.postId", "=", postId)
    .where((eb) => isChangeSelected(eb, selection))
    .executeTakeFirst();
  const firstRevision = firstSelected?.revision ?? undefined;
  if (firstRevision === undefined) return [];
  const lastBefore = await selectRows(q, "postRevisions", { postId })
    .select((eb) => eb.fn.max<number | null>("revision").as("revision"))
    .where("revision", "<", firstRevision)
    .executeTakeFirst();
  const steps: RevisionStep[] = [];
  let assetIds = new Map<number, string[]>();
  let previousCrops: string | undefined;
  for (let from = lastBefore?.revision ?? firstRevision; ;) {
    const rows = await q
      .selectFrom("postRevisions as r")
      .select([
        "r.revision",
        "r.assetsRevision",
        ...revisionFields.map((field) => `r.${field}Changed` as const),
        sql<string>`r.crops`.as("cropsJson"),
      ])
      .select((eb) => flagSelected(eb, selection))
      .where("r.postId", "=", postId)
      .where("r.revision", ">=", from)
      .orderBy("r.revision")
      .limit(pageSize)
      .execute();
    const [firstRow, lastRow] = [rows[0], rows.at(-1)];
    if (!firstRow || !lastRow) return steps;
    // Later pages start with the assets of the last step, unless they have changed.
    const assetsFrom = steps.length === 0 ? firstRow.assetsRevision : firstRow.revision;
    const lastAssets = [...assetIds].at(-1);
    assetIds = new Map(lastAssets && [lastAssets]);
    for (const [revision, ids] of await listRevisionAssets(q, postId, assetsFrom, lastRow.revision))
      assetIds.set(revision, ids);
    for (const { cropsJson, ...row } of rows) {
      // Crops have no column like `title_changed`.
      const haveCropsChanged = cropsJson !== (previousCrops ?? cropsJson);
      previousCrops = cropsJson;
      steps.push({
        revision: row.revision,
        isSelected: row.isSelected,
        changed: [...listChangedFields(row), ...(haveCropsChanged ? (["crops"] as const) : [])],
        assetIds: assetIds.get(row.assetsRevision) ?? [],
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
  const rows = await selectRows(q, "postRevisionAssets", { postId })
    .select(["revision", "assetId"])
    .where("revision", ">=", from)
    .where("revision", "<=", to)
    .orderBy("revision")
    .orderBy("position")
    .execute();
  const groups = Map.groupBy(rows, (row) => row.revision);
  return new Map([...groups].map(([revision, group]) => [revision, group.map((row) => row.assetId)]));
}

export async function listAssetSteps(
  q: Kysely<Schema>,
  assetId: string,
  selection: ChangeSelection,
): Promise<(AssetFieldChange & { isSelected: boolean })[]> {
  const selectFrom = (change: number) =>
    q
      .selectFrom("assetChanges as r")
      .select(["r.change", "r.field", "r.before", "r.after"])
      .select((eb) => flagSelected(eb, selection))
      .where("r.assetId", "=", assetId)
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
  return skipToFirstSelected(rows).map(({ field, before, after, isSelected }) => ({
    field,
    before,
    after,
    isSelected,
  }));
}

export async function listCommentSteps(
  q: Kysely<Schema>,
  commentId: string,
  selection: ChangeSelection,
): Promise<CommentStep[]> {
  const rows = await q
    .selectFrom("commentChanges as r")
    .select(["r.change", "r.isDeleted"])
    .select((eb) => flagSelected(eb, selection))
    .where("r.commentId", "=", commentId)
    .orderBy("r.change")
    .execute();
  return skipToFirstSelected(rows).map(({ isDeleted, isSelected }) => ({ isDeleted, isSelected }));
}

/** The columns that all tables of changes have. */
interface ChangeTable {
  r: Pick<Schema["postRevisions"], "userId" | "clientId" | "at" | "undoId">;
}

function skipToFirstSelected<Row extends { isSelected: boolean }>(rows: readonly Row[]): readonly Row[] {
  const first = rows.findIndex((row) => row.isSelected);
  return first < 0 ? [] : rows.slice(first);
}

/** Whether a change belongs to the selection, as a column. */
const flagSelected = <DB extends ChangeTable>(eb: ExpressionBuilder<DB, keyof DB>, selection: ChangeSelection) =>
  eb.case().when(isChangeSelected(eb, selection)).then(1).else(0).end().$castTo<boolean>().as("isSelected");

/** Whether a change, in the table `r`, belongs to the selection. */
function isChangeSelected<DB extends ChangeTable>(
  builder: ExpressionBuilder<DB, keyof DB>,
  selection: ChangeSelection,
): Expression<SqlBool> {
  const eb = builder as unknown as ExpressionBuilder<ChangeTable, "r">;
  const condition =
    "undoId" in selection
      ? eb("r.undoId", "=", selection.undoId)
      : eb.and([
          eb("r.clientId", "=", selection.clientId),
          eb("r.userId", "=", selection.userId),
          eb("r.at", ">=", selection.since),
        ]);
  const { runningUndoId } = selection;
  return runningUndoId === undefined ? condition : eb.or([condition, eb("r.undoId", "=", runningUndoId)]);
}

export function listChangedFields(
  row: Pick<Selectable<Schema["postRevisions"]>, `${RevisionField}Changed`>,
): RevisionField[] {
  return revisionFields.filter((field) => row[`${field}Changed`]);
}
