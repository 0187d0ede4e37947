import { ConflictError } from "#domain/conflict.ts";
import type { PublishingWorkStore } from "#domain/publishing/ports.ts";
import { statement, type Connection } from "./database.ts";
import { toPublication, type PublicationRow } from "./publication-rows.ts";

/** Skips accounts with a running publication; a unique index rejects all but one of several simultaneous claims. */
const claimDueSql = (lock: string): string =>
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
  claimDueSql("FOR UPDATE OF p SKIP LOCKED"),
  claimDueSql(""),
);

const claimAbandonedSql = (lock: string): string =>
  `UPDATE publications SET fence = fence + 1, lease_expires_at = $1, next_run_at = NULL
    WHERE state IN ('preparing', 'committing') AND lease_expires_at <= $2 AND id = (
      SELECT p.id FROM publications p
       WHERE p.state IN ('preparing', 'committing') AND p.lease_expires_at <= $2
         AND (p.next_run_at IS NULL OR p.next_run_at <= $2)
       ORDER BY p.lease_expires_at LIMIT 1 ${lock})
   RETURNING *`;
const claimAbandonedQuery = statement<PublicationRow>(
  "claim_abandoned_publication",
  claimAbandonedSql("FOR UPDATE OF p SKIP LOCKED"),
  claimAbandonedSql(""),
);

/** Idle workers run this every second: each part reads one row of an index. */
const pendingWorkSql = (clock: string): string =>
  `SELECT t.ms AS now,
          CASE WHEN EXISTS (
            SELECT 1 FROM publications p
             WHERE p.state = 'scheduled' AND p.next_run_at <= t.ms AND NOT EXISTS (
               SELECT 1 FROM publications r
                WHERE r.connection_id = p.connection_id AND r.state IN ('preparing', 'committing'))
          ) THEN 1 ELSE 0 END AS has_due,
          CASE WHEN EXISTS (
            SELECT 1 FROM publications
             WHERE state IN ('preparing', 'committing') AND lease_expires_at <= t.ms
               AND (next_run_at IS NULL OR next_run_at <= t.ms)
          ) THEN 1 ELSE 0 END AS has_abandoned,
          CASE WHEN EXISTS (
            SELECT 1 FROM publications WHERE state = 'scheduled' AND started_at IS NULL AND next_run_at < t.ms - $1
          ) THEN 1 ELSE 0 END AS has_overdue,
          (SELECT MIN(next_run_at) FROM publications WHERE state = 'scheduled' AND next_run_at > t.ms) AS next_due_at,
          (SELECT MIN(COALESCE(next_run_at, lease_expires_at)) FROM publications
            WHERE state IN ('preparing', 'committing') AND COALESCE(next_run_at, lease_expires_at) > t.ms
          ) AS next_lease_at
     FROM (SELECT ${clock} AS ms) t`;

const postgresClock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
const sqliteClock = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const pendingWorkQuery = statement<{
  now: number;
  has_due: number;
  has_abandoned: number;
  has_overdue: number;
  next_due_at: number | null;
  next_lease_at: number | null;
}>("find_publishing_work", pendingWorkSql(postgresClock), pendingWorkSql(sqliteClock));

const timeQuery = statement<{ ms: number }>(
  "get_database_time",
  `SELECT ${postgresClock} AS ms`,
  `SELECT ${sqliteClock} AS ms`,
);

export function createPublishingWorkStore({ q, run, notify }: Connection): PublishingWorkStore {
  return {
    async getTime() {
      return (await run(timeQuery, []))[0]?.ms ?? 0;
    },
    async findWork(overdueAfterMs) {
      const [row] = await run(pendingWorkQuery, [overdueAfterMs]);
      if (!row) throw new Error("the search for publishing work returned no row");
      const nextTimes = [row.next_due_at, row.next_lease_at].filter((time) => time !== null);
      return {
        now: row.now,
        hasDue: row.has_due === 1,
        hasAbandoned: row.has_abandoned === 1,
        hasOverdue: row.has_overdue === 1,
        nextRunAt: nextTimes.length === 0 ? undefined : Math.min(...nextTimes),
      };
    },
    async claimDue(now, leaseExpiresAt) {
      const [row] = await run(claimDueQuery, [leaseExpiresAt, now]).catch(throwConflictOnDuplicate);
      return row && toPublication(row);
    },
    async claimAbandoned(now, leaseExpiresAt) {
      const [row] = await run(claimAbandonedQuery, [leaseExpiresAt, now]);
      return row && toPublication(row);
    },
    async listOverdue(nextRunBefore, limit) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("state", "=", "scheduled")
        .where("started_at", "is", null)
        .where("next_run_at", "<", nextRunBefore)
        .orderBy("next_run_at")
        .limit(limit)
        .execute();
      return rows.map(toPublication);
    },
    announceDue: () => notify("publications_due"),
  };
}

/** Another worker claimed a publication of the same account at the same time. */
function throwConflictOnDuplicate(error: unknown): never {
  if ((error as { code?: unknown }).code === "23505") throw new ConflictError();
  throw error;
}
