import { sql, type Kysely, type RawBuilder } from "kysely";
import type { NamedObject, NamedType, ObjectType } from "#domain/model/activity.ts";
import type { ActivityFilter, ActivityStore, RecordedActivity } from "#domain/ports/activity.ts";
import { first, selectRows, statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Runs for every change. */
const insertQuery = statement(`
  INSERT INTO activity (id, studio_id, user_id, client_id, client_name, action, subject_id, detail, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

const afterQuery = statement<RecordedActivity>(
  "SELECT id, studio_id, action, subject_id FROM activity WHERE id > $1 ORDER BY id LIMIT $2",
);

const hasPendingQuery = statement<{ activityId: string }>("SELECT activity_id FROM pending_events LIMIT 1");

const takePendingQuery = statement<{ activityId: string }>(
  `DELETE FROM pending_events WHERE activity_id = ANY (ARRAY(
     SELECT activity_id FROM pending_events ORDER BY activity_id LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING activity_id`,
  {
    sqlite: `DELETE FROM pending_events WHERE activity_id IN (
               SELECT activity_id FROM pending_events ORDER BY activity_id LIMIT $1) RETURNING activity_id`,
  },
);

export function createActivityStore({ q, run }: Connection): ActivityStore {
  return {
    async insert(row) {
      const { id, studioId, userId, clientId, clientName, action, subjectId, detail, at } = row;
      await run(insertQuery, [id, studioId, userId, clientId, clientName, action, subjectId, detail, at]);
    },
    listAfter: (id, limit) => run(afterQuery, [id, limit]),
    hasPending: async () => (await run(hasPendingQuery, [])).length > 0,
    async takePending(limit) {
      const ids = (await run(takePendingQuery, [limit])).map(({ activityId }) => activityId);
      if (ids.length === 0) return [];
      return (await q.selectFrom("activity").selectAll().where("id", "in", ids).orderBy("id").execute()).map(
        toActivity,
      );
    },
    async list(studioId, filter) {
      const ids = await listIds(q, studioId, filter);
      if (ids.length === 0) return [];
      const rows = await q
        .selectFrom("activity as a")
        .leftJoin("users as u", "u.id", "a.userId")
        .leftJoin("posts as subjectPost", (join) =>
          join.onRef("subjectPost.id", "=", "a.subjectId").on("subjectPost.studioId", "=", studioId),
        )
        .leftJoin("users as subjectUser", "subjectUser.id", "a.subjectId")
        .leftJoin("publications as publication", (join) =>
          join.onRef("publication.id", "=", "a.subjectId").on("publication.studioId", "=", studioId),
        )
        .leftJoin("posts as publicationPost", "publicationPost.id", "publication.postId")
        .select("u.name as userName")
        .select((eb) =>
          eb.fn.coalesce("subjectPost.title", "subjectUser.name", "publicationPost.title").as("subjectName"),
        )
        .selectAll("a")
        .where("a.studioId", "=", studioId)
        .where("a.id", "in", ids)
        .orderBy("a.id", "desc")
        .execute();
      return rows.map(toActivity);
    },
    find: (studioId, id) => first(selectRows(q, "activity", { studioId, id }).selectAll().execute(), toActivity),
    findNames: (studioId, objects) => findObjectNames(q, studioId, objects),
  };
}

/** How many entries one statement reads. In SQLite, it blocks the event loop. */
const checkedEntries = 200;

/** Reads entries by the index of one filter until `limit` of them also match the other filters. */
async function listIds(
  q: Kysely<Schema>,
  studioId: string,
  { userId, clientId, action, subjectId, before, limit }: ActivityFilter,
): Promise<string[]> {
  const filters = [
    ["subjectId", subjectId],
    ["userId", userId],
    ["clientId", clientId],
    ["action", action],
  ] as const;
  const [indexed, ...others] = filters.filter(([, value]) => value !== undefined);
  const pageSize = others.length === 0 ? limit : checkedEntries;
  const ids: string[] = [];
  for (let last = before; ;) {
    const rows = await selectRows(q, "activity", { studioId })
      .select(["id", ...others.map(([column]) => column)])
      .$if(indexed !== undefined, (entries) => entries.where(indexed![0], "=", indexed![1]!))
      .$if(last !== undefined, (entries) => entries.where("id", "<", last!))
      .orderBy("id", "desc")
      .limit(pageSize)
      .execute();
    const matches = rows.filter((row) => others.every(([column, value]) => row[column] === value));
    ids.push(...matches.map(({ id }) => id));
    if (ids.length >= limit || rows.length < pageSize) return ids.slice(0, limit);
    last = rows.at(-1)?.id;
  }
}

const toActivity = <Row extends { detail: string }>(row: Row) => ({
  ...row,
  detail: JSON.parse(row.detail) as Record<string, unknown>,
});

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
  // A user who has left the studio is named too.
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

/** Finds the names of all objects with one query. */
async function findObjectNames(
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
