import type { AssetStore } from "#domain/assets/ports.ts";
import { toAsset, toAssetRow, toReadyAsset, type AssetRow } from "./asset-row.ts";
import { statement, type Connection } from "./database.ts";
import { createAssetSearch, updateAssetText } from "./asset-search.ts";
import { saveTokens } from "./search-index.ts";
import { toTrashColumns } from "./trash.ts";

const findAssetQuery = statement<AssetRow>(
  "find_asset",
  "SELECT * FROM assets WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL",
);

const findWithTrashQuery = statement<AssetRow>(
  "find_asset_with_trash",
  "SELECT * FROM assets WHERE studio_id = $1 AND id = $2",
);

const listByPostQuery = statement<AssetRow>(
  "list_assets_of_post",
  "SELECT * FROM assets WHERE post_id = $1 ORDER BY position",
);

const attachQuery = statement<AssetRow>(
  "attach_asset",
  `UPDATE assets SET post_id = $1, position = $2, change_count = change_count + 1
    WHERE studio_id = $3 AND id = $4 AND status = 'ready' AND post_id IS NULL AND trashed_at IS NULL RETURNING *`,
);

const detachQuery = statement<AssetRow>(
  "detach_asset",
  `UPDATE assets SET post_id = NULL, position = NULL, change_count = change_count + 1
    WHERE studio_id = $1 AND id = $2 AND post_id = $3 AND status = 'ready' RETURNING *`,
);

const confirmAndAttachQuery = statement<AssetRow>(
  "confirm_and_attach_asset",
  `UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
          width = $4, height = $5, duration_ms = $6, post_id = $7, position = $8, change_count = change_count + 1
    WHERE id = $9 AND status = 'pending' AND storage_key = $10 AND source_version = $11 RETURNING *`,
);

const confirmUploadedQuery = statement<AssetRow>(
  "confirm_uploaded_asset",
  `UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
          width = $4, height = $5, duration_ms = $6, kind = $7, mime_type = $8, filename = $9,
          change_count = change_count + 1
    WHERE id = $10 AND status = 'pending' AND COALESCE(post_id, '') = $11 AND storage_key = $12 AND source_version = $13
      AND filename = $14 AND charged_bytes = $15
    RETURNING *`,
);

const chargeQuery = statement<Pick<AssetRow, "id">>(
  "charge_studio",
  "UPDATE studios SET used_bytes = used_bytes + $1 WHERE id = $2 AND used_bytes + $1 <= $3 RETURNING id",
);

export function createAssetStore(connection: Connection): AssetStore {
  const { q, run } = connection;
  return {
    async insert(asset) {
      const row = toAssetRow(asset);
      await q.insertInto("assets").values(row).execute();
      await saveTokens(connection, "assets", { ...asset, searchText: row.search_text }, true);
    },
    async find(studioId, assetId) {
      const [row] = await run(findAssetQuery, [studioId, assetId]);
      return row && toAsset(row);
    },
    async findWithTrash(studioId, assetId) {
      const [row] = await run(findWithTrashQuery, [studioId, assetId]);
      return row && toAsset(row);
    },
    async list(studioId, { unattached, kind, withTrash, before, limit }) {
      const rows = await q
        .selectFrom("assets")
        .selectAll()
        .where("studio_id", "=", studioId)
        .$if(withTrash !== true, (assets) => assets.where("trashed_at", "is", null))
        .$if(unattached === true, (assets) => assets.where("post_id", "is", null))
        .$if(unattached === false, (assets) => assets.where("post_id", "is not", null))
        .$if(kind !== undefined, (assets) => assets.where("kind", "=", kind!))
        .$if(before !== undefined, (assets) => assets.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toAsset);
    },
    search: createAssetSearch(connection),
    async listByPosts(postIds) {
      if (postIds.length === 0) return [];
      if (postIds.length === 1) return (await run(listByPostQuery, [postIds[0]])).map(toAsset);
      const rows = await q
        .selectFrom("assets")
        .selectAll()
        .where("post_id", "in", postIds)
        .orderBy("post_id")
        .orderBy("position")
        .execute();
      return rows.map(toAsset);
    },
    async claim(assetId, previousKey, { storageKey, sourceVersion }) {
      const { numUpdatedRows } = await q
        .updateTable("assets")
        .set({ storage_key: storageKey, source_version: sourceVersion })
        .where("id", "=", assetId)
        .where("status", "=", "pending")
        .where("storage_key", previousKey === null ? "is" : "=", previousKey)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async confirmAndAttach(
      assetId,
      { storageKey, sourceVersion },
      { bytes, version, sha256, width, height, durationMs },
      { postId, position },
    ) {
      const fileColumns = [bytes, version, sha256, width, height, durationMs];
      const [row] = await run(confirmAndAttachQuery, [
        ...fileColumns,
        postId,
        position,
        assetId,
        storageKey,
        sourceVersion,
      ]);
      return row && toReadyAsset(row);
    },
    async confirmUploaded(asset, confirmedFile) {
      const { bytes, version, sha256, width, height, durationMs, kind, mimeType, filename } = confirmedFile;
      const values = [bytes, version, sha256, width, height, durationMs, kind, mimeType, filename];
      const conditions = [
        asset.id,
        asset.postId ?? "",
        asset.storageKey,
        asset.sourceVersion,
        asset.filename,
        asset.chargedBytes,
      ];
      const [row] = await run(confirmUploadedQuery, [...values, ...conditions]);
      if (row && filename !== asset.filename) await updateAssetText(connection, row, false);
      return row && toReadyAsset(row);
    },
    async attach(studioId, assetId, { postId, position }) {
      const [row] = await run(attachQuery, [postId, position, studioId, assetId]);
      return row && toReadyAsset(row);
    },
    async detach(studioId, assetId, postId) {
      const [row] = await run(detachQuery, [studioId, assetId, postId]);
      return row && toReadyAsset(row);
    },
    async setPositions(postId, positions) {
      for (const { assetId, position } of positions) {
        await q
          .updateTable("assets")
          .set({ position })
          .where("id", "=", assetId)
          .where("post_id", "=", postId)
          .execute();
      }
    },
    async update({ id, postId, changeCount, trashExpiresAt }, { altText, filename, tags, trash }, now) {
      const row = await q
        .updateTable("assets")
        .set({
          ...(altText === undefined ? {} : { alt_text: altText }),
          ...(filename === undefined ? {} : { filename }),
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
          ...(trash === undefined ? {} : toTrashColumns(trash)),
          change_count: changeCount + 1,
        })
        .where("id", "=", id)
        .where("post_id", postId === null ? "is" : "=", postId)
        .where("change_count", "=", changeCount)
        .where("trash_expires_at", trashExpiresAt === null ? "is" : "=", trashExpiresAt)
        // Only the sweeper may change an asset whose time in the trash has expired.
        .$if(trashExpiresAt !== null, (assets) => assets.where("trash_expires_at", ">", now))
        .$if(trash !== undefined, (assets) => assets.where("status", "=", "ready").where("post_id", "is", null))
        .returningAll()
        .executeTakeFirst();
      if (row && (altText !== undefined || filename !== undefined || tags !== undefined))
        await updateAssetText(connection, row, tags !== undefined);
      return row && toAsset(row);
    },
    async setTrashOfPostAssets(postId, trash) {
      await q.updateTable("assets").set(toTrashColumns(trash)).where("post_id", "=", postId).execute();
    },
    async remove({ id, status, postId, storageKey, chargedBytes, trashExpiresAt }) {
      const { numDeletedRows } = await q
        .deleteFrom("assets")
        .where("id", "=", id)
        .where("status", "=", status)
        .where("post_id", postId === null ? "is" : "=", postId)
        .where("storage_key", storageKey === null ? "is" : "=", storageKey)
        .where("charged_bytes", "=", chargedBytes)
        .where("trash_expires_at", trashExpiresAt === null ? "is" : "=", trashExpiresAt)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async changeCharge(assetId, from, to) {
      const { numUpdatedRows } = await q
        .updateTable("assets")
        .set({ charged_bytes: to })
        .where("id", "=", assetId)
        .where("status", "=", "pending")
        .where("charged_bytes", "=", from)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async charge(studioId, bytes, limit) {
      return (await run(chargeQuery, [bytes, studioId, limit ?? Number.MAX_SAFE_INTEGER])).length > 0;
    },
    async getUsedBytes(studioId) {
      const row = await q.selectFrom("studios").select("used_bytes").where("id", "=", studioId).executeTakeFirst();
      return row?.used_bytes ?? 0;
    },
    async hasReadyAssets() {
      return (await q.selectFrom("assets").select("id").where("status", "=", "ready").limit(1).execute()).length > 0;
    },
    async listExpired(latestExpiry, limit) {
      const rows = await q
        .selectFrom("assets")
        .selectAll()
        .where("status", "=", "pending")
        .where("upload_expires_at", "<=", latestExpiry)
        .orderBy("upload_expires_at")
        .limit(limit)
        .execute();
      return rows.map(toAsset);
    },
    async listStored(after, limit) {
      return q
        .selectFrom("assets")
        .select(["id", "studio_id as studioId", "storage_key as storageKey", "bytes", "version"])
        .where("id", ">", after)
        .where("status", "=", "ready")
        .orderBy("id")
        .limit(limit)
        .execute();
    },
    async findInAllStudios(assetIds) {
      if (assetIds.length === 0) return [];
      return q
        .selectFrom("assets")
        .select(["id", "status", "storage_key as storageKey", "trash_expires_at as trashExpiresAt"])
        .where("id", "in", assetIds)
        .execute();
    },
  };
}
