import { sql, type RawBuilder } from "kysely";
import type { PostStatus } from "#domain/model/post.ts";
import {
  excerptLength,
  maxSummaryAssets,
  type SummaryAsset,
  type SummaryPublication,
} from "#domain/model/post-summary.ts";
import { postReviewStates } from "#domain/model/review.ts";
import type { PostSummaryFilter, PostSummaryStore } from "#domain/ports/post-summaries.ts";
import { openStates, sentBackCode } from "#domain/model/publication-states.ts";
import type { Connection } from "./database.ts";
import { isAtStageSql, rankReview, reviewStateSql } from "./post-row.ts";
import { toAccount, type AccountColumns } from "./publication-rows.ts";

export function createPostSummaryStore({ q }: Connection): PostSummaryStore {
  return {
    async listIds(studioId, filter) {
      const condition = findCondition(filter);
      if (condition) return listMatchingIds(q, studioId, filter, condition);
      return (await selectNewest(studioId, filter).execute(q)).rows;
    },
    async listScheduledIds(studioId, { statuses, createdBy, after, limit }) {
      const { rows } = await sql<{ id: string; at: number }>`
        SELECT p.id, s.at
          FROM (SELECT post_id, min(coalesce(scheduled_for, 0)) AS at FROM publications
                 WHERE studio_id = ${studioId} AND state IN (${sql.join(openStates)}) GROUP BY post_id) AS s
          JOIN posts p ON p.id = s.post_id
         WHERE p.status IN (${sql.join(statuses)}) AND p.trashed_at IS NULL
           ${createdBy === undefined ? sql`` : sql`AND p.created_by = ${createdBy}`}
           ${after ? sql`AND (s.at > ${after.at} OR (s.at = ${after.at} AND p.id < ${after.id}))` : sql``}
         ORDER BY s.at, p.id DESC LIMIT ${limit}`.execute(q);
      return rows;
    },
    async count(studioId, filter) {
      const condition = findCondition(filter);
      if (condition) return (await listMatchingIds(q, studioId, filter, condition)).length;
      const { rows } = await sql<{ count: number }>`
        SELECT count(*) AS count FROM (${selectCandidates(studioId, filter)}) AS candidates`.execute(q);
      return Math.min(rows[0]?.count ?? 0, filter.limit);
    },
    async listByIds(studioId, postIds, now) {
      if (postIds.length === 0) return [];
      const [posts, assets, publications] = await Promise.all([
        q
          .selectFrom("posts as p")
          .leftJoin("users as u", "u.id", "p.createdBy")
          .select([
            "p.id",
            "p.title",
            sql<string>`substr(p.body, 1, ${sql.lit(excerptLength)})`.as("excerpt"),
            "p.status",
            "p.revision",
            "p.tags",
            "p.createdBy",
            "u.name as createdByName",
            "p.createdByClientName",
            "p.createdAt",
            "p.updatedAt",
            "p.assetCount",
            openThreadCount.as("openThreadCount"),
            wasSentBack.as("wasSentBack"),
            selectReview(now).as("reviewRank"),
          ])
          .where("p.studioId", "=", studioId)
          .where("p.id", "in", postIds)
          .where("p.trashedAt", "is", null)
          .execute(),
        listFirstAssets({ q }, postIds, maxSummaryAssets),
        listLastPublications({ q }, postIds),
      ]);
      const positions = new Map(postIds.map((id, index) => [id, index]));
      posts.sort((a, b) => (positions.get(a.id) ?? 0) - (positions.get(b.id) ?? 0));
      return posts.map(({ reviewRank, ...post }) => ({
        ...post,
        review: reviewRank === null ? null : (postReviewStates[reviewRank] ?? null),
        studioId,
        createdByName: post.createdByName ?? post.createdBy,
        assets: assets.get(post.id) ?? [],
        publications: publications.get(post.id) ?? [],
      }));
    },
  };
}

/**
 * A deleted comment still starts a thread while the thread has replies. Those are found by their replies, because an undo
 * may have removed thousands of comments.
 */
const openThreadCount = sql<number>`(
  SELECT count(*) FROM comments c
   WHERE c.post_id = p.id AND c.parent_id IS NULL AND c.resolved_at IS NULL AND c.removed_at IS NULL
) + (
  SELECT count(DISTINCT c.id) FROM comments r JOIN comments c ON c.post_id = r.post_id AND c.id = r.parent_id
   WHERE r.post_id = p.id AND r.parent_id IS NOT NULL AND r.removed_at IS NULL
     AND c.resolved_at IS NULL AND c.removed_at IS NOT NULL)`;

/** Whether the newest publication to one of the accounts was sent back. */
const wasSentBack = sql<boolean>`EXISTS (
  SELECT 1 FROM (SELECT MAX(id) AS id FROM publications WHERE post_id = p.id GROUP BY connection_id) AS newest
    JOIN publications s ON s.id = newest.id
   WHERE s.state = 'canceled' AND s.problem_code = ${sql.lit(sentBackCode)})`;

/** The position of the post's review in `postReviewStates`. */
function selectReview(now: number): RawBuilder<number | null> {
  const [start = "", end = ""] = reviewStateSql("p.id", "?").split("?");
  return sql`${sql.raw(start)}${now}${sql.raw(end)}`;
}

/** What no index has, so that each post is checked. */
function findCondition({ stage, review }: PostSummaryFilter): RawBuilder<boolean> | undefined {
  const conditions = [
    ...(stage === undefined ? [] : [sql`${sql.raw(isAtStageSql("p.id", stage))}`]),
    ...(review ? [sql`${selectReview(review.now)} = ${sql.lit(rankReview(review.state))}`] : []),
  ];
  return conditions.length === 0 ? undefined : sql`(${sql.join(conditions, sql` AND `)})`;
}

/** Up to `limit` posts of each status, in no order. */
const selectCandidates = (studioId: string, filter: PostSummaryFilter): RawBuilder<unknown> =>
  sql.join(
    filter.statuses.map((status) => selectIds(studioId, status, filter)),
    sql` UNION ALL `,
  );

/** Selects posts of one status, because an index has their ids in the order of the list. */
function selectIds(studioId: string, status: PostStatus, filter: PostSummaryFilter): RawBuilder<unknown> {
  const conditions = [sql`p.studio_id = ${studioId}`, sql`p.status = ${status}`, sql`p.trashed_at IS NULL`];
  if (filter.createdBy !== undefined) conditions.push(sql`p.created_by = ${filter.createdBy}`);
  if (filter.before !== undefined) conditions.push(sql`p.id < ${filter.before}`);
  return sql`SELECT id FROM (SELECT p.id FROM posts p WHERE ${sql.join(conditions, sql` AND `)}
              ORDER BY p.id DESC LIMIT ${filter.limit}) AS ${sql.ref(`${status}_posts`)}`;
}

/** How many posts one statement checks. Each needs lookups, and in SQLite, they block the event loop. */
const checkedPosts = 200;

/** Reads posts until `limit` of them match. */
async function listMatchingIds(
  q: Connection["q"],
  studioId: string,
  filter: PostSummaryFilter,
  condition: RawBuilder<boolean>,
): Promise<{ id: string }[]> {
  const ids: { id: string }[] = [];
  for (let { before } = filter; ;) {
    const { rows } = await sql<{ id: string; isMatch: boolean }>`
      SELECT p.id, ${condition} AS is_match
        FROM (${selectNewest(studioId, { ...filter, before, limit: checkedPosts })}) AS p ORDER BY p.id DESC`.execute(
      q,
    );
    ids.push(...rows.filter(({ isMatch }) => isMatch).map(({ id }) => ({ id })));
    if (ids.length >= filter.limit || rows.length < checkedPosts) return ids.slice(0, filter.limit);
    before = rows.at(-1)?.id;
  }
}

const selectNewest = (studioId: string, filter: PostSummaryFilter): RawBuilder<{ id: string }> =>
  sql`SELECT id FROM (${selectCandidates(studioId, filter)}) AS candidates ORDER BY id DESC LIMIT ${filter.limit}`;

/** The first assets of each post, in the order of the post. */
export async function listFirstAssets(
  { q }: Pick<Connection, "q">,
  postIds: readonly string[],
  limit: number,
): Promise<Map<string, SummaryAsset[]>> {
  if (postIds.length === 0) return new Map();
  const { rows } = await sql<SummaryAsset & { postId: string }>`
    SELECT id, post_id, kind, mime_type, filename, alt_text, is_ready FROM (
      SELECT id, post_id, position, kind, mime_type, filename, alt_text,
             status = 'ready' AS is_ready,
             row_number() OVER (PARTITION BY post_id ORDER BY position) AS number
        FROM assets WHERE post_id IN (${sql.join(postIds)})) AS numbered
     WHERE number <= ${limit} ORDER BY post_id, position`.execute(q);
  return groupByPost(rows);
}

/** The last publication of each post to each account, without canceled ones. */
async function listLastPublications(
  { q }: Pick<Connection, "q">,
  postIds: readonly string[],
): Promise<Map<string, SummaryPublication[]>> {
  const { rows } = await sql<Omit<SummaryPublication, "account"> & AccountColumns & { postId: string }>`
    SELECT p.id, p.post_id, p.connection_id, p.state, p.created_at, p.scheduled_for, p.published_at,
           c.platform, c.account_id, c.handle, c.name AS account_name
      FROM (SELECT id, post_id, connection_id, state, created_at, scheduled_for, published_at,
                   row_number() OVER (PARTITION BY post_id, connection_id ORDER BY id DESC) AS number
              FROM publications WHERE post_id IN (${sql.join(postIds)}) AND state <> 'canceled') AS p
      JOIN platform_connections c ON c.id = p.connection_id
     WHERE p.number = 1 ORDER BY p.id`.execute(q);
  return groupByPost(rows.map(toAccount));
}

function groupByPost<Item>(rows: readonly (Item & { postId: string })[]): Map<string, Item[]> {
  const groups = Map.groupBy(rows, ({ postId }) => postId);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ postId: _, ...item }) => item as Item)]));
}
