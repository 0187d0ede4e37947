import { sql, type Kysely, type RawBuilder } from "kysely";
import type { NamedType, NamedObject, ObjectType } from "#domain/activity/activity-objects.ts";
import type { Schema } from "./schema.ts";

const stateSql = (trashedColumn: string) =>
  sql.raw(`CASE WHEN ${trashedColumn} IS NULL THEN 'current' ELSE 'trashed' END`);

const presenceSql = (condition: string) => sql.raw(`CASE WHEN ${condition} THEN 'current' ELSE 'gone' END`);

/** For each type, a query for the names of objects with these ids. Finds no posts or assets of other studios. */
const nameQueries: Record<NamedType, (studioId: string, ids: RawBuilder<unknown>) => RawBuilder<NamedObject>> = {
  post: (studioId, ids) =>
    sql`SELECT 'post' AS type, id, title AS name, ${stateSql("trashed_at")} AS state
          FROM posts WHERE studio_id = ${studioId} AND id IN (${ids})`,
  asset: (studioId, ids) =>
    sql`SELECT 'asset' AS type, id, filename AS name, ${stateSql("trashed_at")} AS state
          FROM assets WHERE studio_id = ${studioId} AND id IN (${ids})`,
  // A user who never joined the studio is named too: an operator may have disabled the account.
  member: (studioId, ids) =>
    sql`SELECT 'member' AS type, u.id, u.name, ${presenceSql("m.user_id IS NOT NULL")} AS state
          FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.studio_id = ${studioId}
         WHERE u.id IN (${ids})`,
  // Not limited to the studio: the grant may act on another one by now.
  client: (_, ids) =>
    sql`SELECT 'client' AS type, id, client_name AS name, ${presenceSql("revoked_at IS NULL")} AS state
          FROM grants WHERE id IN (${ids})`,
  account: (studioId, ids) =>
    sql`SELECT 'account' AS type, id, COALESCE(handle, name, account_id) AS name, 'current' AS state
          FROM platform_connections WHERE studio_id = ${studioId} AND id IN (${ids})`,
};

export async function findObjectNames(
  q: Kysely<Schema>,
  studioId: string,
  objects: readonly { type: ObjectType; id: string }[],
): Promise<NamedObject[]> {
  const objectsByType = Map.groupBy(objects, ({ type }) => type);
  const queries = [...objectsByType].flatMap(([type, objectsOfType]) =>
    type === "publication"
      ? []
      : [nameQueries[type](studioId, sql.join([...new Set(objectsOfType.map(({ id }) => id))]))],
  );
  if (queries.length === 0) return [];
  return (await sql<NamedObject>`${sql.join(queries, sql` UNION ALL `)}`.execute(q)).rows;
}
