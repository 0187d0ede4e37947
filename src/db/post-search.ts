import type { Selectable } from "kysely";
import type { PostFilter, PostRange } from "#domain/posts/ports.ts";
import { statement, type Connection } from "./client.ts";
import type { Schema } from "./schema.ts";

export type PostRow = Pick<Selectable<Schema["posts"]>, (typeof columns)[number]>;

/** All columns but `search_text`, which can be longer than all others together. */
export const columns = [
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
] as const;

interface PostSize {
  id: string;
  bytes: number;
}

/** `octet_length` reads the size from the row header, without loading the text. */
const sizesSql = (status: string, limit: string): string =>
  `SELECT id, octet_length(title) + octet_length(body) + octet_length(search_text) AS bytes
     FROM posts WHERE studio_id = $1 AND id < $2 AND trashed_at IS NULL ${status} ORDER BY id DESC LIMIT ${limit}`;
const sizesQuery = statement<PostSize>("list_post_search_sizes", sizesSql("", "$3"));
const sizesInStatusQuery = statement<PostSize>("list_post_search_sizes_in_status", sizesSql("AND status = $3", "$4"));

const matchesSql = (contains: string, status: string, limit: string): string =>
  `SELECT ${columns.join(", ")} FROM posts
    WHERE studio_id = $1 AND id <= $2 AND id >= $3 AND trashed_at IS NULL ${status} AND ${contains} ORDER BY id DESC LIMIT ${limit}`;

/**
 * Both compare bytes. PostgreSQL's LIKE and strpos compare characters, which is a hundred times slower for a text and
 * a query crafted to be slow.
 */
const contains = {
  postgres: (query: string): string => `position(convert_to(${query}, 'UTF8') IN convert_to(search_text, 'UTF8')) > 0`,
  sqlite: (query: string): string => `instr(search_text, ${query}) > 0`,
};

const matchesQuery = statement<PostRow>(
  "find_matching_posts",
  matchesSql(contains.postgres("$4"), "", "$5"),
  matchesSql(contains.sqlite("$4"), "", "$5"),
);
const matchesInStatusQuery = statement<PostRow>(
  "find_matching_posts_in_status",
  matchesSql(contains.postgres("$5"), "AND status = $4", "$6"),
  matchesSql(contains.sqlite("$5"), "AND status = $4", "$6"),
);

/** Sorts after the id of every post. */
const afterNewestId = `pst_${"z".repeat(27)}`;

export function listSearchSizes(
  run: Connection["run"],
  studioId: string,
  { status, before = afterNewestId, limit }: PostFilter,
): Promise<PostSize[]> {
  return status === undefined
    ? run(sizesQuery, [studioId, before, limit])
    : run(sizesInStatusQuery, [studioId, before, status, limit]);
}

export function findMatches(
  run: Connection["run"],
  studioId: string,
  { status, newest, oldest }: PostRange,
  query: string,
  limit: number,
): Promise<PostRow[]> {
  return status === undefined
    ? run(matchesQuery, [studioId, newest, oldest, query, limit])
    : run(matchesInStatusQuery, [studioId, newest, oldest, status, query, limit]);
}
