import type { Selectable } from "kysely";
import type { ResolvedReviewLink, ReviewOutcome, ReviewPost } from "#domain/model/review.ts";
import type { ReviewStore } from "#domain/ports/reviews.ts";
import { changesRow, execute, selectRows, statement, updateRows, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

type LinkRow = Omit<ResolvedReviewLink, "creator"> & { creatorName: string; creatorEmail: string | null };

const selectLinksSql = `
  SELECT s.name AS studio_name, u.name AS creator_name, u.email AS creator_email, m.role AS creator_role,
         g.revoked_at IS NOT NULL AS is_grant_revoked, l.*
    FROM review_links l
    JOIN studios s ON s.id = l.studio_id AND s.deleted_at IS NULL
    JOIN users u ON u.id = l.created_by
    LEFT JOIN memberships m ON m.studio_id = l.studio_id AND m.user_id = l.created_by AND u.disabled_at IS NULL
    LEFT JOIN grants g ON g.id = l.grant_id`;

/** Runs for every request from the review page. */
const findLinkQuery = statement<LinkRow>(`${selectLinksSql} WHERE l.id = $1`);
const listLinksQuery = statement<LinkRow>(`${selectLinksSql} WHERE l.studio_id = $1 ORDER BY l.id DESC LIMIT $2`);
const listLinksOfPostQuery = statement<LinkRow>(
  `${selectLinksSql} WHERE l.studio_id = $1
     AND l.id IN (SELECT link_id FROM review_posts WHERE post_id = $3)
   ORDER BY CASE WHEN l.holds_publishing = 1 AND l.withdrawn_at IS NULL THEN 0 ELSE 1 END, l.id DESC LIMIT $2`,
);
const countLinksQuery = statement<{ stored: number; open: number }>(`
  SELECT CAST(COUNT(*) AS INTEGER) AS stored,
         CAST(COUNT(CASE WHEN l.withdrawn_at IS NULL AND l.expires_at > $2 THEN 1 END) AS INTEGER) AS open
    FROM review_posts p JOIN review_links l ON l.id = p.link_id WHERE p.post_id = $1`);
const recordViewQuery = statement<{ viewCount: number }>(`
  UPDATE review_links SET view_count = view_count + 1, first_viewed_at = COALESCE(first_viewed_at, $2), last_viewed_at = $2
   WHERE id = $1 AND (last_viewed_at IS NULL OR last_viewed_at < $3) RETURNING view_count`);
const countCommentQuery = statement<{ id: string }>(
  "UPDATE review_links SET comment_count = comment_count + 1 WHERE id = $1 AND comment_count < $2 RETURNING id",
);
/** The triggers of the migration 0042 have the same condition. */
const isHeldQuery = statement<{ one: number }>(`
  SELECT 1 AS one FROM review_posts
   WHERE post_id = $1 AND is_holding = 1 AND (decision IS NULL OR decision <> 'approved' OR is_outdated = 1) LIMIT 1`);

const toLink = ({ creatorName: name, creatorEmail: email, ...link }: LinkRow): ResolvedReviewLink => ({
  ...link,
  creator: { id: link.createdBy, name, email },
});

const outcomeColumns = [
  "linkId",
  "postId",
  "isHolding",
  "isOutdated",
  "decision",
  "guestName",
  "decisionComment",
  "decidedAt",
  "revision",
] as const;

/** The constraints of the table make the columns of a decision all null or, except the comment, none. */
function toReviewPost<Row extends Pick<Selectable<Schema["reviewPosts"]>, (typeof outcomeColumns)[number]>>(row: Row) {
  const { linkId, postId, isHolding, isOutdated, decision } = row;
  return { linkId, postId, isHolding, isOutdated, decision: decision === null ? null : row };
}

export function createReviewStore({ q, run }: Connection): ReviewStore {
  return {
    async insertLink(link, postIds) {
      const { id: linkId, studioId, holdsPublishing: isHolding } = link;
      await q.insertInto("reviewLinks").values(link).execute();
      const rows = postIds.map((postId, position) => ({ linkId, postId, studioId, position, isHolding }));
      await q.insertInto("reviewPosts").values(rows).execute();
    },
    findLink: async (linkId) => (await run(findLinkQuery, [linkId])).map(toLink)[0],
    async listLinks(studioId, postId, limit) {
      const rows =
        postId === undefined
          ? await run(listLinksQuery, [studioId, limit])
          : await run(listLinksOfPostQuery, [studioId, limit, postId]);
      return rows.map(toLink);
    },
    countLinks: async (postId, now) => (await run(countLinksQuery, [postId, now]))[0] ?? { stored: 0, open: 0 },
    async withdraw(studioId, linkId, now) {
      const isWithdrawn = await updateRows(
        q,
        "reviewLinks",
        { id: linkId, studioId, withdrawnAt: null },
        { withdrawnAt: now },
      ).$call(changesRow);
      if (isWithdrawn) await updateRows(q, "reviewPosts", { linkId }, { isHolding: false }).$call(execute);
      return isWithdrawn;
    },
    recordView: async (linkId, now, countedBefore) =>
      (await run(recordViewQuery, [linkId, now, countedBefore]))[0]?.viewCount,
    countComment: async (linkId, limit) => (await run(countCommentQuery, [linkId, limit])).length > 0,
    async listPosts(linkId) {
      const rows = await selectRows(q, "reviewPosts", { linkId }).selectAll().orderBy("position").execute();
      return rows.map((row) => toReviewPost(row) as ReviewPost);
    },
    async listOutcomes(linkIds) {
      if (linkIds.length === 0) return [];
      const rows = await q
        .selectFrom("reviewPosts")
        .select(outcomeColumns)
        .where("linkId", "in", linkIds)
        .orderBy("linkId")
        .orderBy("position")
        .execute();
      return rows.map((row) => toReviewPost(row) as ReviewOutcome);
    },
    async listDecided(postId, { after, limit }) {
      const rows = await selectRows(q, "reviewPosts", { postId })
        .selectAll()
        .where("decision", "is not", null)
        .$if(after !== undefined, (page) => page.where("linkId", ">", after!))
        .orderBy("linkId")
        .limit(limit)
        .execute();
      return rows.map((row) => toReviewPost(row) as ReviewPost);
    },
    decide: ({ linkId, postId }, decision, limit) =>
      updateRows(q, "reviewPosts", { linkId, postId }, (eb) => ({
        ...decision,
        accounts: JSON.stringify(decision.accounts) as never,
        isOutdated: false,
        decisionCount: eb("decisionCount", "+", 1),
      }))
        .where("decisionCount", "<", limit)
        .$call(changesRow),
    async setOutdated(postId, linkIds, isOutdated) {
      if (linkIds.length > 0)
        await updateRows(q, "reviewPosts", { postId }, { isOutdated }).where("linkId", "in", linkIds).execute();
    },
    isHeld: async (postId) => (await run(isHeldQuery, [postId])).length > 0,
  };
}
