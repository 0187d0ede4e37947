import type { PublicationStore } from "#domain/publishing/ports.ts";
import type { PublicationState, VisibleState } from "#domain/publishing/states.ts";
import { ConflictError } from "#domain/conflict.ts";
import { statement, type Connection } from "./client.ts";
import { toColumns, toListed, toPublication, type PublicationRow } from "./publication-rows.ts";

/** Skips accounts with a running publication; the unique index decides between workers that claim at the same time. */
const dueSql = (lock: string): string =>
  `UPDATE publications
      SET state = 'preparing', fence = fence + 1, attempts = attempts + 1, lease_expires_at = $1,
          started_at = COALESCE(started_at, $2), next_run_at = NULL
    WHERE state = 'scheduled' AND id = (
      SELECT p.id FROM publications p
       WHERE p.state = 'scheduled' AND p.next_run_at <= $2 AND NOT EXISTS (
         SELECT 1 FROM publications r
          WHERE r.connection_id = p.connection_id AND r.state IN ('preparing', 'committing'))
       ORDER BY p.next_run_at, p.id LIMIT 1 ${lock})
   RETURNING *`;
const claimDueQuery = statement<PublicationRow>(
  "claim_due_publication",
  dueSql("FOR UPDATE OF p SKIP LOCKED"),
  dueSql(""),
);

const abandonedSql = (lock: string): string =>
  `UPDATE publications SET fence = fence + 1, lease_expires_at = $1, next_run_at = NULL
    WHERE state IN ('preparing', 'committing') AND lease_expires_at <= $2 AND id = (
      SELECT p.id FROM publications p
       WHERE p.state IN ('preparing', 'committing') AND p.lease_expires_at <= $2
         AND (p.next_run_at IS NULL OR p.next_run_at <= $2)
       ORDER BY p.lease_expires_at LIMIT 1 ${lock})
   RETURNING *`;
const claimAbandonedQuery = statement<PublicationRow>(
  "claim_abandoned_publication",
  abandonedSql("FOR UPDATE OF p SKIP LOCKED"),
  abandonedSql(""),
);

const hasWorkQuery = statement<{ id: string }>(
  "has_publishing_work",
  `SELECT p.id FROM publications p
    WHERE p.state = 'scheduled' AND p.next_run_at <= $1 AND NOT EXISTS (
      SELECT 1 FROM publications r
       WHERE r.connection_id = p.connection_id AND r.state IN ('preparing', 'committing'))
   UNION ALL
   SELECT p.id FROM publications p
    WHERE p.state IN ('preparing', 'committing') AND p.lease_expires_at <= $1
      AND (p.next_run_at IS NULL OR p.next_run_at <= $1)
   LIMIT 1`,
);

const nextRunQuery = statement<{ at: number | null }>(
  "find_next_publishing_run",
  `SELECT MIN(n.at) AS at FROM (
     SELECT MIN(next_run_at) AS at FROM publications WHERE state = 'scheduled' AND next_run_at > $1
     UNION ALL
     SELECT MIN(COALESCE(next_run_at, lease_expires_at)) FROM publications
      WHERE state IN ('preparing', 'committing') AND COALESCE(next_run_at, lease_expires_at) > $1) n`,
);

const timeQuery = statement<{ ms: number }>(
  "get_database_time",
  "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms",
  "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS ms",
);

export function createPublicationStore({ q, run }: Connection): PublicationStore {
  const selectListed = (studioId: string) =>
    q
      .selectFrom("publications as p")
      .innerJoin("platform_connections as c", "c.id", "p.connection_id")
      .leftJoin("users as r", "r.id", "p.requested_by")
      .leftJoin("users as a", "a.id", "p.approved_by")
      .selectAll("p")
      .select([
        "c.platform",
        "c.account_id",
        "c.handle",
        "c.name as account_name",
        "r.name as requested_by_name",
        "a.name as approved_by_name",
      ])
      .where("p.studio_id", "=", studioId);

  return {
    async insert(publication) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("publications")
        .values({
          id: publication.id,
          studio_id: publication.studioId,
          post_id: publication.postId,
          connection_id: publication.connectionId,
          created_at: publication.createdAt,
          requested_by: publication.requestedBy,
          requested_grant_id: publication.requestedGrantId,
          requested_client_id: publication.requestedClientId,
          requested_client_name: publication.requestedClientName,
          state: publication.state,
          includes_title: Number(publication.includesTitle),
          revision: publication.revision,
          digest: publication.digest,
          scheduled_for: publication.scheduledFor,
          due_at: publication.dueAt,
          next_run_at: publication.nextRunAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async find(studioId, publicationId) {
      const row = await selectListed(studioId).where("p.id", "=", publicationId).executeTakeFirst();
      return row && toListed(row);
    },
    async list(studioId, { postId, state, from, to, before, limit }) {
      const rows = await selectListed(studioId)
        .$if(postId !== undefined, (list) => list.where("p.post_id", "=", postId!))
        .$if(state !== undefined, (list) => list.where("p.state", "in", toStates(state!)))
        .$if(before !== undefined, (list) => list.where("p.id", "<", before!))
        .$if(from !== undefined, (list) =>
          list.where((eb) => eb(eb.fn.coalesce("p.published_at", "p.scheduled_for", "p.created_at"), ">=", from!)),
        )
        .$if(to !== undefined, (list) =>
          list.where((eb) => eb(eb.fn.coalesce("p.published_at", "p.scheduled_for", "p.created_at"), "<=", to!)),
        )
        .orderBy("p.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toListed);
    },
    async listByPost(postId, states) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("post_id", "=", postId)
        .where("state", "in", states)
        .orderBy("id")
        .execute();
      return rows.map(toPublication);
    },
    async listByConnection(connectionId, states) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("connection_id", "=", connectionId)
        .where("state", "in", states)
        .orderBy("id")
        .execute();
      return rows.map(toPublication);
    },
    async listRequested(studioId, { userId, clientId, since }) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("requested_by", "=", userId)
        .where("requested_client_id", "=", clientId)
        .where("created_at", ">=", since)
        .orderBy("id")
        .execute();
      return rows.map(toPublication);
    },
    async update(publicationId, change, { states, fence, dueBefore }) {
      const row = await q
        .updateTable("publications")
        .set(toColumns(change))
        .where("id", "=", publicationId)
        .where("state", "in", states)
        .$if(fence !== undefined, (publications) => publications.where("fence", "=", fence!))
        .$if(dueBefore !== undefined, (publications) => publications.where("next_run_at", "<", dueBefore!))
        .returningAll()
        .executeTakeFirst();
      return row && toPublication(row);
    },
    async isRemoteIdTaken(connectionId, remoteId) {
      const rows = await q
        .selectFrom("publications")
        .select("id")
        .where("connection_id", "=", connectionId)
        .where("remote_id", "=", remoteId)
        .execute();
      return rows.length > 0;
    },
    async getTime() {
      return (await run(timeQuery, []))[0]?.ms ?? 0;
    },
    async hasWork(now) {
      return (await run(hasWorkQuery, [now])).length > 0;
    },
    async claimDue(now, leaseExpiresAt) {
      const [row] = await run(claimDueQuery, [leaseExpiresAt, now]).catch(throwConflictOnDuplicate);
      return row && toPublication(row);
    },
    async claimAbandoned(now, leaseExpiresAt) {
      const [row] = await run(claimAbandonedQuery, [leaseExpiresAt, now]);
      return row && toPublication(row);
    },
    async listOverdue(dueBefore, limit) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("state", "=", "scheduled")
        .where("started_at", "is", null)
        .where("next_run_at", "<", dueBefore)
        .orderBy("next_run_at")
        .limit(limit)
        .execute();
      return rows.map(toPublication);
    },
    async findNextRun(after) {
      return (await run(nextRunQuery, [after]))[0]?.at ?? undefined;
    },
  };
}

/** Another worker claimed a publication of the same account at the same time. */
function throwConflictOnDuplicate(error: unknown): never {
  if ((error as { code?: unknown }).code === "23505") throw new ConflictError();
  throw error;
}

const toStates = (state: VisibleState): PublicationState[] =>
  state === "publishing" ? ["preparing", "committing"] : [state];
