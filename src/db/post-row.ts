import { sql, type Selectable } from "kysely";
import type { Post, PostStage } from "#domain/posts/post.ts";
import type { Variant } from "#domain/posts/variant.ts";
import { openStates, type PublicationState } from "#domain/publishing/states.ts";
import type { Crop } from "#domain/renditions/crop.ts";
import type { Schema } from "./schema.ts";
import { parseTags } from "./search-index.ts";

/** The columns that queries for posts return. `search_text` is not one: it can be longer than all others together. */
export const postColumns = [
  "id",
  "studio_id",
  "title",
  "body",
  "status",
  "revision",
  "created_by",
  "created_at",
  "updated_at",
  "asset_count",
  "last_position",
  "created_client_name",
  "ready_revision",
  "trashed_at",
  "variants",
  "crops",
  "tags",
] as const;

export type PostRow = Pick<Selectable<Schema["posts"]>, (typeof postColumns)[number]>;
export type IndexedPostRow = PostRow & Pick<Selectable<Schema["posts"]>, "search_text" | "search_indexed">;

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
      AND s.state IN (${states.map((state) => `'${state}'`).join(", ")}))`;
  if (stage === "scheduled") return exists(openStates);
  if (stage === "published") return `${exists(["published"])} AND NOT ${exists(openStates)}`;
  return `NOT ${exists([...openStates, "published"])}`;
}

export function toPost(row: PostRow): Post {
  return {
    id: row.id,
    studioId: row.studio_id,
    title: row.title,
    body: row.body,
    status: row.status,
    revision: row.revision,
    assetCount: row.asset_count,
    variants: JSON.parse(row.variants) as Variant[],
    crops: JSON.parse(row.crops) as Crop[],
    tags: parseTags(row.tags),
    createdBy: row.created_by,
    createdByClientName: row.created_client_name,
    readyRevision: row.ready_revision,
    isTrashed: row.trashed_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
