import { sql } from "kysely";
import type { Post, PostStage } from "#domain/model/post.ts";
import { maxListedReviews, postReviewStates, type PostReviewState } from "#domain/model/review.ts";
import { openStates, type PublicationState } from "#domain/model/publication-states.ts";
import { listColumns } from "./columns.ts";
import { isNotCanceledSql } from "./publication-rows.ts";

/** Not `*`: the search text can be longer than all other columns together. */
const storedColumns = [
  "id",
  "studioId",
  "title",
  "body",
  "status",
  "revision",
  "assetCount",
  "variants",
  "crops",
  "tags",
  "createdBy",
  "createdByClientName",
  "readyRevision",
  "createdAt",
  "updatedAt",
] as const satisfies (keyof Post)[];
const isTrashedSql = "trashed_at IS NOT NULL";

/** The columns of a `Post`, for the query builder and in SQL. */
export const postColumns = [...storedColumns, sql<boolean>`${sql.raw(isTrashedSql)}`.as("isTrashed")] as const;
export const postColumnsSql = `${listColumns(storedColumns)}, ${isTrashedSql} AS is_trashed`;

/** The length of all texts of a post or a revision. */
export const textLength = sql<number>`length(body) + length(variants)`;

/** Returns the first rows, until the sum of their lengths exceeds `maxLength`; at least one row. */
export function keepWithinTextLength<Row extends { length: number }>(rows: readonly Row[], maxLength: number): Row[] {
  let sum = 0;
  const firstExcluded = rows.findIndex(({ length }, i) => (sum += length) > maxLength && i > 0);
  return rows.slice(0, firstExcluded < 0 ? rows.length : firstExcluded);
}

/** An SQL condition: the post is at this stage. `postId` is the column with the id of the post. */
export function isAtStageSql(postId: "p.id" | "t.id", stage: PostStage): string {
  const exists = (states: readonly PublicationState[]): string =>
    `EXISTS (SELECT 1 FROM publications s WHERE s.post_id = ${postId}
      AND s.state IN (${states.map((state) => `'${state}'`).join(", ")}) AND ${isNotCanceledSql("s")})`;
  if (stage === "scheduled") return exists(openStates);
  if (stage === "published") return exists(["published"]);
  return `NOT ${exists([...openStates, "published"])}`;
}

/**
 * An SQL expression: the position of the post's review in `postReviewStates`; null without a link that counts. `now` is
 * the placeholder of the time.
 */
export const reviewStateSql = (postId: "p.id" | "t.id", now: string): string => `(
  SELECT max(CASE WHEN r.decision IS NULL THEN ${rankReview("waiting")}
                  WHEN r.is_outdated = 1 THEN ${rankReview("outdated")}
                  WHEN r.decision = 'approved' THEN ${rankReview("approved")}
                  ELSE ${rankReview("changes_requested")} END)
    FROM review_posts r JOIN review_links l ON l.id = r.link_id
   WHERE r.post_id = ${postId} AND l.withdrawn_at IS NULL AND r.link_id >= COALESCE((
         SELECT n.link_id FROM review_posts n WHERE n.post_id = ${postId}
          ORDER BY n.link_id DESC LIMIT 1 OFFSET ${maxListedReviews - 1}), '')
     AND (r.decision IS NOT NULL OR r.is_holding = 1 OR l.expires_at > ${now}))`;

export const rankReview = (state: PostReviewState): number => postReviewStates.indexOf(state);
