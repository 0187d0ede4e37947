import { sql } from "kysely";
import pg from "pg";
import type { Connection, Database } from "#db/database.ts";
import { createStores } from "#db/open-database.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { SearchableTable } from "#domain/ports/search.ts";
import type { EngineName } from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createBench, insertPostsWithAssets, measureMedians, type Bench } from "./asset-fixture.ts";
import { createReport } from "./report.ts";

/**
 * Measures searches in a large and a small studio, and what the index costs when a post is created or changed.
 *   node bench/search.ts [sqlite] [postgres] [--posts=100000] [--quick] [--full]
 *   --quick searches 5,000 posts; --full also searches a million assets
 */

const args = process.argv.slice(2);
const isFullRun = args.includes("--full");
const isQuick = args.includes("--quick");
const postCount = Number(args.find((arg) => arg.startsWith("--posts="))?.slice(8) ?? (isQuick ? 5000 : 100_000));
const engines = (["sqlite", "postgres"] as const).filter(
  (engine) => !args.some((arg) => arg === "sqlite" || arg === "postgres") || args.includes(engine),
);
/** More rows than a search compares before it uses the index, so that both studios use it. */
const smallCount = 300;
const rounds = 100;
const pageSize = 50;
/** A search should not depend on the number of rows. In a large studio, rows are read from the disk. */
const [maxSearchRatio, maxRareRatio] = postCount <= 5000 ? [1.25, 1.5] : [3, 3];

const report = createReport({ fractionDigits: 3 });

const words = Array.from({ length: 2000 }, (_, i) => `w${(i * 7919) % 2000}${"aeiou"[i % 5]}${(i * 31).toString(36)}`);
/**
 * Every text contains "Common". Other words are in every second text, in every 20th, in one of a thousand, or in a
 * single one.
 */
const createText = (i: number): string =>
  `Common ${i % 2 === 0 ? "straight" : "crooked"} ${i % 20 === 0 ? "medium " : ""}${i === 3 ? "rarest " : ""}${words[i % 2000]} ${words[(i * 13) % 2000]} and a few more words about number ${i}`;

/** Searches, named after what they find. */
const searches: Record<string, { query: string; fuzzy?: boolean; limit?: number; maxRatio?: number }> = {
  "a word in every row": { query: "common", maxRatio: maxSearchRatio },
  // The newest 100 rows have more matches than this, so that neither search uses the index.
  "a word in every 20th row": { query: "medium", limit: 4, maxRatio: maxSearchRatio },
  "a word in one row": { query: "rarest", maxRatio: maxRareRatio },
  "a word in no row": { query: "zzyzx", maxRatio: maxSearchRatio },
  "a letter": { query: "o", maxRatio: maxSearchRatio },
  "a common and a rare word": { query: "few rarest", maxRatio: maxRareRatio },
  "a typo in a word of every row": { query: "cmomon", fuzzy: true, maxRatio: maxSearchRatio },
  "a typo in a word of one row": { query: "rarrest", fuzzy: true, maxRatio: maxRareRatio },
  "a word like no other": { query: "zzyzxx", fuzzy: true, maxRatio: maxSearchRatio },
  "typos in a common and a rare word": { query: "commno raerst", fuzzy: true, maxRatio: maxRareRatio },
  // The slowest search: the index has to read the lists of both words.
  "two words that are never together": { query: "straight crooked" },
};

async function insertPosts({ database, deps, owner }: Bench, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
      id: deps.newId("post"),
      studioId: owner.studio.id,
      title: createText(from + i),
      // Has "straight", "crooked" and "medium" in the same rows as the title, and never "rarest".
      body: createText(from + i + 20),
      status: "draft" as const,
      revision: 1,
      searchText: "",
      createdBy: owner.user.id,
      createdAt: 1,
      updatedAt: 1,
    }));
    await database.q.insertInto("posts").values(rows).execute();
  }
}

async function insertNamedAssets(bench: Bench, count: number): Promise<void> {
  await insertPostsWithAssets(bench, count);
  for (let from = 0; from < count; from += 2000) {
    const [first, last] = [from, from + 1999].map((n) => `ast_${String(n).padStart(26, "0")}`);
    const number = "CAST(substr(id, 5) AS INTEGER)";
    const filename = `'Common ' || CASE WHEN ${number} % 2 = 0 THEN 'straight ' ELSE 'crooked ' END || CASE WHEN ${number} % 20 = 0 THEN 'medium ' ELSE '' END || CASE WHEN ${number} = 3 THEN 'rarest ' ELSE '' END || 'number-' || ${number} || ' few.jpg'`;
    await sql
      .raw(`UPDATE assets SET filename = ${filename} WHERE id BETWEEN '${first}' AND '${last}'`)
      .execute(bench.database.q);
  }
}

/** Indexes all rows as the background job does after an upgrade, but in larger transactions and without pauses. */
async function indexAll({ deps, database, url }: Bench, table: SearchableTable): Promise<void> {
  const startedAt = performance.now();
  let total = 0;
  for (let count = -1; count !== 0; total += count)
    count = await deps.transact({ job: "benchmark" }, (tx) => tx.searchIndex.indexNext(table, 250));
  if (url !== undefined) await vacuum(url);
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`indexed ${total} ${table} in ${seconds.toFixed(1)} s (${database.engine})\n`);
}

/** On a separate connection, because it exceeds the service's statement timeout. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("VACUUM ANALYZE");
  await client.end();
}

async function measureSearches(
  engine: EngineName,
  postgresUrl: string | undefined,
  table: SearchableTable,
  count: number,
): Promise<void> {
  const createStudio = async (rows: number): Promise<Bench> => {
    const bench = await createBench(engine, postgresUrl);
    await (table === "posts" ? insertPosts(bench, rows) : insertNamedAssets(bench, rows));
    await indexAll(bench, table);
    return bench;
  };
  const [largeBench, smallBench] = [await createStudio(count), await createStudio(smallCount)];
  const list = table === "posts" ? listPosts : listAssets;
  for (const [name, { query, fuzzy, limit = pageSize, maxRatio }] of Object.entries(searches)) {
    const search =
      ({ deps, owner }: Bench) =>
      () =>
        list(deps, owner, { limit, query, fuzzy });
    await measureMedians(20, search(largeBench), search(smallBench));
    const [largeMs, smallMs] = await measureMedians(rounds, search(largeBench), search(smallBench));
    report.printLine(
      `${count} ${table}, ${name} (${engine})`,
      largeMs,
      maxRatio,
      `${smallCount} ${table}`,
      smallMs,
      "ms",
    );
  }
  await Promise.all([largeBench.close(), smallBench.close()]);
}

/** The same database, but without writing to the index. The tokens are still computed. */
function skipIndex(database: Database): Database {
  const createRun: (tx: Connection) => Connection["run"] = (tx) => async (statement, params) =>
    /(post|asset)_(search|tokens)/.test(statement.sql) ? ([{}] as never) : tx.run(statement, params);
  return { ...database, transact: (work) => database.transact((tx) => work({ ...tx, run: createRun(tx) })) };
}

/** Returns the CPU time of this process per call, without that of PostgreSQL. */
async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < 50; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / 50;
}

/** The maximum ratios with a short, a long and no new text: what was measured plus noise (docs/performance.md). */
const writeLimits = { sqlite: { short: 1.9, long: 3.5, none: 1.1 }, postgres: { short: 1.3, long: 1.35, none: 1.1 } };

async function measureWrites({ deps, database, owner }: Bench): Promise<void> {
  const baselineDeps: Deps = { ...deps, ...createStores(skipIndex(database)) };
  let count = 0;
  const createBody = (length: number): string => {
    let body = "";
    while (body.length < length) body += ` ${createText(count++ * 17)}`;
    return body.slice(0, length);
  };
  const create = (writeDeps: Deps, length: number) => () =>
    createPost(writeDeps, owner, { title: "A post", body: createBody(length) });
  const update = async (writeDeps: Deps, createChange: () => object): Promise<() => Promise<unknown>> => {
    const { id: postId } = await createPost(writeDeps, owner, { title: "A post", body: createBody(280) });
    return () => updatePost(writeDeps, owner, { postId, ...createChange() });
  };
  const changeBody = (length: number) => () => ({ body: createBody(length) });
  const changeStatus = () => ({ status: count++ % 2 === 0 ? "ready" : "draft" });
  const limits = writeLimits[database.engine];
  const cases: [name: string, maxRatio: number, ours: () => Promise<unknown>, baseline: () => Promise<unknown>][] = [
    ["create_post", limits.short, create(deps, 280), create(baselineDeps, 280)],
    ["create_post, 5,000 characters", limits.long, create(deps, 5000), create(baselineDeps, 5000)],
    [
      "update_post, new body",
      limits.short,
      await update(deps, changeBody(280)),
      await update(baselineDeps, changeBody(280)),
    ],
    [
      "update_post, new body of 5,000 characters",
      limits.long,
      await update(deps, changeBody(5000)),
      await update(baselineDeps, changeBody(5000)),
    ],
    [
      "update_post, new status",
      limits.none,
      await update(deps, changeStatus),
      await update(baselineDeps, changeStatus),
    ],
  ];
  for (const [name, maxRatio, ours, baseline] of cases) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < (isQuick ? 8 : 20); round++) {
      times[0].push(await measureCpuMs(ours));
      times[1].push(await measureCpuMs(baseline));
    }
    // Other load on the machine only adds CPU time.
    const [oursMs, baselineMs] = times.map((values) => Math.min(...values));
    report.printLine(
      `CPU of ${name} (${database.engine})`,
      oursMs ?? 0,
      maxRatio,
      "without the index",
      baselineMs ?? 0,
      "ms",
    );
  }
}

for (const engine of engines) {
  const programFolder = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programFolder) continue;
  const cluster = programFolder ? await createPostgresCluster(programFolder, { fsync: "off" }) : undefined;
  try {
    const bench = await createBench(engine, cluster?.url());
    await measureWrites(bench);
    await bench.close();
    await measureSearches(engine, cluster?.url(), "posts", postCount);
    if (isFullRun) await measureSearches(engine, cluster?.url(), "assets", 1_000_000);
  } finally {
    await cluster?.remove();
  }
}
process.exit(report.hasExceededLimit ? 1 : 0);
