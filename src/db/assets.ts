import type { Asset } from "#domain/model/asset.ts";
import type { AssetFilter, AssetStore, AssetWrites, ConfirmedFile, UploadClaimStore } from "#domain/ports/assets.ts";
import { assetColumns, assetColumnsSql, toReadyAsset } from "./asset-row.ts";
import {
  changesRow,
  deleteRows,
  execute,
  first,
  selectRows,
  statement,
  updateRows,
  type Connection,
} from "./database.ts";
import { buildAssetText, saveTokens, updateSearchText, type SearchState } from "./search-index.ts";
import { createSearchSource } from "./search-source.ts";
import { toTrashColumns } from "./trash.ts";

const findAssetQuery = statement<Asset>(
  `SELECT ${assetColumnsSql} FROM assets WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL`,
);

const findWithTrashQuery = statement<Asset>(`SELECT ${assetColumnsSql} FROM assets WHERE studio_id = $1 AND id = $2`);

const listByPostQuery = statement<Asset>(`SELECT ${assetColumnsSql} FROM assets WHERE post_id = $1 ORDER BY position`);

const attachQuery = statement<Asset>(`
  UPDATE assets SET post_id = $1, position = $2, change_count = change_count + 1
   WHERE studio_id = $3 AND id = $4 AND status = 'ready' AND post_id IS NULL AND trashed_at IS NULL RETURNING ${assetColumnsSql}`);

const detachQuery = statement<Asset>(`
  UPDATE assets SET post_id = NULL, position = NULL, change_count = change_count + 1
   WHERE studio_id = $1 AND id = $2 AND post_id = $3 AND status = 'ready' RETURNING ${assetColumnsSql}`);

const confirmAndAttachQuery = statement<Asset>(`
  UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
         width = $4, height = $5, duration_ms = $6, post_id = $7, position = $8, change_count = change_count + 1
   WHERE id = $9 AND status = 'pending' AND storage_key = $10 AND source_version = $11 RETURNING ${assetColumnsSql}`);

const confirmUploadedQuery = statement<Asset & SearchState>(`
  UPDATE assets SET status = 'ready', bytes = $1, charged_bytes = $1, version = $2, sha256 = $3,
         width = $4, height = $5, duration_ms = $6, kind = $7, mime_type = $8, filename = $9,
         change_count = change_count + 1
   WHERE id = $10 AND status = 'pending' AND COALESCE(post_id, '') = $11 AND storage_key = $12 AND source_version = $13
     AND filename = $14 AND charged_bytes = $15
   RETURNING ${assetColumnsSql}, search_text, search_indexed`);

const chargeQuery = statement<{ id: string }>(
  "UPDATE studios SET used_bytes = used_bytes + $1 WHERE id = $2 AND used_bytes + $1 <= $3 RETURNING id",
);

export function createAssetStore(connection: Connection): AssetStore & AssetWrites & UploadClaimStore {
  const { q, run } = connection;
  /** Updates the search index after an update that returned `row`. */
  const updateText = (row: Asset & SearchState, haveTagsChanged: boolean): Promise<void> =>
    updateSearchText(connection, "assets", { ...row, searchText: buildAssetText(row) }, row, haveTagsChanged);
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
      selectRows(q, "assets", { studioId })
        .select(assetColumns)
        .$if(withTrash !== true, (assets) => assets.where("trashedAt", "is", null))
        .$if(unattached === true, (assets) => assets.where("postId", "is", null))
        .$if(unattached === false, (assets) => assets.where("postId", "is not", null))
        .$if(kind !== undefined, (assets) => assets.where("kind", "=", kind!))
        .$if(before !== undefined, (assets) => assets.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    search: createSearchSource<Asset, Pick<AssetFilter, "unattached" | "kind">>(connection, {
      table: "assets",
      columns: assetColumnsSql,
      textColumns: ["filename", "alt_text"],
      listConditions: ({ unattached, kind }, bind) => [
        ...(unattached === undefined ? [] : [`t.post_id IS ${unattached ? "" : "NOT "}NULL`]),
        ...(kind === undefined ? [] : [`t.kind = ${bind(kind)}`]),
      ],
      buildText: buildAssetText,
    }),
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
      updateRows(
        q,
        "assets",
        { id: assetId, status: "pending", storageKey: previousKey },
        { storageKey, sourceVersion },
      ).$call(changesRow),
    confirmAndAttach(assetId, { storageKey, sourceVersion }, file, { postId, position }) {
      const params = [...toFileValues(file), postId, position, assetId, storageKey, sourceVersion];
      return first(run(confirmAndAttachQuery, params), toReadyAsset);
    },
    async confirmUploaded(asset, file) {
      const { id, postId, storageKey, sourceVersion, filename, chargedBytes } = asset;
      const values = [...toFileValues(file), file.kind, file.mimeType, file.filename];
      const conditions = [id, postId ?? "", storageKey, sourceVersion, filename, chargedBytes];
      const [row] = await run(confirmUploadedQuery, [...values, ...conditions]);
      if (row && file.filename !== filename) await updateText(row, false);
      return row && toReadyAsset(row);
    },
    attach: (studioId, assetId, { postId, position }) =>
      first(run(attachQuery, [postId, position, studioId, assetId]), toReadyAsset),
    detach: (studioId, assetId, postId) => first(run(detachQuery, [studioId, assetId, postId]), toReadyAsset),
    async setPositions(postId, positions) {
      for (const { assetId, position } of positions)
        await updateRows(q, "assets", { id: assetId, postId }, { position }).execute();
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
        await updateText(row, tags !== undefined);
      return row;
    },
    setTrashOfPostAssets: (postId, trash) => updateRows(q, "assets", { postId }, toTrashColumns(trash)).$call(execute),
    remove: ({ id, status, postId, storageKey, chargedBytes, trashExpiresAt }) =>
      deleteRows(q, "assets", { id, status, postId, storageKey, chargedBytes, trashExpiresAt }).$call(changesRow),
    changeCharge: (id, from, to) =>
      updateRows(q, "assets", { id, status: "pending", chargedBytes: from }, { chargedBytes: to }).$call(changesRow),
    charge: async (studioId, bytes, limit) =>
      (await run(chargeQuery, [bytes, studioId, limit ?? Number.MAX_SAFE_INTEGER])).length > 0,
    async getUsedBytes(studioId) {
      const row = await q.selectFrom("studios").select("usedBytes").where("id", "=", studioId).executeTakeFirst();
      return row?.usedBytes ?? 0;
    },
    hasReadyAssets: async () =>
      (await selectRows(q, "assets", { status: "ready" }).select("id").limit(1).execute()).length > 0,
    listExpired: (latestExpiry, exceptStudioIds, limit) =>
      selectRows(q, "assets", { status: "pending" })
        .select(assetColumns)
        .where("uploadExpiresAt", "<=", latestExpiry)
        .$if(exceptStudioIds.length > 0, (list) => list.where("studioId", "not in", exceptStudioIds))
        .orderBy("uploadExpiresAt")
        .limit(limit)
        .execute(),
    listStored: (after, limit) =>
      selectRows(q, "assets", { status: "ready" })
        .select(["id", "studioId", "storageKey", "bytes", "version"])
        .where("id", ">", after)
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
