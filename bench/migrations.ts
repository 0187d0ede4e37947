import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migratePostgres, migrateSqlite } from "#db/migrate.ts";
import { databaseFileName, migrationsFolder } from "#db/open-database.ts";
import { searchableTables } from "#domain/ports/search.ts";
import { createTemporaryDatabase, type EngineName } from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { computeFillCounts } from "./fill-context.ts";
import { fillDatabase, openFiller } from "./fill-database.ts";
import { fillTokens } from "./fill-search-index.ts";

/**
 * Measures migrations on a database with many rows: their time, which tables they lock, and how long reads and writes of
 * other connections wait in the meantime. Fills the schema as of each migration in `--from`, and applies the later ones.
 *   node bench/migrations.ts [sqlite] [postgres] [--posts=100000] [--from=0010,0015,0018]
 */

const args = process.argv.slice(2);
const getOption = (name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const counts = computeFillCounts(Number(getOption("posts") ?? 100_000));
const initialMigrations = (getOption("from") ?? "0010,0015,0018").split(",");
const engines = (["sqlite", "postgres"] as const).filter(
  (engine) => !args.some((arg) => arg === "sqlite" || arg === "postgres") || args.includes(engine),
);
const probeIntervalMs = 5;
const lockIntervalMs = 10;

/**
 * Statements of a running service, each on its own connection. `$1` counts the repetitions, so that each one uses
 * another row.
 */
const probes: Record<string, string> = {
  "read posts": "SELECT title FROM posts WHERE id = 'pst_' || lpad($1::text, 26, '0')",
  "write posts": "UPDATE posts SET updated_at = updated_at WHERE id = 'pst_' || lpad($1::text, 26, '0')",
  "write assets": "UPDATE assets SET alt_text = alt_text WHERE id = 'ast_' || lpad($1::text, 26, '0')",
  "write activity": `INSERT INTO activity (id, studio_id, action, detail, at)
                     SELECT 'act_p' || gen_random_uuid(), id, 'post.updated', '{}', $1 FROM studios LIMIT 1`,
};

const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === "40P01";

/** Repeats a statement, and describes the longest time that it took. */
async function probe(url: string, name: string, sql: string, signal: AbortSignal): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let longestMs = 0;
  let deadlocks = 0;
  for (let i = 0; !signal.aborted; i++) {
    const startedAt = performance.now();
    // PostgreSQL ends a deadlock by canceling either the statement, as here, or the migration.
    await client.query(sql, [i % counts.posts]).catch((error: unknown) => {
      if (!isDeadlock(error)) throw error;
      deadlocks++;
    });
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await sleep(probeIntervalMs);
  }
  await client.end();
  return `${name} ${formatMs(longestMs)}${deadlocks > 0 ? ` (${deadlocks} deadlocks)` : ""}`;
}

/** Starts the migration again after a deadlock, as an operator would. */
async function retryAfterDeadlock(migrate: () => Promise<string[]>): Promise<string[]> {
  for (;;) {
    try {
      return await migrate();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
      process.stdout.write("    deadlock: the migration was rolled back\n");
    }
  }
}

/** Locks that conflict with the writes of a service; `AccessExclusiveLock` also conflicts with its reads. */
const locksQuery = `
  SELECT c.relname AS name, l.mode
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE a.application_name = 'atelier-migrate' AND l.granted AND c.relkind = 'r'
     AND l.mode IN ('AccessExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock') AND c.relname = ANY ($1)`;

/** Describes how long the migration has held its locks, which it releases when it commits. */
async function watchLocks(url: string, signal: AbortSignal): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tablesQuery = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
  const tables = (await client.query<{ relname: string }>(tablesQuery)).rows.map(({ relname }) => relname);
  const firstSeenAt = { exclusive: new Map<string, number>(), share: new Map<string, number>() };
  while (!signal.aborted) {
    const { rows } = await client.query<{ name: string; mode: string }>(locksQuery, [tables]);
    for (const { name, mode } of rows) {
      const seenAt = firstSeenAt[mode === "AccessExclusiveLock" ? "exclusive" : "share"];
      if (!seenAt.has(name)) seenAt.set(name, performance.now());
    }
    await sleep(lockIntervalMs);
  }
  await client.end();
  const endedAt = performance.now();
  const describe = (seenAt: Map<string, number>): string =>
    [...seenAt].map(([name, at]) => `${name} ${formatMs(endedAt - at)}`).join(", ");
  return [
    `no reads and writes of: ${describe(firstSeenAt.exclusive)}`,
    `no writes of: ${describe(firstSeenAt.share)}`,
  ].filter((line) => !line.endsWith(": "));
}

const formatMs = (ms: number): string => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);

async function measureMigration(url: string | undefined, migrate: () => Promise<string[]>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const probeResults =
    url === undefined ? [] : Object.entries(probes).map(([name, sql]) => probe(url, name, sql, signal));
  const lockLines = url === undefined ? [] : watchLocks(url, signal);
  if (url !== undefined) await sleep(200);
  const startedAt = performance.now();
  const appliedMigrations = await retryAfterDeadlock(migrate);
  const ms = performance.now() - startedAt;
  controller.abort();
  const waits = await Promise.all(probeResults);
  const lines = [...(waits.length > 0 ? [`longest: ${waits.join(", ")}`] : []), ...(await lockLines)];
  process.stdout.write(`${appliedMigrations.join().padEnd(32)} ${formatMs(ms).padStart(8)}\n`);
  for (const line of lines) process.stdout.write(`    ${line}\n`);
}

async function measureMigrations(
  engine: EngineName,
  postgresUrl: string | undefined,
  initialMigration: string,
): Promise<void> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const folder = createTempFolder();
  const { databaseUrl: url, dataDir } = location;
  mkdirSync(dataDir, { recursive: true });
  const migrate = (): Promise<string[]> =>
    url === undefined ? migrateSqlite(join(dataDir, databaseFileName), folder.path) : migratePostgres(url, folder.path);
  const otherEngine = engine === "sqlite" ? ".postgres.sql" : ".sqlite.sql";
  const files = readdirSync(migrationsFolder)
    .filter((file) => !file.endsWith(otherEngine))
    .toSorted();
  const addFile = (file: string): void => copyFileSync(join(migrationsFolder, file), join(folder.path, file));
  const isInitial = (file: string): boolean => file.slice(0, initialMigration.length) <= initialMigration;

  files.filter(isInitial).forEach(addFile);
  await migrate();
  const filler = await openFiller(location);
  const startedAt = performance.now();
  await fillDatabase(filler, counts, Date.now());
  if (engine === "postgres" && initialMigration >= "0017")
    for (const table of searchableTables) await fillTokens(filler, table);
  await filler.write(engine === "sqlite" ? "ANALYZE" : "VACUUM ANALYZE");
  process.stdout.write(
    `${engine}: ${counts.posts} posts with the schema of ${initialMigration}, filled in ${formatMs(performance.now() - startedAt)}\n`,
  );
  await filler.close();
  for (const file of files.filter((name) => !isInitial(name))) {
    addFile(file);
    await measureMigration(url, migrate);
  }
  folder.remove();
  await location.remove();
}

for (const engine of engines) {
  const programFolder = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programFolder) continue;
  const cluster = programFolder
    ? await createPostgresCluster(programFolder, { fsync: "off", max_wal_size: "8GB", shared_buffers: "2GB" })
    : undefined;
  try {
    for (const initialMigration of initialMigrations) await measureMigrations(engine, cluster?.url(), initialMigration);
  } finally {
    await cluster?.remove();
  }
}
