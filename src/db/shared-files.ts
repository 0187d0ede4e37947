import type { Asset } from "#domain/model/asset.ts";
import type { SharedFileStore, SharedFileWrites } from "#domain/ports/assets.ts";
import { assetColumnsSql, toReadyAsset } from "./asset-row.ts";
import { deleteRows, first, statement, type Connection } from "./database.ts";

/** An update that changes nothing locks the row on both engines, so a deletion of the asset waits for the copy. */
const lockAssetQuery = statement<Asset>(`
  UPDATE assets SET change_count = change_count
   WHERE studio_id = $1 AND id = $2 AND status = 'ready' AND trashed_at IS NULL RETURNING ${assetColumnsSql}`);

const incrementAssetCountQuery = statement<never>(`
  INSERT INTO shared_files (storage_key, studio_id, asset_count) VALUES ($1, $2, 2)
  ON CONFLICT (storage_key) DO UPDATE SET asset_count = shared_files.asset_count + 1`);

const decrementAssetCountQuery = statement<{ assetCount: number }>(
  "UPDATE shared_files SET asset_count = asset_count - 1 WHERE storage_key = $1 RETURNING asset_count",
);

/** A materialized subquery, so that the planner can't read all assets of the studio in the order of their ids. */
const listAssetsQuery = statement<{
  id: string;
  filename: string;
  postId: string | null;
  title: string | null;
}>(`
  WITH uses AS MATERIALIZED
    (SELECT id, studio_id, filename, post_id FROM assets WHERE storage_key = $1 AND trashed_at IS NULL)
  SELECT u.id, u.filename, u.post_id, p.title FROM uses u LEFT JOIN posts p ON p.id = u.post_id
   WHERE u.studio_id = $2 ORDER BY u.id DESC LIMIT $3`);

export function createSharedFileStore({ q, run }: Connection): SharedFileStore & SharedFileWrites {
  return {
    lockAsset: (studioId, assetId) => first(run(lockAssetQuery, [studioId, assetId]), toReadyAsset),
    async incrementAssetCount({ storageKey, studioId }) {
      await run(incrementAssetCountQuery, [storageKey, studioId]);
    },
    async decrementAssetCount(fileKey) {
      const [row] = await run(decrementAssetCountQuery, [fileKey]);
      if (!row) return true; // the file was never copied, so it had only this asset
      if (row.assetCount > 0) return false;
      await deleteRows(q, "sharedFiles", { storageKey: fileKey }).execute();
      return true;
    },
    async listAssets(studioId, fileKey, limit) {
      const rows = await run(listAssetsQuery, [fileKey, studioId, limit]);
      return rows.map(({ id, filename, postId, title }) => ({
        assetId: id,
        filename,
        post: postId === null ? null : { id: postId, title: title ?? "" },
      }));
    },
    async listUsedKeys(fileKeys) {
      if (fileKeys.length === 0) return [];
      const rows = await q
        .selectFrom("assets")
        .select("storageKey")
        .distinct()
        .where("storageKey", "in", fileKeys)
        .execute();
      return rows.flatMap(({ storageKey }) => storageKey ?? []);
    },
  };
}
