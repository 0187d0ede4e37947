import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { databaseFileName } from "#db/open-database.ts";
import { serve } from "./setup.ts";

/**
 * The least that can publish with the same guarantees: a loop of prepared statements and one request per publication,
 * with the drivers alone. It claims a row, and reads what is sent and who requested it. Three transactions then save the
 * content, the start of the commit, and its result, each with its activity.
 */

type Row = Record<string, string | number | null>;
type Params = readonly SQLInputValue[];
interface Statement {
  sql: string;
  params: Params;
}
interface Driver {
  run(sql: string, params: Params): Promise<Row[]>;
  /** Runs all statements in one transaction. */
  transact(statements: readonly Statement[]): Promise<void>;
}

function openSqliteDriver(): Driver {
  const db = new DatabaseSync(join(process.env["BENCH_DATA_DIR"] ?? "", databaseFileName), { timeout: 4000 });
  db.exec("PRAGMA synchronous = FULL");
  const cache = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const execute = (sql: string, params: Params): Row[] => {
    const prepared = cache.get(sql) ?? db.prepare(sql.replaceAll(/\$\d+/g, "?"));
    cache.set(sql, prepared);
    return prepared.all(...params) as Row[];
  };
  return {
    run: async (sql, params) => execute(sql, params),
    async transact(statements) {
      db.exec("BEGIN IMMEDIATE");
      for (const { sql, params } of statements) execute(sql, params);
      db.exec("COMMIT");
    },
  };
}

function openPostgresDriver(url: string): Driver {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const names = new Map<string, string>();
  const toQuery = (sql: string, params: Params) => {
    const name = names.get(sql) ?? `s${names.size}`;
    names.set(sql, name);
    return { name, text: sql, values: [...params] };
  };
  return {
    run: async (sql, params) => (await pool.query<Row>(toQuery(sql, params))).rows,
    async transact(statements) {
      const client = await pool.connect();
      await client.query("BEGIN");
      for (const { sql, params } of statements) await client.query(toQuery(sql, params));
      await client.query("COMMIT");
      client.release();
    },
  };
}

const databaseUrl = process.env["BENCH_DATABASE_URL"] ?? "";
const lock = databaseUrl === "" ? "" : "FOR UPDATE OF p SKIP LOCKED";
const { run, transact } = databaseUrl === "" ? openSqliteDriver() : openPostgresDriver(databaseUrl);

const claimSql = `UPDATE publications
    SET state = 'preparing', fence = fence + 1, attempts = attempts + 1, lease_expires_at = $1, started_at = $2,
        next_run_at = NULL
  WHERE id = (
    SELECT p.id FROM publications p
     WHERE p.state = 'scheduled' AND p.next_run_at <= $3 AND NOT EXISTS (
       SELECT 1 FROM publications r
        WHERE r.connection_id = p.connection_id AND r.state IN ('preparing', 'committing'))
     ORDER BY p.next_run_at, p.id LIMIT 1 ${lock})
 RETURNING *`;
const connectionSql = "SELECT * FROM platform_connections WHERE id = $1";
const memberSql = `SELECT m.role, s.approval, u.disabled_at FROM memberships m
   JOIN studios s ON s.id = m.studio_id JOIN users u ON u.id = m.user_id WHERE m.studio_id = $1 AND m.user_id = $2`;
const postSql = "SELECT * FROM posts WHERE id = $1";
const assetsSql = "SELECT * FROM assets WHERE post_id = $1 ORDER BY position";
const contentSql = "UPDATE publications SET content = $1 WHERE id = $2 AND state = 'preparing' AND fence = $3";
const committingSql = `UPDATE publications SET state = 'committing', commit_key = $1, committed_at = $2
  WHERE id = $3 AND state = 'preparing' AND fence = $4`;
const remoteIdSql = "SELECT id FROM publications WHERE connection_id = $1 AND remote_id = $2";
const publishedSql = `UPDATE publications
    SET state = 'published', remote_id = $1, url = $2, published_at = $3, due_at = NULL, lease_expires_at = NULL
  WHERE id = $4 AND state = 'committing' AND fence = $5`;
const activitySql = `INSERT INTO activity (id, studio_id, action, subject_id, detail, at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const buildActivityStatement = ({ studio_id: studioId = "", id = "" }: Row, action: string): Statement => ({
  sql: activitySql,
  params: [`act_${randomUUID()}`, studioId, action, id, "{}", Date.now()],
});

async function publishNext(): Promise<boolean> {
  const now = Date.now();
  // Fails if another slot has just claimed a publication of the same account: a unique index allows one at a time.
  const [row] = await run(claimSql, [now + 30_000, now, now]).catch(() => []);
  if (!row) return false;
  const { id = "", fence = 0, connection_id: connectionId = "", post_id: postId = "" } = row;
  await run(connectionSql, [connectionId]);
  await run(memberSql, [row["studio_id"] ?? "", row["requested_by"] ?? ""]);
  const [post] = await run(postSql, [postId]);
  await run(assetsSql, [postId]);
  const content = JSON.stringify({ title: null, text: post?.["body"], assets: [] });
  await transact([
    { sql: contentSql, params: [content, id, fence] },
    buildActivityStatement(row, "publication.started"),
  ]);
  const commitKey = randomUUID();
  const committing = { sql: committingSql, params: [commitKey, Date.now(), id, fence] };
  await transact([committing, buildActivityStatement(row, "publication.committed")]);
  const response = await fetch(`${process.env["BENCH_PLATFORM"]}/api/posts`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": commitKey, authorization: "Bearer a token" },
    body: JSON.stringify({ text: post?.["body"], mediaIds: [] }),
  });
  const { id: remoteId, url } = (await response.json()) as { id: string; url: string };
  await run(remoteIdSql, [connectionId, remoteId]);
  const published = { sql: publishedSql, params: [remoteId, url, Date.now(), id, fence] };
  await transact([published, buildActivityStatement(row, "publication.published")]);
  return true;
}

async function runSlot(): Promise<never> {
  for (;;) if (!(await publishNext())) await sleep(100);
}

serve((_req, res) => res.end());
await Promise.all(Array.from({ length: 8 }, runSlot));
