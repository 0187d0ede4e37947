import type { SharedFileStore } from "#domain/assets/ports.ts";
import { toReadyAsset, type AssetRow } from "./asset-row.ts";
import { statement, type Connection } from "./client.ts";

/** An update without a change locks the row on both engines: a deletion of the asset waits for the copy. */
const lockAssetQuery = statement<AssetRow>(
  "lock_asset_to_copy",
  `UPDATE assets SET change_count = change_count
    WHERE studio_id = $1 AND id = $2 AND status = 'ready' AND trashed_at IS NULL RETURNING *`,
);

const addAssetQuery = statement<never>(
  "add_asset_to_shared_file",
  `INSERT INTO shared_files (storage_key, studio_id, asset_count) VALUES ($1, $2, 2)
   ON CONFLICT (storage_key) DO UPDATE SET asset_count = shared_files.asset_count + 1`,
);

const removeAssetQuery = statement<{ asset_count: number }>(
  "remove_asset_from_shared_file",
  "UPDATE shared_files SET asset_count = asset_count - 1 WHERE storage_key = $1 RETURNING asset_count",
);

export function createSharedFileStore({ q, run }: Connection): SharedFileStore {
  return {
    async lockAsset(studioId, assetId) {
      const [row] = await run(lockAssetQuery, [studioId, assetId]);
      return row && toReadyAsset(row);
    },
    async addAsset({ storageKey, studioId }) {
      await run(addAssetQuery, [storageKey, studioId]);
    },
    async removeAsset(fileKey) {
      const [row] = await run(removeAssetQuery, [fileKey]);
      if (!row) return true; // never copied
      if (row.asset_count > 0) return false;
      await q.deleteFrom("shared_files").where("storage_key", "=", fileKey).execute();
      return true;
    },
    async listUsedKeys(fileKeys) {
      if (fileKeys.length === 0) return [];
      const rows = await q
        .selectFrom("assets")
        .select("storage_key")
        .distinct()
        .where("storage_key", "in", fileKeys)
        .execute();
      return rows.flatMap(({ storage_key: key }) => key ?? []);
    },
  };
}
