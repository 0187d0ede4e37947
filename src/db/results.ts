import { sql } from "kysely";
import type { ResultSnapshot } from "#domain/model/results.ts";
import type { DueReading, PostAtAge, ResultStore } from "#domain/ports/results.ts";
import { changesRow, execute, selectRows, statement, updateRows, type Connection } from "./database.ts";

const findDueAccountQuery = statement<{ studioId: string; connectionId: string }>(`
  SELECT c.studio_id, c.id AS connection_id FROM platform_connections c
   WHERE c.studio_id > $2
     AND EXISTS (SELECT 1 FROM result_readings r WHERE r.connection_id = c.id AND r.due_at <= $1)
     AND NOT EXISTS (
       SELECT 1 FROM publications p
        WHERE p.connection_id = c.id
          AND (p.state IN ('preparing', 'committing') OR (p.state = 'scheduled' AND p.next_run_at <= $1)))
   ORDER BY c.studio_id, c.id LIMIT 1`);
const hasDueQuery = statement("SELECT 1 AS one FROM result_readings WHERE due_at <= $1 LIMIT 1");

const listDueQuery = statement<DueReading>(`
  SELECT r.publication_id, p.remote_id, r.published_at, r.due_at FROM result_readings r
    JOIN publications p ON p.id = r.publication_id
   WHERE r.connection_id = $1 AND r.due_at <= $2 AND p.remote_id IS NOT NULL
   ORDER BY r.due_at LIMIT $3`);

type PostAtAgeRow = Omit<PostAtAge, "snapshot"> & { [Field in keyof ResultSnapshot]: ResultSnapshot[Field] | null };

const listAtAgeQuery = statement<PostAtAgeRow>(`
  SELECT p.id AS publication_id, p.post_id, p.published_at, p.url, t.title, t.tags,
         s.read_at, s.due_age, s.definition, s.metrics
    FROM publications p
    JOIN posts t ON t.id = p.post_id
    LEFT JOIN result_snapshots s ON s.publication_id = p.id AND s.due_age = $2 AND s.due_age > 0
   WHERE p.connection_id = $1 AND p.state = 'published' AND p.published_at >= $3 AND t.trashed_at IS NULL
   ORDER BY p.published_at DESC, p.id DESC LIMIT $4`);

export function createResultStore({ q, run }: Connection): ResultStore {
  return {
    plan: (reading) =>
      q
        .insertInto("resultReadings")
        .values({ ...reading, refreshedAt: null })
        .onConflict((conflict) => conflict.doNothing())
        .$call(execute),
    hasDue: async (now) => (await run(hasDueQuery, [now])).length > 0,
    findDueAccount: async (now, afterStudioId) => (await run(findDueAccountQuery, [now, afterStudioId]))[0],
    listDue: (connectionId, now, limit) => run(listDueQuery, [connectionId, now, limit]),
    reschedule: ({ publicationId, dueAt: from }, dueAt) =>
      updateRows(q, "resultReadings", { publicationId, dueAt: from }, { dueAt }).$call(execute),
    postpone: (connectionId, now, dueAt, publishedAfter) =>
      updateRows(q, "resultReadings", { connectionId }, (eb) => ({
        dueAt: eb
          .case()
          .when("publishedAt", ">", publishedAfter)
          .then(sql<number | null>`CAST(${dueAt} AS BIGINT)`)
          .else(null)
          .end(),
      }))
        .where("dueAt", "<=", now)
        .$call(execute),
    claimRefresh: (publication, now, latest) =>
      q
        .insertInto("resultReadings")
        .values({ ...publication, dueAt: null, refreshedAt: now })
        .onConflict((conflict) =>
          conflict
            .column("publicationId")
            .doUpdateSet({ refreshedAt: now })
            .where((eb) =>
              eb.or([eb("resultReadings.refreshedAt", "is", null), eb("resultReadings.refreshedAt", "<=", latest)]),
            ),
        )
        .$call(changesRow),
    insert: (snapshot) =>
      q
        .insertInto("resultSnapshots")
        .values(snapshot)
        .onConflict((conflict) => conflict.doNothing())
        .$call(execute),
    list: (publicationId, limit) =>
      selectRows(q, "resultSnapshots", { publicationId })
        .selectAll()
        .orderBy("readAt", "desc")
        .orderBy("dueAge", "desc")
        .limit(limit)
        .execute(),
    async listLatest(publicationIds) {
      if (publicationIds.length === 0) return [];
      const rows = await q
        .selectFrom("resultSnapshots as s")
        .selectAll()
        .where("publicationId", "in", publicationIds)
        .where(
          sql<boolean>`s.read_at = (SELECT MAX(m.read_at) FROM result_snapshots m WHERE m.publication_id = s.publication_id)`,
        )
        .execute();
      return rows;
    },
    listByAge: async (publicationIds, dueAge) =>
      publicationIds.length === 0
        ? []
        : selectRows(q, "resultSnapshots", { dueAge })
            .selectAll()
            .where("publicationId", "in", publicationIds)
            .execute(),
    async listAtAge(connectionId, dueAge, since, limit) {
      const rows = await run(listAtAgeQuery, [connectionId, dueAge, since, limit]);
      return rows.map(({ readAt, dueAge: _, definition, metrics, ...post }) => ({
        ...post,
        snapshot:
          readAt === null || definition === null || metrics === null
            ? undefined
            : { publicationId: post.publicationId, readAt, dueAge, definition, metrics },
      }));
    },
    async deleteNext(connectionId, limit) {
      const rows = await selectRows(q, "resultReadings", { connectionId })
        .select("publicationId")
        .limit(limit)
        .execute();
      const ids = rows.map(({ publicationId }) => publicationId);
      if (ids.length === 0) return 0;
      await q.deleteFrom("resultSnapshots").where("publicationId", "in", ids).execute();
      await q.deleteFrom("resultReadings").where("publicationId", "in", ids).execute();
      return ids.length;
    },
  };
}
