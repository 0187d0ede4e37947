import type { Asset } from "#domain/model/asset.ts";
import { maxUploadDuration } from "#domain/uploads/upload-link.ts";
import type { ListedLink, ResolvedLink, UploadFile, UploadLink } from "#domain/model/upload.ts";
import type { UploadStore } from "#domain/ports/uploads.ts";
import { assetColumns } from "./asset-row.ts";
import { listColumns } from "./columns.ts";
import { changesRow, countChangedRows, execute, first, statement, updateRows, type Connection } from "./database.ts";

const buildFileCountSql = (status: string, alias: string): string =>
  `(SELECT CAST(COUNT(*) AS INTEGER) FROM upload_files f JOIN assets a ON a.id = f.asset_id WHERE f.link_id = l.id AND a.status = '${status}') AS ${alias}`;
const fileCountsSql = `${buildFileCountSql("pending", "pending_file_count")}, ${buildFileCountSql("ready", "ready_file_count")}`;

type ResolvedLinkRow = Omit<ResolvedLink, "creator"> & { creatorName: string; creatorEmail: string | null };

/** Runs for every request from the upload page. */
const findLinkQuery = statement<ResolvedLinkRow>(`
  SELECT s.name AS studio_name, p.title AS post_title, p.status AS post_status,
         COALESCE(p.asset_count, 0) AS post_asset_count, u.name AS creator_name, u.email AS creator_email,
         m.role AS creator_role, g.revoked_at IS NOT NULL AS is_grant_revoked,
         ${fileCountsSql}, l.*
    FROM upload_links l
    JOIN studios s ON s.id = l.studio_id AND s.deleted_at IS NULL
    LEFT JOIN posts p ON p.id = l.post_id
    JOIN users u ON u.id = l.created_by
    LEFT JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by AND u.disabled_at IS NULL
    LEFT JOIN grants g ON g.id = l.grant_id
   WHERE l.id = $1`);

/** The links of a post (`$1`) that are open at a time (`$2`). */
const openLinksSql = `FROM upload_links l
     JOIN users u ON u.id = l.created_by
     JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by
     JOIN posts p ON p.id = l.post_id AND p.status <> 'archived'
     LEFT JOIN grants g ON g.id = l.grant_id
    WHERE l.post_id = $1 AND l.expires_at > $2 AND l.withdrawn_at IS NULL AND g.revoked_at IS NULL`;

const listLinksQuery = statement<ListedLink>(`
  SELECT u.name AS creator_name, ${fileCountsSql}, l.* ${openLinksSql} AND l.studio_id = $3 AND l.in_place = 0
   ORDER BY l.id DESC LIMIT $4`);

const countLinksQuery = statement<{ count: number }>(`SELECT CAST(COUNT(*) AS INTEGER) AS count ${openLinksSql}`);

const countAppUploadsQuery = statement<{ count: number }>(`
  SELECT CAST(COUNT(*) AS INTEGER) AS count ${openLinksSql}
     AND l.created_by = $3 AND l.in_place = 1 AND l.client_id IS NOT NULL`);

type FileRow = Asset & Omit<UploadFile, "asset" | "bytes"> & { fileBytes: number };
const selectFilesSql = `SELECT ${listColumns(assetColumns, "a")}, f.bytes AS file_bytes, f.part_bytes, f.received_bytes, f.part_at, f.counted_at
     FROM upload_files f JOIN assets a ON a.id = f.asset_id`;
const findFileByHashQuery = statement<FileRow>(`${selectFilesSql} WHERE f.link_id = $1 AND f.file_hash = $2`);
const findFileQuery = statement<FileRow>(`${selectFilesSql} WHERE f.link_id = $1 AND f.asset_id = $2`);
const countFilesQuery = statement<{ count: number }>(
  "SELECT CAST(COUNT(*) AS INTEGER) AS count FROM upload_files WHERE link_id = $1",
);
const listFilesQuery = statement<FileRow>(`${selectFilesSql} WHERE f.link_id = $1 ORDER BY a.id`);

const listDueForCountingQuery = statement<FileRow>(`
  ${selectFilesSql}
   WHERE a.status = 'pending' AND f.counted_at <= $1 AND (a.charged_bytes > f.received_bytes OR f.part_at > $2)
   ORDER BY f.counted_at LIMIT $3`);

const sumReservedBytesQuery = statement<{ reservedBytes: number }>(`
  SELECT CAST(COALESCE(SUM(a.charged_bytes - f.received_bytes), 0) AS BIGINT) AS reserved_bytes
    FROM upload_files f JOIN assets a ON a.id = f.asset_id
   WHERE f.link_id = $1 AND a.id <> $2 AND a.status = 'pending' AND a.charged_bytes > f.received_bytes`);

const listAbandonedQuery = statement<Asset>(`
  SELECT ${listColumns(assetColumns, "a")} FROM assets a
    JOIN upload_files f ON f.asset_id = a.id
    JOIN upload_links l ON l.id = f.link_id
    LEFT JOIN posts p ON p.id = l.post_id
    LEFT JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by
    LEFT JOIN grants g ON g.id = l.grant_id
   WHERE a.status = 'pending' AND a.id > $1
     AND (l.withdrawn_at IS NOT NULL OR g.revoked_at IS NOT NULL OR m.user_id IS NULL OR p.status = 'archived')
   ORDER BY a.id LIMIT $2`);

export function createUploadStore({ q, run }: Connection): UploadStore {
  const withdrawLinks = (match: Partial<UploadLink>, now: number) =>
    updateRows(q, "uploadLinks", { ...match, withdrawnAt: null }, { withdrawnAt: now }).where(
      "expiresAt",
      ">",
      now - maxUploadDuration,
    );

  return {
    async insertLink(link) {
      await q.insertInto("uploadLinks").values(link).execute();
    },
    findLink: (linkId) =>
      first(run(findLinkQuery, [linkId]), ({ creatorName: name, creatorEmail: email, ...link }) => ({
        ...link,
        creator: { id: link.createdBy, name, email },
      })),
    listLinks: (studioId, postId, now, limit) => run(listLinksQuery, [postId, now, studioId, limit]),
    countOpenLinks: async (postId, now) => (await run(countLinksQuery, [postId, now]))[0]?.count ?? 0,
    countOpenAppUploads: async (postId, now, userId) =>
      (await run(countAppUploadsQuery, [postId, now, userId]))[0]?.count ?? 0,
    withdraw: (studioId, postId, linkId, now) => withdrawLinks({ id: linkId, studioId, postId }, now).$call(changesRow),
    withdrawForPost: (postId, now) => withdrawLinks({ postId }, now).$call(execute),
    withdrawForUser: (userId, now) => withdrawLinks({ createdBy: userId }, now).$call(countChangedRows),
    insertFile: (linkId, fileHash, { assetId, bytes, partBytes }, now) =>
      q
        .insertInto("uploadFiles")
        .values({ assetId, linkId, fileHash, bytes, partBytes, lastPartAt: now, countedAt: now })
        .onConflict((conflict) => conflict.columns(["linkId", "fileHash"]).doNothing())
        .$call(changesRow),
    findFileByHash: (linkId, fileHash) => first(run(findFileByHashQuery, [linkId, fileHash]), toFile),
    findFile: (linkId, assetId) => first(run(findFileQuery, [linkId, assetId]), toFile),
    countFiles: async (linkId) => (await run(countFilesQuery, [linkId]))[0]?.count ?? 0,
    listFiles: async (linkId) => (await run(listFilesQuery, [linkId])).map(toFile),
    async sumReservedBytesForUpdate(linkId, exceptAssetId = "") {
      // Two statements: a sum inside the update would miss what other transactions commit while it waits for the lock.
      await updateRows(q, "uploadLinks", { id: linkId }, ({ ref }) => ({ withdrawnAt: ref("withdrawnAt") })).execute();
      return (await run(sumReservedBytesQuery, [linkId, exceptAssetId]))[0]?.reservedBytes ?? 0;
    },
    recordReceived: (assetId, count) => updateRows(q, "uploadFiles", { assetId }, count).$call(execute),
    listDueForCounting: async ({ countedBefore, activeSince, limit }) =>
      (await run(listDueForCountingQuery, [countedBefore, activeSince, limit])).map(toFile),
    listAbandoned: (afterId, limit) => run(listAbandonedQuery, [afterId, limit]),
  };
}

function toFile({ fileBytes, partBytes, receivedBytes, lastPartAt, countedAt, ...asset }: FileRow): UploadFile {
  return { asset, bytes: fileBytes, partBytes, receivedBytes, lastPartAt, countedAt };
}
