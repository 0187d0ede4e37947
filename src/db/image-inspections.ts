import type { Selectable } from "kysely";
import type { ImageInspection, ImageInspectionStore } from "#domain/renditions/ports.ts";
import { statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Has no effect if the asset was deleted in the meantime, or if another process has recorded its inspection. */
const recordQuery = statement<never>(
  "record_image_inspection",
  `INSERT INTO image_inspections (asset_id, problem, width, height, frames, has_alpha, has_metadata, is_standard)
   SELECT id, CAST($2 AS TEXT), CAST($3 AS INTEGER), CAST($4 AS INTEGER), CAST($5 AS INTEGER), CAST($6 AS INTEGER),
          CAST($7 AS INTEGER), CAST($8 AS INTEGER)
     FROM assets WHERE id = $1
   ON CONFLICT (asset_id) DO NOTHING`,
);

const copyQuery = statement<never>(
  "copy_image_inspection",
  `INSERT INTO image_inspections (asset_id, problem, width, height, frames, has_alpha, has_metadata, is_standard)
   SELECT CAST($1 AS TEXT), problem, width, height, frames, has_alpha, has_metadata, is_standard
     FROM image_inspections WHERE asset_id = $2`,
);

export function createImageInspectionStore({ q, run }: Connection): ImageInspectionStore {
  return {
    async list(assetIds) {
      if (assetIds.length === 0) return new Map();
      const rows = await q.selectFrom("image_inspections").selectAll().where("asset_id", "in", assetIds).execute();
      return new Map(rows.map((row) => [row.asset_id, toInspection(row)]));
    },
    async record(assetId, inspection) {
      await run(recordQuery, [assetId, ...toValues(inspection)]);
    },
    async recordPreview(assetId, key, maxCount) {
      for (;;) {
        const row = await q
          .selectFrom("image_inspections")
          .select("previews")
          .where("asset_id", "=", assetId)
          .executeTakeFirst();
        if (!row) return [];
        const keys = [...(JSON.parse(row.previews) as string[]).filter((other) => other !== key), key];
        const { numUpdatedRows } = await q
          .updateTable("image_inspections")
          .set({ previews: JSON.stringify(keys.slice(-maxCount)) })
          .where("asset_id", "=", assetId)
          .where("previews", "=", row.previews)
          .executeTakeFirst();
        // Without an updated row, another request has changed the list since it was read: try again.
        if (numUpdatedRows > 0n) return keys.slice(0, -maxCount);
      }
    },
    async copy(fromAssetId, toAssetId) {
      await run(copyQuery, [toAssetId, fromAssetId]);
    },
  };
}

function toValues(inspection: ImageInspection): (string | number | null)[] {
  if ("problem" in inspection) return [inspection.problem, null, null, null, null, null, null];
  const { width, height, frames, hasAlpha, hasMetadata, canStripMetadata } = inspection;
  return [null, width, height, frames, Number(hasAlpha), Number(hasMetadata), Number(canStripMetadata)];
}

function toInspection(row: Selectable<Schema["image_inspections"]>): ImageInspection {
  if (row.problem !== null) return { problem: row.problem };
  return {
    width: row.width ?? 0,
    height: row.height ?? 0,
    frames: row.frames ?? 1,
    hasAlpha: row.has_alpha === 1,
    hasMetadata: row.has_metadata === 1,
    canStripMetadata: row.is_standard === 1,
  };
}
