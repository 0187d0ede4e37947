import { sql, type RawBuilder } from "kysely";
import type { Caller } from "#domain/caller.ts";
import type { Fixture } from "./engines.ts";
import { insertPosts } from "./hostile-posts.ts";

/** Tables that grow with the use of a studio, with the condition for the rows of one studio. */
const tables = {
  publications: "studio_id = $",
  assets: "studio_id = $",
  posts: "studio_id = $",
  postRevisions: "studio_id = $",
  postRevisionAssets: "post_id IN (SELECT id FROM posts WHERE studio_id = $)",
  comments: "studio_id = $",
  activity: "studio_id = $",
  sharedFiles: "studio_id = $",
  platformConnections: "studio_id = $",
  memberships: "studio_id = $",
  studios: "id = $",
};

/** The number of rows of each table that belong to the studio. */
export async function countStudioRows(
  { database }: Pick<Fixture, "database">,
  studioId: string,
): Promise<Record<keyof typeof tables, number>> {
  const columns = Object.entries(tables).map(
    ([table, condition]) =>
      sql`(SELECT count(*) FROM ${sql.table(table)} WHERE ${sql.join(
        condition.split("$").map((part) => sql.raw(part)),
        sql`${studioId}`,
      )}) AS ${sql.ref(table)}`,
  );
  const { rows } = await sql<Record<string, number | string>>`SELECT ${sql.join(columns)}`.execute(database.q);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)])) as never;
}

export const sumRows = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Numbers from 1 to `count`, as a subquery. */
export const numbers = (count: number): RawBuilder<unknown> =>
  sql`(WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${sql.lit(count)}) SELECT n FROM counter)`;

/**
 * Adds posts to a studio: each with three revisions, two activity rows, and one asset without a file. The first post has
 * `revisionCount` revisions and five hundred comments, which are replies except for the first.
 */
export async function fillStudio(
  fixture: Pick<Fixture, "database" | "deps">,
  owner: Caller,
  postCount: number,
  revisionCount = 1000,
): Promise<void> {
  const { q } = fixture.database;
  const studioId = owner.studio.id;
  const [firstPostId = ""] = await insertPosts(fixture, owner, postCount, (i) => ({ title: `Harbour ${i}` }));
  await sql`INSERT INTO post_revisions
      (post_id, revision, studio_id, at, title, body, status, trashed, assets_revision, title_changed, body_changed,
       status_changed, assets_changed, trashed_changed)
    SELECT p.id, r.n, p.studio_id, 0, p.title, '', 'draft', 0, 1, 0, 0, 0, 0, 0
      FROM posts p JOIN ${numbers(revisionCount)} r ON r.n <= CASE WHEN p.id = ${firstPostId} THEN ${sql.lit(revisionCount)} ELSE 3 END
     WHERE p.studio_id = ${studioId}`.execute(q);
  await sql`INSERT INTO activity (id, studio_id, action, subject_id, detail, at)
    SELECT 'act' || substr(p.id, 4) || n.n, p.studio_id, 'post.updated', p.id, '{}', 0
      FROM posts p CROSS JOIN ${numbers(2)} n WHERE p.studio_id = ${studioId}`.execute(q);
  await sql`INSERT INTO assets
      (id, studio_id, kind, mime_type, filename, status, bytes, version, storage_key, charged_bytes, search_text, created_by, created_at)
    SELECT 'ast' || substr(id, 4), studio_id, 'image', 'image/png', 'a.png', 'ready', 1, 'v',
           'files/ast' || substr(id, 4) || '.0a', 1, '', created_by, 0 FROM posts WHERE studio_id = ${studioId}`.execute(
    q,
  );
  const commentIds = Array.from({ length: 500 }, () => fixture.deps.newId("comment"));
  await q
    .insertInto("comments")
    .values(
      commentIds.map((id, i) => ({
        id,
        studioId,
        postId: firstPostId,
        parentId: i === 0 ? null : (commentIds[0] ?? ""),
        body: "Hello",
        createdAt: 0,
        changeCount: 0,
      })),
    )
    .execute();
}
