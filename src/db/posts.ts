import type { Post } from "#domain/posts/post.ts";
import type { PostStore } from "#domain/posts/ports.ts";
import { normalizeForSearch } from "#domain/posts/search-posts.ts";
import { statement, type Connection } from "./client.ts";
import { columns, findMatches, listSizes, type PostRow } from "./post-search.ts";

const findPostQuery = statement<PostRow>(
  "find_post",
  `SELECT ${columns.join(", ")} FROM posts WHERE studio_id = $1 AND id = $2`,
);

/** Also returns whether the studio has connected platforms. Most have none, which saves the query for them. */
const findPostWithPlatformStatusQuery = statement<PostRow & { has_platforms: number }>(
  "find_post_with_platform_status",
  `SELECT ${columns.map((column) => `p.${column}`).join(", ")}, CASE WHEN EXISTS (SELECT 1 FROM platform_connections c WHERE c.studio_id = p.studio_id AND c.state = 'connected')
               THEN 1 ELSE 0 END AS has_platforms
     FROM posts p WHERE p.studio_id = $1 AND p.id = $2`,
);

const reservePositionQuery = statement<Pick<PostRow, "last_position">>(
  "reserve_position",
  `UPDATE posts SET asset_count = asset_count + 1, last_position = last_position + 1, revision = revision + 1, updated_at = $1
    WHERE studio_id = $2 AND id = $3 AND asset_count < $4 RETURNING last_position`,
);

const releasePositionQuery = statement<Pick<PostRow, "id">>(
  "release_position",
  `UPDATE posts SET asset_count = asset_count - 1, revision = revision + 1, updated_at = $1
    WHERE studio_id = $2 AND id = $3 AND asset_count > 0 RETURNING id`,
);

const bumpRevisionQuery = statement<Pick<PostRow, "id">>(
  "bump_post_revision",
  "UPDATE posts SET revision = revision + 1, updated_at = $1 WHERE studio_id = $2 AND id = $3 RETURNING id",
);

const allocatePositionsQuery = statement<Pick<PostRow, "last_position">>(
  "allocate_positions",
  "UPDATE posts SET last_position = last_position + $1 WHERE studio_id = $2 AND id = $3 RETURNING last_position",
);

export function createPostStore({ q, run }: Connection): PostStore {
  return {
    async insert(post) {
      await q
        .insertInto("posts")
        .values({
          id: post.id,
          studio_id: post.studioId,
          title: post.title,
          body: post.body,
          status: post.status,
          revision: post.revision,
          search_text: buildSearchText(post),
          created_by: post.createdBy,
          created_at: post.createdAt,
          updated_at: post.updatedAt,
        })
        .execute();
    },
    async find(studioId, postId) {
      const [row] = await run(findPostQuery, [studioId, postId]);
      return row && toPost(row);
    },
    async findWithPlatformStatus(studioId, postId) {
      const [row] = await run(findPostWithPlatformStatusQuery, [studioId, postId]);
      return row && { post: toPost(row), hasPlatforms: row.has_platforms === 1 };
    },
    async list(studioId, { status, before, limit }) {
      const rows = await q
        .selectFrom("posts")
        .select(columns)
        .where("studio_id", "=", studioId)
        .$if(status !== undefined, (posts) => posts.where("status", "=", status!))
        .$if(before !== undefined, (posts) => posts.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toPost);
    },
    listSizes: (studioId, filter) => listSizes(run, studioId, filter),
    findMatches: async (studioId, range, query, limit) =>
      (await findMatches(run, studioId, range, query, limit)).map(toPost),
    async reservePosition(studioId, postId, limit, now) {
      const [row] = await run(reservePositionQuery, [now, studioId, postId, limit]);
      return row?.last_position;
    },
    async releasePosition(studioId, postId, now) {
      return (await run(releasePositionQuery, [now, studioId, postId])).length > 0;
    },
    async bumpRevision(studioId, postId, now) {
      return (await run(bumpRevisionQuery, [now, studioId, postId])).length > 0;
    },
    async allocatePositions(studioId, postId, count) {
      const [row] = await run(allocatePositionsQuery, [count, studioId, postId]);
      return (row?.last_position ?? 0) - count + 1;
    },
    async update(studioId, postId, change, revision, now) {
      const row = await q
        .updateTable("posts")
        .set((set) => ({ ...change, revision: set("revision", "+", 1), updated_at: now }))
        .where("studio_id", "=", studioId)
        .where("id", "=", postId)
        .$if(revision !== undefined, (posts) => posts.where("revision", "=", revision!))
        .returningAll()
        .executeTakeFirst();
      if (!row) return undefined;
      const searchText = buildSearchText(row);
      // A change may contain only the title or only the body, so the search text is built from the updated row.
      if (searchText !== row.search_text)
        await q.updateTable("posts").set({ search_text: searchText }).where("id", "=", postId).execute();
      return toPost(row);
    },
  };
}

function buildSearchText({ title, body }: Pick<Post, "title" | "body">): string {
  return normalizeForSearch(`${title} ${body}`, "text");
}

function toPost(row: PostRow): Post {
  return {
    id: row.id,
    studioId: row.studio_id,
    title: row.title,
    body: row.body,
    status: row.status,
    revision: row.revision,
    assetCount: row.asset_count,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
