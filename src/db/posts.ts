import type { Post } from "#domain/model/post.ts";
import type { DetailFlags, LockablePostStore, PostChange, PostSearchFilter, PostWrites } from "#domain/ports/posts.ts";
import { deleteRows, execute, selectRows, statement, type Connection } from "./database.ts";
import {
  isAtStageSql,
  keepWithinTextLength,
  postColumns,
  postColumnsSql,
  rankReview,
  reviewStateSql,
  textLength,
} from "./post-row.ts";
import { toTrashColumns } from "./trash.ts";
import { assign, buildUpdate, type UpdatePart } from "./update-builder.ts";
import { buildPostText, commentTextSql, saveTokens, updatePostText } from "./search-index.ts";
import { createSearchSource } from "./search-source.ts";

const findPostQuery = statement<Post>(
  `SELECT ${postColumnsSql} FROM posts WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL`,
);

/**
 * One query for the post and its flags, because every read of a post needs both. Usually both flags are false, and the
 * caller then skips the queries for platforms and publications.
 */
const findPostWithDetailFlagsQuery = statement<Post & DetailFlags>(`
  SELECT ${postColumnsSql},
         EXISTS (SELECT 1 FROM platform_connections c WHERE c.studio_id = p.studio_id AND c.state = 'connected') AS has_platforms,
         EXISTS (SELECT 1 FROM publications u WHERE u.post_id = p.id) AS has_publications
    FROM posts p WHERE p.studio_id = $1 AND p.id = $2 AND p.trashed_at IS NULL`);

const findDetailFlagsQuery = statement<DetailFlags>(`
  SELECT EXISTS (SELECT 1 FROM platform_connections WHERE studio_id = $1 AND state = 'connected') AS has_platforms,
         EXISTS (SELECT 1 FROM publications WHERE post_id = $2) AS has_publications`);

const reservePositionQuery = statement<{ lastPosition: number }>(`
  UPDATE posts SET asset_count = asset_count + 1, last_position = last_position + 1
   WHERE studio_id = $1 AND id = $2 AND asset_count < $3 AND trashed_at IS NULL RETURNING last_position`);

const releasePositionQuery = statement<{ id: string }>(
  "UPDATE posts SET asset_count = asset_count - 1 WHERE studio_id = $1 AND id = $2 AND asset_count > 0 RETURNING id",
);

/** An update that changes nothing locks the row on both engines. */
const lockQuery = statement<Post>(`
  UPDATE posts SET last_position = last_position WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL
  RETURNING ${postColumnsSql}`);

/** After this, the post can't be restored by a process whose clock is behind, either. */
const lockExpiredQuery = statement<{ id: string }>(
  "UPDATE posts SET trash_expires_at = 0 WHERE id = $1 AND trash_expires_at <= $2 RETURNING id",
);

const allocatePositionNumbersQuery = statement<{ lastPosition: number }>(
  "UPDATE posts SET last_position = last_position + $1 WHERE studio_id = $2 AND id = $3 RETURNING last_position",
);

export function createPostStore(connection: Connection): LockablePostStore & PostWrites {
  const { q, run } = connection;
  return {
    async insert({ isTrashed: _, ...post }) {
      const row = { ...post, searchText: buildPostText(post) };
      await q
        .insertInto("posts")
        .values({ ...row, searchIndexed: true })
        .execute();
      await saveTokens(connection, "posts", row, true);
    },
    find: async (studioId, postId) => (await run(findPostQuery, [studioId, postId]))[0],
    findDetailFlags: async (studioId, postId) => (await run(findDetailFlagsQuery, [studioId, postId]))[0]!,
    async findWithDetailFlags(studioId, postId) {
      const [post] = await run(findPostWithDetailFlagsQuery, [studioId, postId]);
      return post && { post, hasPlatforms: post.hasPlatforms, hasPublications: post.hasPublications };
    },
    async list(studioId, { status, before, limit, maxTextLength }) {
      const sizes = await selectRows(q, "posts", { studioId, trashedAt: null })
        .select(["id", textLength.as("length")])
        .$if(status !== undefined, (posts) => posts.where("status", "=", status!))
        .$if(before !== undefined, (posts) => posts.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      const ids = keepWithinTextLength(sizes, maxTextLength).map(({ id }) => id);
      if (ids.length === 0) return { items: [], scannedTo: undefined };
      const rows = await selectRows(q, "posts", { studioId, trashedAt: null })
        .select(postColumns)
        .where("id", "in", ids)
        .orderBy("id", "desc")
        .execute();
      return { items: rows, scannedTo: ids.length < sizes.length ? ids.at(-1) : undefined };
    },
    search: createSearchSource<Post, PostSearchFilter>(connection, {
      table: "posts",
      columns: postColumnsSql,
      textColumns: ["title", "body", "variants"],
      listConditions: ({ statuses, createdBy, stage, review }, bind) => [
        ...(statuses ? [`t.status IN (${statuses.map(bind).join()})`] : []),
        ...(createdBy === undefined ? [] : [`t.created_by = ${bind(createdBy)}`]),
        ...(stage === undefined ? [] : [isAtStageSql("t.id", stage)]),
        ...(review ? [`${reviewStateSql("t.id", bind(review.now))} = ${rankReview(review.state)}`] : []),
      ],
      unindexedTextSql: commentTextSql("t.id"),
      buildText: (post, commentText) => buildPostText({ ...post, commentText }),
    }),
    async reservePosition(studioId, postId, limit) {
      const [row] = await run(reservePositionQuery, [studioId, postId, limit]);
      return row?.lastPosition;
    },
    releasePosition: async (studioId, postId) => (await run(releasePositionQuery, [studioId, postId])).length > 0,
    async allocatePositionNumbers(studioId, postId, count) {
      const [row] = await run(allocatePositionNumbersQuery, [count, studioId, postId]);
      return (row?.lastPosition ?? 0) - count + 1;
    },
    async update(studioId, postId, change, { revision, isTrashed = false, now }) {
      const conditions: UpdatePart[] = [
        ["studio_id =", studioId],
        ["id =", postId],
      ];
      // Only the sweeper may change a post whose time in the trash has expired.
      conditions.push(isTrashed ? ["trashed_at IS NOT NULL AND trash_expires_at >", now] : "trashed_at IS NULL");
      if (revision !== undefined) conditions.push(["revision =", revision]);
      const assignments = listAssignments(change, now);
      const [post] = await run(...buildUpdate<Post>("posts", postColumnsSql, assignments, conditions));
      if (!post) return undefined;
      const { title, body, tags, variants } = change;
      if ([title, body, tags, variants].some((value) => value !== undefined))
        await updatePostText(connection, postId, tags !== undefined);
      return post;
    },
    findWithTrash: (studioId, postId, now) =>
      selectRows(q, "posts", { studioId, id: postId })
        .select(postColumns)
        .where((eb) => eb.or([eb("trashedAt", "is", null), eb("trashExpiresAt", ">", now)]))
        .executeTakeFirst(),
    lock: async (studioId, postId) => (await run(lockQuery, [studioId, postId]))[0],
    lockExpired: async (postId, now) => (await run(lockExpiredQuery, [postId, now])).length > 0,
    remove: (postId) => deleteRows(q, "posts", { id: postId }).$call(execute),
  };
}

function listAssignments({ trash, haveAssetsChanged, ...fields }: PostChange, now: number): UpdatePart[] {
  const assignments = ["revision = revision + 1", ...assign({ updatedAt: now, ...fields })];
  const { status } = fields;
  if (status !== undefined) assignments.push(`ready_revision = ${status === "ready" ? "revision + 1" : "NULL"}`);
  if (trash !== undefined) assignments.push(...assign(toTrashColumns(trash)));
  if (haveAssetsChanged === true) assignments.push("assets_revision = revision + 1");
  return assignments;
}
