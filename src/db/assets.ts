import type { Asset } from "#domain/model/asset.ts";
import type { AssetStore, AssetWrites, ConfirmedFile, UploadClaimStore } from "#domain/ports/assets.ts";
import { assetColumns, assetColumnsSql, toReadyAsset } from "./asset-row.ts";
import { changesRow, statement, type Connection } from "./database.ts";
import { createAssetSearch, updateAssetText } from "./asset-search.ts";
import { buildAssetText, saveTokens, type SearchState } from "./search-index.ts";
import { toTrashColumns } from "./trash.ts";

const findAssetQuery = statement<Asset>(
  "find_asset",
  `SELECT ${assetColumnsSql} FROM assets WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL`,
);

const findWithTrashQuery = statement<Asset>(
  "find_asset_with_trash",
  `SELECT ${assetColumnsSql} FROM assets WHERE studio_id = $1 AND id = $2`,
);

const listByPostQuery = statement<Asset>(
  "list_assets_of_post",
  `SELECT ${assetColumnsSql} FROM assets WHERE post_id = $1 ORDER BY position`,
);

const attachQuery = statement<Asset>(
  "attach_asset",
  `UPDATE assets SET post_id = $1, position = $2, change_count = change_count + 1
    WHERE studio_id = $3 AND id = $4 AND status = 'ready' AND post_id IS NULL AND trashed_at IS NULL RETURNING ${assetColumnsSql}`,
);

const detachQuery = statement<Asset>(
  "detach_asset",
  `UPDATE assets SET post_id = NULL, position = NULL, change_count = change_count + 1
    WHERE studio_id = $1 AND id = $2 AND post_id = $3 AND status = 'ready' RETURNING ${assetColumnsSql}`,
);

const confirmAndAttachQuery = statement<Asset>(
  "confirm_and_attach_asset",
  `UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
          width = $4, height = $5, duration_ms = $6, post_id = $7, position = $8, change_count = change_count + 1
    WHERE id = $9 AND status = 'pending' AND storage_key = $10 AND source_version = $11 RETURNING ${assetColumnsSql}`,
);

const confirmUploadedQuery = statement<Asset & SearchState>(
  "confirm_uploaded_asset",
  `UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
          width = $4, height = $5, duration_ms = $6, kind = $7, mime_type = $8, filename = $9,
          change_count = change_count + 1
    WHERE id = $10 AND status = 'pending' AND COALESCE(post_id, '') = $11 AND storage_key = $12 AND source_version = $13
      AND filename = $14 AND charged_bytes = $15
    RETURNING ${assetColumnsSql}, search_text, search_indexed`,
);

const chargeQuery = statement<{ id: string }>(
  "charge_studio",
  "UPDATE studios SET used_bytes = used_bytes + $1 WHERE id = $2 AND used_bytes + $1 <= $3 RETURNING id",
);

export function createAssetStore(connection: Connection): AssetStore & AssetWrites & UploadClaimStore {
  const { q, run } = connection;
  return {
    async insert(asset) {
      const row = { ...asset, searchText: buildAssetText(asset) };
      await q
        .insertInto("assets")
        .values({ ...row, searchIndexed: true })
        .execute();
      await saveTokens(connection, "assets", row, true);
    },
    find: async (studioId, assetId) => (await run(findAssetQuery, [studioId, assetId]))[0],
    findWithTrash: async (studioId, assetId) => (await run(findWithTrashQuery, [studioId, assetId]))[0],
    list: (studioId, { unattached, kind, withTrash, before, limit }) =>
      q
        .selectFrom("assets")
        .select(assetColumns)
        .where("studioId", "=", studioId)
        .$if(withTrash !== true, (assets) => assets.where("trashedAt", "is", null))
        .$if(unattached === true, (assets) => assets.where("postId", "is", null))
        .$if(unattached === false, (assets) => assets.where("postId", "is not", null))
        .$if(kind !== undefined, (assets) => assets.where("kind", "=", kind!))
        .$if(before !== undefined, (assets) => assets.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    search: createAssetSearch(connection),
    async listByPosts(postIds) {
      if (postIds.length === 0) return [];
      if (postIds.length === 1) return run(listByPostQuery, [postIds[0]]);
      return q
        .selectFrom("assets")
        .select(assetColumns)
        .where("postId", "in", postIds)
        .orderBy("postId")
        .orderBy("position")
        .execute();
    },
    claim: (assetId, previousKey, { storageKey, sourceVersion }) =>
      q
        .updateTable("assets")
        .set({ storageKey, sourceVersion })
        .where((eb) => eb.and({ id: assetId, status: "pending", storageKey: previousKey }))
        .$call(changesRow),
    async confirmAndAttach(assetId, { storageKey, sourceVersion }, file, { postId, position }) {
      const conditions = [assetId, storageKey, sourceVersion];
      const [row] = await run(confirmAndAttachQuery, [...toFileValues(file), postId, position, ...conditions]);
      return row && toReadyAsset(row);
    },
    async confirmUploaded(asset, file) {
      const { id, postId, storageKey, sourceVersion, filename, chargedBytes } = asset;
      const values = [...toFileValues(file), file.kind, file.mimeType, file.filename];
      const conditions = [id, postId ?? "", storageKey, sourceVersion, filename, chargedBytes];
      const [row] = await run(confirmUploadedQuery, [...values, ...conditions]);
      if (row && file.filename !== filename) await updateAssetText(connection, row, false);
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
          .where((eb) => eb.and({ id: assetId, postId }))
          .execute();
      }
    },
    async update({ id, postId, changeCount, trashExpiresAt }, { altText, filename, tags, trash }, now) {
      const row = await q
        .updateTable("assets")
        .set({
          altText,
          filename,
          tags,
          ...(trash === undefined ? {} : toTrashColumns(trash)),
          changeCount: changeCount + 1,
        })
        .where((eb) => eb.and({ id, postId, changeCount, trashExpiresAt }))
        // Only the sweeper may change an asset whose time in the trash has expired.
        .$if(trashExpiresAt !== null, (assets) => assets.where("trashExpiresAt", ">", now))
        .$if(trash !== undefined, (assets) => assets.where("status", "=", "ready").where("postId", "is", null))
        .returning([...assetColumns, "searchText", "searchIndexed"])
        .executeTakeFirst();
      if (row && (altText !== undefined || filename !== undefined || tags !== undefined))
        await updateAssetText(connection, row, tags !== undefined);
      return row;
    },
    async setTrashOfPostAssets(postId, trash) {
      await q.updateTable("assets").set(toTrashColumns(trash)).where("postId", "=", postId).execute();
    },
    remove: ({ id, status, postId, storageKey, chargedBytes, trashExpiresAt }) =>
      q
        .deleteFrom("assets")
        .where((eb) => eb.and({ id, status, postId, storageKey, chargedBytes, trashExpiresAt }))
        .$call(changesRow),
    changeCharge: (assetId, from, to) =>
      q
        .updateTable("assets")
        .set({ chargedBytes: to })
        .where((eb) => eb.and({ id: assetId, status: "pending", chargedBytes: from }))
        .$call(changesRow),
    charge: async (studioId, bytes, limit) =>
      (await run(chargeQuery, [bytes, studioId, limit ?? Number.MAX_SAFE_INTEGER])).length > 0,
    async getUsedBytes(studioId) {
      const row = await q.selectFrom("studios").select("usedBytes").where("id", "=", studioId).executeTakeFirst();
      return row?.usedBytes ?? 0;
    },
    hasReadyAssets: async () =>
      (await q.selectFrom("assets").select("id").where("status", "=", "ready").limit(1).execute()).length > 0,
    listExpired: (latestExpiry, exceptStudioIds, limit) =>
      q
        .selectFrom("assets")
        .select(assetColumns)
        .where("status", "=", "pending")
        .where("uploadExpiresAt", "<=", latestExpiry)
        .$if(exceptStudioIds.length > 0, (list) => list.where("studioId", "not in", exceptStudioIds))
        .orderBy("uploadExpiresAt")
        .limit(limit)
        .execute(),
    listStored: (after, limit) =>
      q
        .selectFrom("assets")
        .select(["id", "studioId", "storageKey", "bytes", "version"])
        .where("id", ">", after)
        .where("status", "=", "ready")
        .orderBy("id")
        .limit(limit)
        .execute(),
    async findInAllStudios(assetIds) {
      if (assetIds.length === 0) return [];
      return q
        .selectFrom("assets")
        .select(["id", "status", "storageKey", "trashExpiresAt"])
        .where("id", "in", assetIds)
        .execute();
    },
  };
}

const toFileValues = ({ bytes, version, sha256, width, height, durationMs }: ConfirmedFile): unknown[] => [
  bytes,
  version,
  sha256,
  width,
  height,
  durationMs,
];
