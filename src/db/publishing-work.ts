import { ConflictError } from "#domain/model/conflict.ts";
import type {
  PendingWork,
  PublicationClaim,
  PublicationRunStore,
  PublicationStore,
} from "#domain/ports/publications.ts";
import { first, selectRows, statement, type Connection, type Statement } from "./database.ts";
import { listPublications, toPublication, type PublicationRow } from "./publication-rows.ts";

/** What differs between the engines: row locks, reading the ids in $3, and the choice of an index. */
interface ClaimDialect {
  lock: string;
  ids: string;
  dueIndex: string;
}

const postgresDialect: ClaimDialect = {
  lock: "FOR UPDATE OF p SKIP LOCKED",
  ids: "SELECT json_array_elements_text(CAST($3 AS json))",
  dueIndex: "",
};
const sqliteDialect: ClaimDialect = {
  lock: "",
  ids: "SELECT value FROM json_each($3)",
  // SQLite would otherwise read every scheduled publication, in the order of the accounts.
  dueIndex: "INDEXED BY publications_due_accounts",
};

/**
 * Selects one of the candidates (`connection_id`, `waiting_since`, one per account) fairly: the one whose studio has the
 * fewest slots of this process, then the one whose host has the fewest, then the oldest.
 */
const selectFairlySql = (candidates: string, condition: string, { lock, ids }: ClaimDialect): string =>
  `WITH slots AS (
      SELECT r.studio_id, a.platform, a.instance FROM publications r
        JOIN platform_connections a ON a.id = r.connection_id
       WHERE r.id IN (${ids})),
    studio_slots AS (SELECT studio_id, COUNT(*) AS used FROM slots GROUP BY studio_id),
    host_slots AS (SELECT platform, instance, COUNT(*) AS used FROM slots GROUP BY platform, instance)
    SELECT p.id FROM (${candidates}) candidate
      JOIN publications p ON p.connection_id = candidate.connection_id AND ${condition}
      JOIN platform_connections c ON c.id = candidate.connection_id
      LEFT JOIN studio_slots s ON s.studio_id = c.studio_id
      LEFT JOIN host_slots h ON h.platform = c.platform AND h.instance = c.instance
     WHERE COALESCE(s.used, 0) < $4 AND COALESCE(h.used, 0) < $5
     ORDER BY COALESCE(s.used, 0), COALESCE(h.used, 0), candidate.waiting_since, p.id
     LIMIT 1 ${lock}`;

const claimStatement = (toSql: (dialect: ClaimDialect) => string): Statement<PublicationRow> =>
  statement(toSql(postgresDialect), { sqlite: toSql(sqliteDialect) });

/** Skips accounts with a running publication; a unique index rejects all but one of several simultaneous claims. */
const claimDueQuery = claimStatement((dialect) => {
  const candidates = `
    SELECT d.connection_id, MIN(d.next_run_at) AS waiting_since FROM publications d ${dialect.dueIndex}
     WHERE d.state = 'scheduled' AND d.next_run_at <= $2
     GROUP BY d.connection_id
    HAVING NOT EXISTS (
      SELECT 1 FROM publications r WHERE r.connection_id = d.connection_id AND r.state IN ('preparing', 'committing'))`;
  const condition = `p.state = 'scheduled' AND p.id = (
    SELECT MIN(f.id) FROM publications f
     WHERE f.connection_id = candidate.connection_id AND f.state = 'scheduled'
       AND f.next_run_at = candidate.waiting_since)`;
  return `UPDATE publications
      SET state = 'preparing', fence = fence + 1, attempts = attempts + 1, lease_expires_at = $1,
          started_at = COALESCE(started_at, $2), next_run_at = NULL
    WHERE state = 'scheduled' AND id = (${selectFairlySql(candidates, condition, dialect)})
   RETURNING *`;
});

const claimAbandonedQuery = claimStatement((dialect) => {
  const candidates = `
    SELECT connection_id, lease_expires_at AS waiting_since FROM publications
     WHERE state IN ('preparing', 'committing') AND lease_expires_at <= $2
       AND (next_run_at IS NULL OR next_run_at <= $2)`;
  const condition = "p.state IN ('preparing', 'committing') AND p.lease_expires_at <= $2";
  return `UPDATE publications SET fence = fence + 1, lease_expires_at = $1, next_run_at = NULL
    WHERE state IN ('preparing', 'committing') AND lease_expires_at <= $2
      AND id = (${selectFairlySql(candidates, condition, dialect)})
   RETURNING *`;
});

/** Idle workers run this every second: each part reads one row of an index. */
const pendingWorkSql = (clock: string): string =>
  `SELECT t.ms AS now,
          EXISTS (SELECT 1 FROM publications WHERE state = 'scheduled' AND next_run_at <= t.ms) AS has_due,
          EXISTS (
            SELECT 1 FROM publications
             WHERE state IN ('preparing', 'committing') AND lease_expires_at <= t.ms
               AND (next_run_at IS NULL OR next_run_at <= t.ms)
          ) AS has_abandoned,
          EXISTS (
            SELECT 1 FROM publications WHERE state = 'scheduled' AND started_at IS NULL AND next_run_at < t.ms - $1
          ) AS has_overdue,
          (SELECT MIN(next_run_at) FROM publications WHERE state = 'scheduled' AND next_run_at > t.ms) AS next_due_at,
          (SELECT MIN(COALESCE(next_run_at, lease_expires_at)) FROM publications
            WHERE state IN ('preparing', 'committing') AND COALESCE(next_run_at, lease_expires_at) > t.ms
          ) AS next_lease_at
     FROM (SELECT ${clock} AS ms) t`;

const postgresClock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
const sqliteClock = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

const pendingWorkQuery = statement<
  Omit<PendingWork, "nextRunAt"> & { nextDueAt: number | null; nextLeaseAt: number | null }
>(pendingWorkSql(postgresClock), { sqlite: pendingWorkSql(sqliteClock) });

const timeQuery = statement<{ ms: number }>(`SELECT ${postgresClock} AS ms`, { sqlite: `SELECT ${sqliteClock} AS ms` });

/** The methods for workers. */
export function createPublishingWorkStore({
  q,
  run,
  notify,
}: Connection): Pick<PublicationStore, "getTime" | "findWork" | "listOverdue" | "listStartable" | "announceDue"> &
  Pick<PublicationRunStore, "claimDue" | "claimAbandoned"> {
  return {
    getTime: async () => (await run(timeQuery, []))[0]?.ms ?? 0,
    async findWork(overdueAfterMs) {
      const [row] = await run(pendingWorkQuery, [overdueAfterMs]);
      if (!row) throw new Error("the search for publishing work returned no row");
      const { nextDueAt, nextLeaseAt, ...work } = row;
      const nextTimes = [nextDueAt, nextLeaseAt].filter((time) => time !== null);
      return { ...work, nextRunAt: nextTimes.length === 0 ? undefined : Math.min(...nextTimes) };
    },
    claimDue: (claim) => first(run(claimDueQuery, toClaimParams(claim)).catch(throwConflictOnDuplicate), toPublication),
    claimAbandoned: (claim) => first(run(claimAbandonedQuery, toClaimParams(claim)), toPublication),
    listOverdue: (nextRunBefore, limit) =>
      selectRows(q, "publications", { state: "scheduled", startedAt: null })
        .selectAll()
        .where("nextRunAt", "<", nextRunBefore)
        .orderBy("nextRunAt")
        .limit(limit)
        .$call(listPublications),
    listStartable: (after, limit) =>
      q
        .selectFrom("publications")
        .selectAll()
        .where("state", "in", ["scheduled", "preparing"])
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .$call(listPublications),
    announceDue: () => notify("publications_due"),
  };
}

const toClaimParams = ({ now, leaseExpiresAt, slots }: PublicationClaim): unknown[] => [
  leaseExpiresAt,
  now,
  slots.publicationIds,
  slots.maxPerStudio,
  slots.maxPerHost,
];

/** Another worker claimed a publication of the same account at the same time. */
function throwConflictOnDuplicate(error: unknown): never {
  if ((error as { code?: unknown }).code === "23505") throw new ConflictError();
  throw error;
}
