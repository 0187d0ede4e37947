import type { Post } from "#domain/posts/post.ts";
import type { PostChange, PostSearchFilter, PostStore } from "#domain/posts/ports.ts";
import { statement, type Connection } from "./database.ts";
import {
  isAtStageSql,
  keepWithinTextLength,
  postColumns as columns,
  textLength,
  toPost,
  type IndexedPostRow,
  type PostRow,
} from "./post-row.ts";
import { toTrashColumns } from "./trash.ts";
import { createUpdateBuilder, type UpdatePart } from "./update-builder.ts";
import { buildPostText, saveTokens, updateSearchText } from "./search-index.ts";
import { createSearchSource, createSearchPreparer } from "./search-source.ts";

const findPostQuery = statement<PostRow>(
  "find_post",
  `SELECT ${columns.join(", ")} FROM posts WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL`,
);

/**
 * One query for the post and its flags, because every read of a post needs both. Usually both flags are false, and the
 * caller then skips the queries for platforms and publications.
 */
const findPostWithDetailFlagsQuery = statement<PostRow & { has_platforms: number; has_publications: number }>(
  "find_post_with_detail_flags",
  `SELECT ${columns.map((column) => `p.${column}`).join(", ")}, CASE WHEN EXISTS (SELECT 1 FROM platform_connections c WHERE c.studio_id = p.studio_id AND c.state = 'connected')
               THEN 1 ELSE 0 END AS has_platforms,
          CASE WHEN EXISTS (SELECT 1 FROM publications u WHERE u.post_id = p.id) THEN 1 ELSE 0 END AS has_publications
     FROM posts p WHERE p.studio_id = $1 AND p.id = $2 AND p.trashed_at IS NULL`,
);

const findDetailFlagsQuery = statement<{ has_platforms: number; has_publications: number }>(
  "find_detail_flags",
  `SELECT CASE WHEN EXISTS (SELECT 1 FROM platform_connections WHERE studio_id = $1 AND state = 'connected')
               THEN 1 ELSE 0 END AS has_platforms,
          CASE WHEN EXISTS (SELECT 1 FROM publications WHERE post_id = $2) THEN 1 ELSE 0 END AS has_publications`,
);

const reservePositionQuery = statement<Pick<PostRow, "last_position">>(
  "reserve_position",
  `UPDATE posts SET asset_count = asset_count + 1, last_position = last_position + 1
    WHERE studio_id = $1 AND id = $2 AND asset_count < $3 AND trashed_at IS NULL RETURNING last_position`,
);

const releasePositionQuery = statement<Pick<PostRow, "id">>(
  "release_position",
  "UPDATE posts SET asset_count = asset_count - 1 WHERE studio_id = $1 AND id = $2 AND asset_count > 0 RETURNING id",
);

const incrementRevisionForAssetsQuery = statement<Pick<PostRow, "revision">>(
  "increment_revision_for_assets",
  `UPDATE posts SET revision = revision + 1, assets_revision = revision + 1, updated_at = $1
    WHERE studio_id = $2 AND id = $3 AND trashed_at IS NULL RETURNING revision`,
);

/** An update that changes nothing locks the row on both engines. */
const lockQuery = statement<PostRow>(
  "lock_post",
  `UPDATE posts SET last_position = last_position WHERE studio_id = $1 AND id = $2 AND trashed_at IS NULL
   RETURNING ${columns.join(", ")}`,
);

/** After this, the post can't be restored by a process whose clock is behind, either. */
const lockExpiredQuery = statement<Pick<PostRow, "id">>(
  "lock_expired_post",
  "UPDATE posts SET trash_expires_at = 0 WHERE id = $1 AND trash_expires_at <= $2 RETURNING id",
);

const allocatePositionNumbersQuery = statement<Pick<PostRow, "last_position">>(
  "allocate_position_numbers",
  "UPDATE posts SET last_position = last_position + $1 WHERE studio_id = $2 AND id = $3 RETURNING last_position",
);

const buildUpdate = createUpdateBuilder<IndexedPostRow>("posts");
const prepareSearch = createSearchPreparer("posts");

export function createPostStore(connection: Connection): PostStore {
  const { q, run } = connection;
  return {
    async insert(post) {
      const searchText = buildPostText(post);
      await q
        .insertInto("posts")
        .values({
          id: post.id,
          studio_id: post.studioId,
          title: post.title,
          body: post.body,
          status: post.status,
          revision: post.revision,
          tags: JSON.stringify(post.tags),
          search_text: searchText,
          search_indexed: 1,
          created_by: post.createdBy,
          created_client_name: post.createdByClientName,
          created_at: post.createdAt,
          updated_at: post.updatedAt,
        })
        .execute();
      await saveTokens(connection, "posts", { ...post, searchText }, true);
    },
    async find(studioId, postId) {
      const [row] = await run(findPostQuery, [studioId, postId]);
      return row && toPost(row);
    },
    async findDetailFlags(studioId, postId) {
      const [row] = await run(findDetailFlagsQuery, [studioId, postId]);
      return { hasPlatforms: row?.has_platforms === 1, hasPublications: row?.has_publications === 1 };
    },
    async findWithDetailFlags(studioId, postId) {
      const [row] = await run(findPostWithDetailFlagsQuery, [studioId, postId]);
      return (
        row && { post: toPost(row), hasPlatforms: row.has_platforms === 1, hasPublications: row.has_publications === 1 }
      );
    },
    async list(studioId, { status, before, limit, maxTextLength }) {
      const sizes = await q
        .selectFrom("posts")
        .select(["id", textLength.as("length")])
        .where("studio_id", "=", studioId)
        .where("trashed_at", "is", null)
        .$if(status !== undefined, (posts) => posts.where("status", "=", status!))
        .$if(before !== undefined, (posts) => posts.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      const page = keepWithinTextLength(sizes, maxTextLength);
      if (page.length === 0) return { items: [], scannedTo: undefined };
      const rows = await q
        .selectFrom("posts")
        .select(columns)
        .where("studio_id", "=", studioId)
        .where("trashed_at", "is", null)
        .where(
          "id",
          "in",
          page.map(({ id }) => id),
        )
        .orderBy("id", "desc")
        .execute();
      return { items: rows.map(toPost), scannedTo: page.length < sizes.length ? page.at(-1)?.id : undefined };
    },
    search: createSearchSource<IndexedPostRow, Post, PostSearchFilter>(
      connection,
      {
        table: "posts",
        columns,
        textColumns: ["title", "body", "variants"],
        listConditions: ({ statuses, createdBy, stage }, bind) => [
          ...(statuses ? [`t.status IN (${statuses.map(bind).join()})`] : []),
          ...(createdBy === undefined ? [] : [`t.created_by = ${bind(createdBy)}`]),
          ...(stage === undefined ? [] : [isAtStageSql("t.id", stage)]),
        ],
        buildText: (row) => buildPostText(toPost(row)),
        toItem: toPost,
      },
      prepareSearch,
    ),
    async reservePosition(studioId, postId, limit) {
      const [row] = await run(reservePositionQuery, [studioId, postId, limit]);
      return row?.last_position;
    },
    async releasePosition(studioId, postId) {
      return (await run(releasePositionQuery, [studioId, postId])).length > 0;
    },
    async incrementRevisionForAssets(studioId, postId, now) {
      const [row] = await run(incrementRevisionForAssetsQuery, [now, studioId, postId]);
      return row?.revision;
    },
    async allocatePositionNumbers(studioId, postId, count) {
      const [row] = await run(allocatePositionNumbersQuery, [count, studioId, postId]);
      return (row?.last_position ?? 0) - count + 1;
    },
    async update(studioId, postId, change, { revision, isTrashed = false, now }) {
      const conditions: UpdatePart[] = [
        ["studio_id =", studioId],
        ["id =", postId],
      ];
      // Only the sweeper may change a post whose time in the trash has expired.
      conditions.push(isTrashed ? ["trashed_at IS NOT NULL AND trash_expires_at >", now] : "trashed_at IS NULL");
      if (revision !== undefined) conditions.push(["revision =", revision]);
      const [row] = await run(...buildUpdate(listAssignments(change, now), conditions));
      if (!row) return undefined;
      const post = toPost(row);
      if (change.title === undefined && change.body === undefined && change.tags === undefined) return post;
      // A change may contain only one of the fields, so the search text is built from the updated row.
      const searchText = buildPostText(post);
      await updateSearchText(connection, "posts", { ...post, searchText }, row, change.tags !== undefined);
      return post;
    },
    async findWithTrash(studioId, postId, now) {
      const row = await q
        .selectFrom("posts")
        .select(columns)
        .where("studio_id", "=", studioId)
        .where("id", "=", postId)
        .where((eb) => eb.or([eb("trashed_at", "is", null), eb("trash_expires_at", ">", now)]))
        .executeTakeFirst();
      return row && toPost(row);
    },
    async lock(studioId, postId) {
      const [row] = await run(lockQuery, [studioId, postId]);
      return row && toPost(row);
    },
    async lockExpired(postId, now) {
      return (await run(lockExpiredQuery, [postId, now])).length > 0;
    },
    async remove(postId) {
      await q.deleteFrom("posts").where("id", "=", postId).execute();
    },
  };
}

function listAssignments(change: PostChange, now: number): UpdatePart[] {
  const { title, body, status, variants, crops, tags, trash, haveAssetsChanged = false } = change;
  const assignments: UpdatePart[] = ["revision = revision + 1", ["updated_at =", now]];
  if (title !== undefined) assignments.push(["title =", title]);
  if (body !== undefined) assignments.push(["body =", body]);
  if (status !== undefined)
    assignments.push(["status =", status], `ready_revision = ${status === "ready" ? "revision + 1" : "NULL"}`);
  if (variants !== undefined) assignments.push(["variants =", JSON.stringify(variants)]);
  if (crops !== undefined) assignments.push(["crops =", JSON.stringify(crops)]);
  if (tags !== undefined) assignments.push(["tags =", JSON.stringify(tags)]);
  if (trash !== undefined)
    assignments.push(...Object.entries(toTrashColumns(trash)).map(([name, value]): UpdatePart => [`${name} =`, value]));
  if (haveAssetsChanged) assignments.push("assets_revision = revision + 1");
  return assignments;
}
