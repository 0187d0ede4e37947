import type { Selectable } from "kysely";
import type { ImageInspection } from "#domain/model/renditions/plan-rendition.ts";
import type { ImageInspectionStore } from "#domain/ports/media.ts";
import { changesRow, selectRows, statement, updateRows, type Connection } from "./database.ts";
import type { ImageTraits, Schema } from "./schema.ts";

/** Has no effect if the asset was deleted in the meantime, or if another process has recorded its inspection. */
const recordQuery = statement<never>(`
  INSERT INTO image_inspections (asset_id, problem, width, height, frames, has_alpha, has_metadata, is_standard)
  SELECT id, CAST($2 AS TEXT), CAST($3 AS INTEGER), CAST($4 AS INTEGER), CAST($5 AS INTEGER), CAST($6 AS INTEGER),
         CAST($7 AS INTEGER), CAST($8 AS INTEGER)
    FROM assets WHERE id = $1
  ON CONFLICT (asset_id) DO NOTHING`);

const copyQuery = statement<never>(`
  INSERT INTO image_inspections (asset_id, problem, width, height, frames, has_alpha, has_metadata, is_standard)
  SELECT CAST($1 AS TEXT), problem, width, height, frames, has_alpha, has_metadata, is_standard
    FROM image_inspections WHERE asset_id = $2`);

export function createImageInspectionStore({ q, run }: Connection): ImageInspectionStore {
  return {
    async list(assetIds) {
      if (assetIds.length === 0) return new Map();
      const rows = await q.selectFrom("imageInspections").selectAll().where("assetId", "in", assetIds).execute();
      return new Map(rows.map((row) => [row.assetId, toInspection(row)]));
    },
    async record(assetId, inspection) {
      await run(recordQuery, [assetId, ...toValues(inspection)]);
    },
    async recordPreview(assetId, key, maxCount) {
      for (;;) {
        const row = await selectRows(q, "imageInspections", { assetId }).select("previews").executeTakeFirst();
        if (!row) return [];
        const keys = [...(JSON.parse(row.previews) as string[]).filter((other) => other !== key), key];
        const previews = JSON.stringify(keys.slice(-maxCount));
        const update = updateRows(q, "imageInspections", { assetId, previews: row.previews }, { previews });
        // Without an updated row, another request has changed the list since it was read: try again.
        if (await changesRow(update)) return keys.slice(0, -maxCount);
      }
    },
    async copy(fromAssetId, toAssetId) {
      await run(copyQuery, [toAssetId, fromAssetId]);
    },
  };
}

function toValues(inspection: ImageInspection): (string | number | boolean | null)[] {
  if ("problem" in inspection) return [inspection.problem, null, null, null, null, null, null];
  const { width, height, frames, hasAlpha, hasMetadata, canStripMetadata } = inspection;
  return [null, width, height, frames, hasAlpha, hasMetadata, canStripMetadata];
}

/** A constraint of the table ensures that a row without a problem has all traits. */
function toInspection(row: Selectable<Schema["imageInspections"]>): ImageInspection {
  const { problem, assetId: _, previews: __, ...traits } = row;
  return problem === null ? (traits as ImageTraits) : { problem };
}
