import type { Selectable } from "kysely";
import { maxUploadDuration } from "#domain/uploads/upload-link.ts";
import type { UploadFile, UploadLink, UploadStore } from "#domain/uploads/ports.ts";
import type { PostStatus } from "#domain/posts/post.ts";
import type { Role } from "#domain/policy.ts";
import { toAsset, type AssetRow } from "./asset-row.ts";
import { statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

type LinkRow = Schema["upload_links"];

interface FileCounts {
  pending_files: number;
  ready_files: number;
}

const buildFileCountSql = (status: string, alias: string): string =>
  `(SELECT CAST(COUNT(*) AS INTEGER) FROM upload_files f JOIN assets a ON a.id = f.asset_id WHERE f.link_id = l.id AND a.status = '${status}') AS ${alias}`;
const fileCountsSql = `${buildFileCountSql("pending", "pending_files")}, ${buildFileCountSql("ready", "ready_files")}`;

interface ResolvedLinkRow extends LinkRow, FileCounts {
  studio_name: string;
  post_title: string | null;
  post_status: PostStatus | null;
  post_asset_count: number | null;
  creator_name: string;
  creator_email: string | null;
  creator_role: Role | null;
  grant_revoked_at: number | null;
}

/** Runs for every request from the upload page. */
const findLinkQuery = statement<ResolvedLinkRow>(
  "find_upload_link",
  `SELECT l.*, s.name AS studio_name, p.title AS post_title, p.status AS post_status,
          p.asset_count AS post_asset_count, u.name AS creator_name,
          u.email AS creator_email, m.role AS creator_role, g.revoked_at AS grant_revoked_at, ${fileCountsSql}
     FROM upload_links l
     JOIN studios s ON s.id = l.studio_id AND s.deleted_at IS NULL
     LEFT JOIN posts p ON p.id = l.post_id
     JOIN users u ON u.id = l.created_by
     LEFT JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by AND u.disabled_at IS NULL
     LEFT JOIN grants g ON g.id = l.grant_id
    WHERE l.id = $1`,
);

/** The links of a post (`$1`) that are open at a time (`$2`). */
const openLinksSql = `FROM upload_links l
     JOIN users u ON u.id = l.created_by
     JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by
     JOIN posts p ON p.id = l.post_id AND p.status <> 'archived'
     LEFT JOIN grants g ON g.id = l.grant_id
    WHERE l.post_id = $1 AND l.expires_at > $2 AND l.withdrawn_at IS NULL AND g.revoked_at IS NULL`;

const listLinksQuery = statement<LinkRow & FileCounts & { creator_name: string }>(
  "list_upload_links",
  `SELECT l.*, u.name AS creator_name, ${fileCountsSql} ${openLinksSql} AND l.studio_id = $3 AND l.in_place = 0
    ORDER BY l.id DESC LIMIT $4`,
);

const countLinksQuery = statement<{ count: number }>(
  "count_open_upload_links",
  `SELECT CAST(COUNT(*) AS INTEGER) AS count ${openLinksSql}`,
);

type FileRow = AssetRow &
  Pick<Selectable<Schema["upload_files"]>, "part_bytes" | "received_bytes" | "part_at" | "counted_at"> & {
    file_bytes: number;
  };
const selectFilesSql = `SELECT a.*, f.bytes AS file_bytes, f.part_bytes, f.received_bytes, f.part_at, f.counted_at
     FROM upload_files f JOIN assets a ON a.id = f.asset_id`;
const findFileByHashQuery = statement<FileRow>(
  "find_upload_by_hash",
  `${selectFilesSql} WHERE f.link_id = $1 AND f.file_hash = $2`,
);
const findFileQuery = statement<FileRow>(
  "find_upload_file",
  `${selectFilesSql} WHERE f.link_id = $1 AND f.asset_id = $2`,
);
const countFilesQuery = statement<{ count: number }>(
  "count_upload_files",
  "SELECT CAST(COUNT(*) AS INTEGER) AS count FROM upload_files WHERE link_id = $1",
);
const listFilesQuery = statement<FileRow>("list_upload_files", `${selectFilesSql} WHERE f.link_id = $1 ORDER BY a.id`);

const listDueForCountingQuery = statement<FileRow>(
  "list_uploads_due_for_counting",
  `${selectFilesSql}
    WHERE a.status = 'pending' AND f.counted_at <= $1 AND (a.charged_bytes > f.received_bytes OR f.part_at > $2)
    ORDER BY f.counted_at LIMIT $3`,
);

const sumReservedBytesQuery = statement<{ reserved_bytes: number }>(
  "sum_reserved_upload_bytes",
  `SELECT CAST(COALESCE(SUM(a.charged_bytes - f.received_bytes), 0) AS BIGINT) AS reserved_bytes
     FROM upload_files f JOIN assets a ON a.id = f.asset_id
    WHERE f.link_id = $1 AND a.id <> $2 AND a.status = 'pending' AND a.charged_bytes > f.received_bytes`,
);

const listAbandonedQuery = statement<AssetRow>(
  "list_abandoned_uploads",
  `SELECT a.* FROM assets a
     JOIN upload_files f ON f.asset_id = a.id
     JOIN upload_links l ON l.id = f.link_id
     LEFT JOIN posts p ON p.id = l.post_id
     LEFT JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by
     LEFT JOIN grants g ON g.id = l.grant_id
    WHERE a.status = 'pending'
      AND (l.withdrawn_at IS NOT NULL OR g.revoked_at IS NOT NULL OR m.user_id IS NULL OR p.status = 'archived')
    ORDER BY a.id LIMIT $1`,
);

export function createUploadStore({ q, run }: Connection): UploadStore {
  const withdrawLinks = (now: number) =>
    q
      .updateTable("upload_links")
      .set({ withdrawn_at: now })
      .where("withdrawn_at", "is", null)
      .where("expires_at", ">", now - maxUploadDuration);

  return {
    async insertLink(link) {
      await q.insertInto("upload_links").values(toLinkRow(link)).execute();
    },
    async findLink(linkId) {
      const [row] = await run(findLinkQuery, [linkId]);
      return (
        row && {
          ...toLink(row),
          studioName: row.studio_name,
          postTitle: row.post_title,
          postStatus: row.post_status,
          postAssetCount: row.post_asset_count ?? 0,
          creator: { id: row.created_by, name: row.creator_name, email: row.creator_email },
          creatorRole: row.creator_role,
          isGrantRevoked: row.grant_revoked_at !== null,
          pendingFileCount: row.pending_files,
          readyFileCount: row.ready_files,
        }
      );
    },
    async listLinks(studioId, postId, now, limit) {
      const rows = await run(listLinksQuery, [postId, now, studioId, limit]);
      return rows.map((row) => ({
        ...toLink(row),
        creatorName: row.creator_name,
        pendingFileCount: row.pending_files,
        readyFileCount: row.ready_files,
      }));
    },
    async countOpenLinks(postId, now) {
      return (await run(countLinksQuery, [postId, now]))[0]?.count ?? 0;
    },
    async withdraw(studioId, postId, linkId, now) {
      const { numUpdatedRows } = await withdrawLinks(now)
        .where("id", "=", linkId)
        .where("studio_id", "=", studioId)
        .where("post_id", "=", postId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async withdrawForPost(postId, now) {
      await withdrawLinks(now).where("post_id", "=", postId).execute();
    },
    async withdrawForUser(userId, now) {
      const { numUpdatedRows } = await withdrawLinks(now).where("created_by", "=", userId).executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async insertFile(linkId, fileHash, { assetId, bytes, partBytes }, now) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("upload_files")
        .values({
          asset_id: assetId,
          link_id: linkId,
          file_hash: fileHash,
          bytes,
          part_bytes: partBytes,
          part_at: now,
          counted_at: now,
        })
        .onConflict((conflict) => conflict.columns(["link_id", "file_hash"]).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async findFileByHash(linkId, fileHash) {
      const [row] = await run(findFileByHashQuery, [linkId, fileHash]);
      return row && toFile(row);
    },
    async findFile(linkId, assetId) {
      const [row] = await run(findFileQuery, [linkId, assetId]);
      return row && toFile(row);
    },
    async countFiles(linkId) {
      return (await run(countFilesQuery, [linkId]))[0]?.count ?? 0;
    },
    async listFiles(linkId) {
      return (await run(listFilesQuery, [linkId])).map(toFile);
    },
    async sumReservedBytesForUpdate(linkId, exceptAssetId = "") {
      // Two statements: a sum inside the update would miss what other transactions commit while it waits for the lock.
      await q
        .updateTable("upload_links")
        .set(({ ref }) => ({ withdrawn_at: ref("withdrawn_at") }))
        .where("id", "=", linkId)
        .execute();
      return (await run(sumReservedBytesQuery, [linkId, exceptAssetId]))[0]?.reserved_bytes ?? 0;
    },
    async recordReceived(assetId, { receivedBytes, lastPartAt, countedAt }) {
      await q
        .updateTable("upload_files")
        .set({ received_bytes: receivedBytes, part_at: lastPartAt, counted_at: countedAt })
        .where("asset_id", "=", assetId)
        .execute();
    },
    async listDueForCounting({ countedBefore, activeSince, limit }) {
      return (await run(listDueForCountingQuery, [countedBefore, activeSince, limit])).map(toFile);
    },
    async listAbandoned(limit) {
      return (await run(listAbandonedQuery, [limit])).map(toAsset);
    },
  };
}

function toFile(row: FileRow): UploadFile {
  return {
    asset: toAsset(row),
    bytes: row.file_bytes,
    partBytes: row.part_bytes,
    receivedBytes: row.received_bytes,
    lastPartAt: row.part_at,
    countedAt: row.counted_at,
  };
}

function toLinkRow(link: UploadLink): LinkRow {
  return {
    id: link.id,
    studio_id: link.studioId,
    post_id: link.postId,
    created_by: link.createdBy,
    grant_id: link.grantId,
    client_id: link.clientId,
    client_name: link.clientName,
    in_place: Number(link.isInPlace),
    created_at: link.createdAt,
    expires_at: link.expiresAt,
    withdrawn_at: link.withdrawnAt,
  };
}

function toLink(row: LinkRow): UploadLink {
  return {
    id: row.id,
    studioId: row.studio_id,
    postId: row.post_id,
    createdBy: row.created_by,
    grantId: row.grant_id,
    clientId: row.client_id,
    clientName: row.client_name,
    isInPlace: row.in_place === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    withdrawnAt: row.withdrawn_at,
  };
}
