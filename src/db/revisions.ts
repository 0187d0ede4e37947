import type { Selectable } from "kysely";
import type { AssetChangeStore, AssetChangeWrites, RevisionStore, RevisionWrites } from "#domain/ports/history.ts";
import type { RevisionAsset } from "#domain/model/asset.ts";
import type { Revision } from "#domain/model/revision.ts";
import { revisableStates, sentBackCode } from "#domain/model/publication-states.ts";
import { selectRows, statement, type Connection } from "./database.ts";
import { keepWithinTextLength, textLength } from "./post-row.ts";
import { isNotCanceledSql } from "./publication-rows.ts";
import type { Schema } from "./schema.ts";
import { createChangedIdsList, listAssetSteps, listChangedFields, listRevisionSteps } from "./undo-steps.ts";

type RevisionRow = Selectable<Schema["postRevisions"]>;

/** Compares the post with its previous revision; a new post has none. */
const changedSql = (column: "title" | "body" | "status" | "variants" | "tags", initial: string): string =>
  `CASE WHEN COALESCE(r.${column}, '${initial}') = p.${column} THEN 0 ELSE 1 END`;
const isTrashedSql = "CASE WHEN p.trashed_at IS NULL THEN 0 ELSE 1 END";

const affectedSql = (postId: string): string => `EXISTS (SELECT 1 FROM publications q
      WHERE q.post_id = ${postId} AND q.state IN ('${revisableStates.join("', '")}') AND ${isNotCanceledSql("q")})
    AS has_publications,
  EXISTS (SELECT 1 FROM review_posts d WHERE d.post_id = ${postId} AND d.decision IS NOT NULL) AS has_reviews`;

/** A subquery, because with a join PostgreSQL may read all revisions of the post to find the previous one. */
const previousRevisionSql = (postId: string): string => `(SELECT revision - 1 FROM posts WHERE id = ${postId})`;

interface RecordedRow {
  /** Whether the change can affect publications of the post. */
  hasPublications: boolean;
  /** Whether guests have decided about the post. */
  hasReviews: boolean;
}

const insertRevisionQuery = statement<RecordedRow>(`
  INSERT INTO post_revisions (
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
  RETURNING ${affectedSql("$8")}`);

const insertAssetsQuery = statement<never>(`
  INSERT INTO post_revision_assets (post_id, revision, position, asset_id, kind, mime_type, filename, alt_text)
  SELECT p.id, p.revision, a.position, a.id, a.kind, a.mime_type, a.filename, a.alt_text
    FROM posts p JOIN assets a ON a.post_id = p.id
   WHERE p.id = $1 AND p.assets_revision = p.revision AND a.status = 'ready'`);

/**
 * An autosave changes only title, body and variants. It never replaces an approved revision, which may be the one that
 * was published, or one that was sent back or that a guest decided about, because the next is compared with it.
 */
const collapseAutosaveQuery = statement<RecordedRow>(`
  UPDATE post_revisions AS r
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
     AND NOT EXISTS (SELECT 1 FROM review_posts d WHERE d.post_id = r.post_id AND d.revision = r.revision)
  RETURNING ${affectedSql("$1")}`);

export function createRevisionStore(connection: Connection): RevisionStore & RevisionWrites {
  const { q, run } = connection;
  /** Lists the assets of revisions, by the number of the revision that stored them. */
  async function listAssets(postId: string, assetsRevisions: readonly number[]): Promise<Map<number, RevisionAsset[]>> {
    if (assetsRevisions.length === 0) return new Map();
    const rows = await selectRows(q, "postRevisionAssets", { postId })
      .selectAll()
      .where("revision", "in", [...new Set(assetsRevisions)])
      .orderBy("revision")
      .orderBy("position")
      .execute();
    const assetsByRevision = Map.groupBy(rows, (row) => row.revision);
    return new Map(
      [...assetsByRevision].map(([revision, assets]) => [
        revision,
        assets.map(({ assetId: id, kind, mimeType, filename, altText }) => ({ id, kind, mimeType, filename, altText })),
      ]),
    );
  }

  async function toRevisions(
    postId: string,
    rows: readonly (RevisionRow & { userName: string | null })[],
  ): Promise<Revision[]> {
    const assetsRevisions = rows.map((row) => row.assetsRevision);
    const assets = await listAssets(postId, assetsRevisions);
    return rows.map(({ assetsRevision, ...row }) => ({
      ...row,
      changed: listChangedFields(row),
      assets: assets.get(assetsRevision) ?? [],
    }));
  }

  const selectRevisions = () =>
    q
      .selectFrom("postRevisions as r")
      .leftJoin("users as u", "u.id", "r.userId")
      .select("u.name as userName")
      .selectAll("r");

  return {
    async record(postId, author, { collapseSince, haveAssetsChanged = false, restoredRevision } = {}) {
      if (collapseSince !== undefined) {
        const [collapsedRow] = await run(collapseAutosaveQuery, [postId, author.userId, collapseSince]);
        if (collapsedRow) return collapsedRow;
      }
      const { userId, grantId, clientId, clientName, undoId } = author;
      const values = [userId, grantId, clientId, clientName, undoId, collapseSince !== undefined];
      const [insertedRow] = await run(insertRevisionQuery, [...values, restoredRevision ?? null, postId]);
      if (haveAssetsChanged) await run(insertAssetsQuery, [postId]);
      return insertedRow ?? { hasPublications: false, hasReviews: false };
    },
    async list(postId, { before, limit, maxTextLength }) {
      const sizes = await selectRows(q, "postRevisions", { postId })
        .select(["revision", textLength.as("length")])
        .$if(before !== undefined, (revisions) => revisions.where("revision", "<", before!))
        .orderBy("revision", "desc")
        .limit(limit + 1)
        .execute();
      const page = keepWithinTextLength(sizes.slice(0, limit), maxTextLength);
      const oldest = page.at(-1);
      if (!oldest) return { revisions: [], hasMore: false };
      const rows = await selectRevisions()
        .where("r.postId", "=", postId)
        .where("r.revision", ">=", oldest.revision)
        .$if(before !== undefined, (revisions) => revisions.where("r.revision", "<", before!))
        .orderBy("r.revision", "desc")
        .execute();
      return { revisions: await toRevisions(postId, rows), hasMore: sizes.length > page.length };
    },
    async find(postId, revision) {
      const rows = await selectRevisions().where("r.postId", "=", postId).where("r.revision", "=", revision).execute();
      return (await toRevisions(postId, rows))[0];
    },
    listPostIds: createChangedIdsList(connection, "postRevisions"),
    listSteps: (postId, selection) => listRevisionSteps(q, postId, selection),
  };
}

export function createAssetChangeStore(connection: Connection): AssetChangeStore & AssetChangeWrites {
  const { q } = connection;
  return {
    async record({ id, studioId, changeCount }, at, author, changes) {
      if (changes.length === 0) return;
      await q
        .insertInto("assetChanges")
        .values(changes.map((change) => ({ ...change, assetId: id, change: changeCount, studioId, at, ...author })))
        .execute();
    },
    listAssetIds: createChangedIdsList(connection, "assetChanges"),
    listSteps: (assetId, selection) => listAssetSteps(q, assetId, selection),
  };
}
