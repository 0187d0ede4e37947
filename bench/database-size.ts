import type { JobDeps } from "#domain/ports/deps.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Database } from "#db/database.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPostSummaries } from "#domain/posts/list-post-summaries.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { listCalendar } from "#domain/publishing/list-calendar.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { createSearchQueue } from "#domain/model/search/search-queue.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { purgeStudio } from "#domain/steps/purge-studio.ts";
import { days, minutes, systemClock, toIsoTime } from "#lib/clock.ts";
import {
  createDeps,
  createTemporaryDatabase,
  silentLog,
  type EngineName,
  type TemporaryDatabase,
} from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { measureMs, median } from "./asset-fixture.ts";
import {
  computeFillCounts,
  formatId,
  getSmallStudio,
  largeStudio,
  type FillCounts,
  type Filler,
} from "./fill-context.ts";
import { fillDatabase, openFiller } from "./fill-database.ts";
import { fillSearchIndex } from "./fill-search-index.ts";
import { publicationSpan } from "./fill-tables.ts";
import { createReport } from "./report.ts";
import { withSandbox } from "./servers/publish-setup.ts";
import { signInUser } from "../test/support/users.ts";

/**
 * Measures calls in a database with many studios, in its large studio and in a small one, compared with a database of a
 * hundred posts. Also prints the bytes of each table, for docs/scale.md.
 *   node bench/database-size.ts [sqlite] [postgres] [--posts=1000000] [--few-tokens]
 *   --posts        a multiple of 10,000; default 100,000 on SQLite, 1,000,000 on PostgreSQL. bench/fill-database.ts
 *                  says how many other rows each post gets
 *   --few-tokens   only fills the search index of the two studios that are measured (PostgreSQL)
 */

const args = process.argv.slice(2);
const postCount = args.find((arg) => arg.startsWith("--posts="))?.slice(8);
const engines = (["sqlite", "postgres"] as const).filter(
  (engine) => !args.some((arg) => arg === "sqlite" || arg === "postgres") || args.includes(engine),
);
const defaultPosts = { sqlite: 100_000, postgres: 1_000_000 };
const baselinePosts = 100;
const [warmUpRounds, rounds] = [30, 100];
const pageSize = 20;
/** Calls that need a post use this many different posts in turn. */
const samplePosts = 500;

const report = createReport({ fractionDigits: 3 });

interface FilledDatabase {
  counts: FillCounts;
  database: Database;
  deps: JobDeps;
  filler: Filler;
  location: TemporaryDatabase;
  close(): Promise<void>;
}

async function createDatabase(
  engine: EngineName,
  postgresUrl: string | undefined,
  posts: number,
  now: number,
): Promise<FilledDatabase> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const deps = withSandbox(createDeps(database, systemClock), "http://localhost");
  const filler = await openFiller(location);
  const counts = computeFillCounts(posts);
  const startedAt = performance.now();
  await fillDatabase(filler, counts, now);
  const filledAt = performance.now();
  const measuredStudios = [largeStudio, getSmallStudio(counts)].map((studio) => formatId("std", studio));
  await fillSearchIndex(filler, deps, args.includes("--few-tokens") ? measuredStudios : undefined);
  const indexedAt = performance.now();
  // Makes a few publications due, for the worker's claim.
  await filler.write(
    `UPDATE publications SET due_at = ${now} - 60000, next_run_at = ${now} - 60000 WHERE id IN (
       SELECT id FROM publications WHERE state = 'scheduled' ORDER BY id LIMIT ${Math.ceil(counts.publications / 1000)})`,
  );
  await filler.write(engine === "sqlite" ? "ANALYZE" : "VACUUM ANALYZE");
  const [fill, index, analyze] = [filledAt - startedAt, indexedAt - filledAt, performance.now() - indexedAt].map((ms) =>
    (ms / 1000).toFixed(0),
  );
  process.stdout.write(`${engine}: ${posts} posts filled in ${fill} s, tokens ${index} s, analyzed ${analyze} s\n`);
  return {
    counts,
    database,
    deps,
    filler,
    location,
    async close() {
      await filler.close();
      await database.close();
      await location.remove();
    },
  };
}

interface Call {
  run(): Promise<unknown>;
  /** Runs after each call and is not measured. */
  reset?(): Promise<unknown>;
  /**
   * The highest accepted ratio of this call's time to the baseline's. Undefined (no limit) if the call returns more rows
   * than the baseline's call.
   */
  maxRatio?: number | undefined;
}

async function createCalls(
  { counts, deps: databaseDeps, filler }: FilledDatabase,
  studio: number,
  now: number,
): Promise<Record<string, Call>> {
  // A queue pauses after each search, so searches of two studios would delay each other.
  const deps: JobDeps = { ...databaseDeps, searchQueue: createSearchQueue(databaseDeps) };
  const user = { id: formatId("usr", studio), name: `Person ${studio}`, email: null };
  const caller = await resolveStudioCaller(deps, await signInUser(deps, user), formatId("std", studio));
  const posts = await filler.read<{ id: string }>(
    `SELECT id FROM posts WHERE studio_id = '${caller.studio.id}' ORDER BY substr(id, 30), id LIMIT ${samplePosts}`,
  );
  const [connection] = await deps.platformStore.listConnected(caller.studio.id);
  const connectionId = connection?.id ?? "";
  let count = 0;
  const nextPostId = (): string => posts[count++ % posts.length]?.id ?? "";
  const defineCall = (run: () => Promise<unknown>, options: Partial<Call> = {}): Call => ({
    run,
    maxRatio: 3,
    ...options,
  });
  const defineSearch = (query: string, limit = pageSize): Call =>
    defineCall(() => listPosts(deps, caller, { query, limit }));
  // A range with ten publications: the whole calendar of a small studio, about a day of the large one.
  const isLarge = counts.studios > 1 && studio === largeStudio;
  const largeStudioPublications = counts.publications / 10;
  const tenEntriesMs = isLarge ? (publicationSpan.large / largeStudioPublications) * 10 : publicationSpan.small;
  const createCalendarCall = (rangeMs: number): (() => Promise<unknown>) => {
    const [from, to] = [now - (rangeMs / 20) * 19, now + rangeMs / 20].map(toIsoTime) as [string, string];
    return () => listCalendar(deps, caller, { from, to });
  };
  return {
    get_post: defineCall(() => getPost(deps, caller, { postId: nextPostId() })),
    "update_post, new body": defineCall(() =>
      updatePost(deps, caller, { postId: nextPostId(), body: `A new text with the number ${count++}.` }),
    ),
    get_post_history: defineCall(() => getPostHistory(deps, caller, { postId: nextPostId(), limit: pageSize })),
    list_posts: defineCall(() => listPosts(deps, caller, { limit: pageSize })),
    "list_posts, ready": defineCall(() => listPosts(deps, caller, { limit: pageSize, status: "ready" })),
    "list of the web app": defineCall(() => listPostSummaries(deps, caller, { limit: pageSize })),
    "list of the web app, in editing, by author": defineCall(() =>
      listPostSummaries(deps, caller, { limit: pageSize, stage: "editing", author: user.id }),
    ),
    "search, word in every post": defineSearch("common"),
    // All studios have at least this many matches, so that all searches return equally many results.
    "search, word in every 20th post": defineSearch("medium", baselinePosts / 20 - 1),
    "search, word in one post": defineSearch("rarest"),
    "search, word in no post": defineSearch("zzyzx"),
    list_assets: defineCall(() => listAssets(deps, caller, { limit: pageSize })),
    "list_assets, unattached videos": defineCall(() =>
      listAssets(deps, caller, { limit: 2, unattached: true, kind: "video" }),
    ),
    "search of assets, word in no asset": defineCall(() =>
      listAssets(deps, caller, { limit: pageSize, query: "zzyzx" }),
    ),
    "calendar, ten entries": defineCall(createCalendarCall(tenEntriesMs)),
    "calendar, 31 days": defineCall(createCalendarCall(days(31)), { maxRatio: isLarge ? undefined : 3 }),
    list_publications: defineCall(() => listPublications(deps, caller, { limit: 5 })),
    "disconnect_platform: open publications": defineCall(() =>
      deps.publications.listByConnection(connectionId, ["proposed", "scheduled"], 50),
    ),
    list_activity: defineCall(() => listActivity(deps, caller, { limit: pageSize })),
    "list_activity, one action": defineCall(() =>
      listActivity(deps, caller, { limit: pageSize, action: "post.created" }),
    ),
    "publishing worker: claim of a due publication": defineCall(
      async () => {
        const slots = { publicationIds: [], maxPerStudio: 1, maxPerHost: 1 };
        if (!(await deps.publicationRuns.claimDue({ now, leaseExpiresAt: now, slots }))) throw new Error("none is due");
      },
      {
        reset: () =>
          filler.write(
            `UPDATE publications SET state = 'scheduled', next_run_at = due_at, started_at = NULL, lease_expires_at = NULL
              WHERE state = 'preparing'`,
          ),
      },
    ),
    "publishing worker: query for work": defineCall(() => deps.publications.findWork(minutes(15))),
    "search index job: count unindexed posts": defineCall(() => deps.searchIndex.countUnindexed("posts")),
  };
}

/** Measures one call per studio in each round, so that other load on the machine affects all of them. */
async function measureCalls(
  engine: EngineName,
  large: FilledDatabase,
  baseline: FilledDatabase,
  now: number,
): Promise<void> {
  const callSets = [
    await createCalls(baseline, 0, now),
    await createCalls(large, largeStudio, now),
    await createCalls(large, getSmallStudio(large.counts), now),
  ];
  for (const name of Object.keys(callSets[0] ?? {})) {
    const times = callSets.map((): number[] => []);
    for (let round = -warmUpRounds; round < rounds; round++)
      for (const [i, calls] of callSets.entries()) {
        const { run, reset } = calls[name] as Call;
        const ms = await measureMs(run);
        if (round >= 0) times[i]?.push(ms);
        await reset?.();
      }
    const [baselineMs = 0, ...medians] = times.map(median);
    for (const [i, ms] of medians.entries()) {
      const studioName = i === 0 ? "large studio" : "small studio";
      const maxRatio = callSets[i + 1]?.[name]?.maxRatio;
      report.printLine(`${name}, ${studioName} (${engine})`, ms, maxRatio, `${baselinePosts} posts`, baselineMs, "ms");
    }
  }
}

/** Measures once how long it takes to delete a studio, and its longest transaction. */
async function measureDeletion(engine: EngineName, large: FilledDatabase, baseline: FilledDatabase): Promise<void> {
  const deleteStudio = async ({ deps }: FilledDatabase, studio: number): Promise<{ ms: number; longestMs: number }> => {
    let longestMs = 0;
    const transact: JobDeps["transact"] = async (authority, work) => {
      const startedAt = performance.now();
      const result = await deps.transact(authority, work);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      return result;
    };
    const studioId = formatId("std", studio);
    const ms = await measureMs(async () => {
      await transact({ job: "benchmark" }, (tx) => tx.studios.markDeleted(studioId, deps.clock()));
      await purgeStudio({ ...deps, transact }, studioId, { pause: async () => {}, shouldStop: () => false });
    });
    return { ms, longestMs };
  };
  const measurements = {
    "small studio": await deleteStudio(large, getSmallStudio(large.counts)),
    "large studio": await deleteStudio(large, largeStudio),
  };
  const baselineResult = await deleteStudio(baseline, 0);
  const name = `${baselinePosts} posts`;
  for (const [studio, { ms, longestMs }] of Object.entries(measurements)) {
    report.printLine(`delete a studio, ${studio} (${engine})`, ms, undefined, name, baselineResult.ms, "ms");
    const longest = `delete a studio, ${studio}: longest transaction (${engine})`;
    report.printLine(longest, longestMs, undefined, name, baselineResult.longestMs, "ms");
  }
}

interface TableSize {
  name: string;
  table_bytes: number;
  index_bytes: number;
}

async function printSizes({ filler, counts }: FilledDatabase): Promise<void> {
  const sizes = await filler.read<TableSize>(
    filler.engine === "postgres"
      ? `SELECT relname AS name, pg_table_size(oid)::float8 AS table_bytes, pg_indexes_size(oid)::float8 AS index_bytes
           FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`
      : `SELECT m.tbl_name AS name, sum(CASE WHEN m.type = 'table' THEN s.pgsize ELSE 0 END) AS table_bytes,
                sum(CASE WHEN m.type = 'index' THEN s.pgsize ELSE 0 END) AS index_bytes
           FROM dbstat s JOIN sqlite_schema m ON m.name = s.name WHERE s.aggregate = 1 GROUP BY m.tbl_name`,
  );
  const format = (n: number): string => Math.round(n).toString().padStart(9);
  for (const { name, table_bytes, index_bytes } of sizes.toSorted(
    (a, b) => b.table_bytes + b.index_bytes - a.table_bytes - a.index_bytes,
  )) {
    if (table_bytes + index_bytes < 1_000_000) continue;
    const [row] = await filler.read<{ n: number }>(`SELECT CAST(count(*) AS INTEGER) AS n FROM "${name}"`);
    const rows = row?.n ?? 0;
    process.stdout.write(
      `${name.padEnd(24)} ${format(rows)} rows ${format(table_bytes / 1e6)} MB ${format(index_bytes / 1e6)} MB in indexes ${format(table_bytes / rows)} + ${format(index_bytes / rows)} bytes per row\n`,
    );
  }
  const total = sizes.reduce((sum, { table_bytes, index_bytes }) => sum + table_bytes + index_bytes, 0);
  process.stdout.write(
    `total ${format(total / 1e6)} MB, ${format(total / counts.posts)} bytes per post with all of its rows\n`,
  );
  if (filler.engine === "sqlite") return;
  const indexes = await filler.read<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_relation_size(oid)::float8 AS bytes FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'i' AND pg_relation_size(oid) > 1000000 ORDER BY 2 DESC`,
  );
  for (const { name, bytes } of indexes) process.stdout.write(`index ${name.padEnd(34)} ${format(bytes / 1e6)} MB\n`);
}

for (const engine of engines) {
  const programFolder = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programFolder) continue;
  const settings = {
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    wal_level: "minimal",
    max_wal_senders: 0,
    max_wal_size: "8GB",
    shared_buffers: "2GB",
  };
  const cluster = programFolder ? await createPostgresCluster(programFolder, settings) : undefined;
  try {
    const now = Date.now();
    const baseline = await createDatabase(engine, cluster?.url(), baselinePosts, now);
    const large = await createDatabase(engine, cluster?.url(), Number(postCount ?? defaultPosts[engine]), now);
    await printSizes(large);
    await measureCalls(engine, large, baseline, now);
    await measureDeletion(engine, large, baseline);
    await large.close();
    await baseline.close();
  } finally {
    await cluster?.remove();
  }
}
process.exit(report.hasExceededLimit ? 1 : 0);
