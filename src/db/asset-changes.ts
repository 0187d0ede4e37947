import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { AssetChangeStore, ChangeSelection } from "#domain/history/ports.ts";
import type { Connection } from "./client.ts";
import type { Schema } from "./schema.ts";

export function createAssetChangeStore({ q }: Connection): AssetChangeStore {
  return {
    async record({ id, studioId, changeCount }, at, author, changes) {
      if (changes.length === 0) return;
      await q
        .insertInto("asset_changes")
        .values(
          changes.map(({ field, before, after }) => ({
            asset_id: id,
            change: changeCount,
            field,
            before,
            after,
            studio_id: studioId,
            at,
            user_id: author.userId,
            grant_id: author.grantId,
            client_id: author.clientId,
            client_name: author.clientName,
            undo_id: author.undoId,
          })),
        )
        .execute();
    },
    async listAssetIds(studioId, selection, after, limit) {
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
    },
    async listSteps(assetId, selection) {
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
    },
  };
}

/** The columns that this table and `post_revisions` have in common. */
interface ChangeTable {
  r: Pick<Schema["post_revisions"], "user_id" | "client_id" | "at" | "undo_id">;
}

/** Whether a change, in the table `r`, belongs to the selection. */
export function isSelected<DB extends ChangeTable>(
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
