import type { Selectable } from "kysely";
import type { AssetChangeStore, Author, Revision, RevisionAsset, RevisionStore } from "#domain/history/ports.ts";
import type { Variant } from "#domain/posts/variant.ts";
import type { Crop } from "#domain/renditions/crop.ts";
import { sentBackCode } from "#domain/publishing/states.ts";
import { statement, type Connection } from "./database.ts";
import { keepWithinTextLength, textLength } from "./post-row.ts";
import type { Schema } from "./schema.ts";
import { parseTags } from "./search-index.ts";
import { createChangedIdsList, listAssetSteps, listChangedFields, listRevisionSteps } from "./undo-steps.ts";

type RevisionRow = Selectable<Schema["post_revisions"]>;

/** Compares the post with its previous revision; a new post has none. */
const changedSql = (column: "title" | "body" | "status" | "variants" | "tags", initial: string): string =>
  `CASE WHEN COALESCE(r.${column}, '${initial}') = p.${column} THEN 0 ELSE 1 END`;
const isTrashedSql = "CASE WHEN p.trashed_at IS NULL THEN 0 ELSE 1 END";

/** The states are `revisableStates` of revise-publications.ts. */
const hasRevisablePublicationsSql = (postId: string): string => `CASE WHEN EXISTS (SELECT 1 FROM publications q
      WHERE q.post_id = ${postId}
        AND q.state IN ('proposed', 'scheduled', 'preparing', 'committing', 'unconfirmed', 'missed')) THEN 1 ELSE 0 END
    AS has_publications`;

/** A subquery, because with a join PostgreSQL may read all revisions of the post to find the previous one. */
const previousRevisionSql = (postId: string): string => `(SELECT revision - 1 FROM posts WHERE id = ${postId})`;

interface RecordedRow {
  /** 1 if the change can affect publications of the post. */
  has_publications: number;
}

const insertRevisionQuery = statement<RecordedRow>(
  "insert_revision",
  `INSERT INTO post_revisions (
       post_id, revision, studio_id, at, user_id, grant_id, client_id, client_name, undo_id, autosave_start,
       restored_revision, title, body, status, variants, crops, tags, trashed, assets_revision,
       title_changed, body_changed, status_changed, variants_changed, tags_changed, assets_changed, trashed_changed)
   SELECT p.id, p.revision, p.studio_id, p.updated_at,
          CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT),
          CASE WHEN CAST($6 AS INTEGER) = 1 THEN p.updated_at END, CAST($7 AS INTEGER),
          p.title, p.body, p.status, p.variants, p.crops, p.tags, ${isTrashedSql}, p.assets_revision,
          ${changedSql("title", "")}, ${changedSql("body", "")}, ${changedSql("status", "draft")},
          ${changedSql("variants", "[]")}, ${changedSql("tags", "[]")},
          CASE WHEN p.assets_revision = p.revision AND r.post_id IS NOT NULL THEN 1 ELSE 0 END,
          CASE WHEN COALESCE(r.trashed, 0) = ${isTrashedSql} THEN 0 ELSE 1 END
     FROM posts p LEFT JOIN post_revisions r ON r.post_id = $8 AND r.revision = ${previousRevisionSql("$8")}
    WHERE p.id = $8
   RETURNING ${hasRevisablePublicationsSql("$8")}`,
);

const insertAssetsQuery = statement<never>(
  "insert_revision_assets",
  `INSERT INTO post_revision_assets (post_id, revision, position, asset_id, kind, mime_type, filename, alt_text)
   SELECT p.id, p.revision, a.position, a.id, a.kind, a.mime_type, a.filename, a.alt_text
     FROM posts p JOIN assets a ON a.post_id = p.id
    WHERE p.id = $1 AND p.assets_revision = p.revision AND a.status = 'ready'`,
);

/**
 * An autosave changes only title, body and variants. It never replaces an approved revision, which may be the one that
 * was published, or one that was sent back, because the next proposal is compared with it.
 */
const collapseAutosaveQuery = statement<RecordedRow>(
  "collapse_autosave",
  `UPDATE post_revisions AS r
      SET revision = p.revision, at = p.updated_at, title = p.title, body = p.body, variants = p.variants,
          variants_changed = CASE WHEN r.variants = p.variants THEN r.variants_changed ELSE 1 END,
          title_changed = CASE WHEN r.title = p.title THEN r.title_changed ELSE 1 END,
          body_changed = CASE WHEN r.body = p.body THEN r.body_changed ELSE 1 END
     FROM posts AS p
    WHERE p.id = $1 AND r.post_id = $1 AND r.revision = ${previousRevisionSql("$1")}
      AND r.user_id = $2 AND r.client_id IS NULL AND r.autosave_start > $3
      AND NOT EXISTS (
        SELECT 1 FROM publications q
         WHERE q.post_id = r.post_id
           AND (q.approved_revision = r.revision
                OR q.revision = r.revision AND q.problem_code = '${sentBackCode}'))
   RETURNING ${hasRevisablePublicationsSql("$1")}`,
);

export function createRevisionStore(connection: Connection): RevisionStore {
  const { q, run } = connection;
  /** Lists the assets of revisions, by the number of the revision that stored them. */
  async function listAssets(postId: string, assetsRevisions: readonly number[]): Promise<Map<number, RevisionAsset[]>> {
    if (assetsRevisions.length === 0) return new Map();
    const rows = await q
      .selectFrom("post_revision_assets")
      .selectAll()
      .where("post_id", "=", postId)
      .where("revision", "in", [...new Set(assetsRevisions)])
      .orderBy("revision")
      .orderBy("position")
      .execute();
    const assetsByRevision = Map.groupBy(rows, (row) => row.revision);
    return new Map(
      [...assetsByRevision].map(([revision, assets]) => [
        revision,
        assets.map((row) => ({
          id: row.asset_id,
          kind: row.kind,
          mimeType: row.mime_type,
          filename: row.filename,
          altText: row.alt_text,
        })),
      ]),
    );
  }

  async function toRevisions(
    postId: string,
    rows: readonly (RevisionRow & { user_name: string | null })[],
  ): Promise<Revision[]> {
    const assets = await listAssets(
      postId,
      rows.map((row) => row.assets_revision),
    );
    return rows.map((row) => ({
      revision: row.revision,
      at: row.at,
      userId: row.user_id,
      userName: row.user_name,
      grantId: row.grant_id,
      clientId: row.client_id,
      clientName: row.client_name,
      undoId: row.undo_id,
      restoredRevision: row.restored_revision,
      title: row.title,
      body: row.body,
      status: row.status,
      variants: JSON.parse(row.variants) as Variant[],
      tags: parseTags(row.tags),
      isTrashed: row.trashed === 1,
      changed: listChangedFields(row),
      assets: assets.get(row.assets_revision) ?? [],
      crops: JSON.parse(row.crops) as Crop[],
    }));
  }

  const selectRevisions = () =>
    q
      .selectFrom("post_revisions as r")
      .leftJoin("users as u", "u.id", "r.user_id")
      .selectAll("r")
      .select("u.name as user_name");

  return {
    async record(postId, author, { collapseSince, haveAssetsChanged = false, restoredRevision } = {}) {
      if (collapseSince !== undefined) {
        const [collapsedRow] = await run(collapseAutosaveQuery, [postId, author.userId, collapseSince]);
        if (collapsedRow) return collapsedRow.has_publications === 1;
      }
      const [insertedRow] = await run(insertRevisionQuery, [
        ...toAuthorValues(author),
        collapseSince === undefined ? 0 : 1,
        restoredRevision ?? null,
        postId,
      ]);
      if (haveAssetsChanged) await run(insertAssetsQuery, [postId]);
      return insertedRow?.has_publications === 1;
    },
    async list(postId, { before, limit, maxTextLength }) {
      const sizes = await q
        .selectFrom("post_revisions")
        .select(["revision", textLength.as("length")])
        .where("post_id", "=", postId)
        .$if(before !== undefined, (revisions) => revisions.where("revision", "<", before!))
        .orderBy("revision", "desc")
        .limit(limit + 1)
        .execute();
      const page = keepWithinTextLength(sizes.slice(0, limit), maxTextLength);
      const oldest = page.at(-1);
      if (!oldest) return { revisions: [], hasMore: false };
      const rows = await selectRevisions()
        .where("r.post_id", "=", postId)
        .where("r.revision", ">=", oldest.revision)
        .$if(before !== undefined, (revisions) => revisions.where("r.revision", "<", before!))
        .orderBy("r.revision", "desc")
        .execute();
      return { revisions: await toRevisions(postId, rows), hasMore: sizes.length > page.length };
    },
    async find(postId, revision) {
      const rows = await selectRevisions().where("r.post_id", "=", postId).where("r.revision", "=", revision).execute();
      return (await toRevisions(postId, rows))[0];
    },
    listPostIds: createChangedIdsList(connection, "post_revisions"),
    listSteps: (postId, selection) => listRevisionSteps(q, postId, selection),
  };
}

export function createAssetChangeStore(connection: Connection): AssetChangeStore {
  const { q } = connection;
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
    listAssetIds: createChangedIdsList(connection, "asset_changes"),
    listSteps: (assetId, selection) => listAssetSteps(q, assetId, selection),
  };
}

function toAuthorValues({ userId, grantId, clientId, clientName, undoId }: Author): (string | null)[] {
  return [userId, grantId, clientId, clientName, undoId];
}
