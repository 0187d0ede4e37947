import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { statement, type Database } from "#db/database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { sealCredential } from "#domain/steps/credentials.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, systemClock, toIsoTime } from "#lib/clock.ts";
import { createVault } from "#lib/vault.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { newStudio } from "../test/support/users.ts";
import { startMeasuredServer, type MeasuredServer } from "./measured-server.ts";
import { createReport } from "./report.ts";
import { withSandbox } from "./servers/publish-setup.ts";

/**
 * Measures the publishing worker: throughput and CPU per publication compared with a bare loop of the same request
 * and statements, the delay from the due time to the start of the run, and the CPU of an idle worker.
 *   node bench/publishing.ts [sqlite] [postgres] [--quick]
 */

const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 2 : 3;
const connectionCount = 40;
/** Each round publishes this many posts to every connection. */
const postsPerRound = isQuick ? 6 : 10;
const latencyCount = isQuick ? 30 : 60;
const idleSeconds = isQuick ? 10 : 20;
/** How long to wait before the idle measurement, so that it does not include garbage collection of earlier work. */
const settleMs = 5000;

const report = createReport({ fractionDigits: 2 });

/** Starts a platform that accepts every post, and returns its origin. */
async function startPlatform(): Promise<string> {
  let lastId = 0;
  const server = createServer((req, res) => {
    req.resume().on("end", () => {
      const id = String(++lastId);
      res.setHeader("content-type", "application/json").end(JSON.stringify({ id, url: `http://localhost/${id}` }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A database with connected accounts, and the process that publishes from it: the worker or the bare loop. */
interface PublisherSetup {
  database: Database;
  deps: Deps;
  owner: Caller;
  connectionIds: string[];
  publisher: MeasuredServer;
  close(): Promise<void>;
}

async function startPublisher(
  file: string,
  engine: EngineName,
  postgresUrl: string | undefined,
  origin: string,
): Promise<PublisherSetup> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const vault = createVault(["benchmark secret of at least 32 bytes"]);
  const deps = withSandbox({ ...createDeps(database, systemClock), vault }, origin);
  const owner = await newStudio(deps);
  const connectionIds: string[] = [];
  for (let i = 0; i < connectionCount; i++) connectionIds.push(await connectAccount(deps, owner, `account-${i}`));
  const publisher = await startMeasuredServer(file, file, {
    BENCH_DATABASE_URL: location.databaseUrl ?? "",
    BENCH_DATA_DIR: location.dataDir,
    BENCH_PLATFORM: origin,
  });
  return {
    database,
    deps,
    owner,
    connectionIds,
    publisher,
    async close() {
      await publisher.stop();
      await database.close();
      await location.remove();
    },
  };
}

/** Stores a connection whose access token never expires, and returns its id. */
async function connectAccount(deps: Deps, { studio, user }: Caller, accountId: string): Promise<string> {
  const connection = { id: deps.newId("platformConnection"), studioId: studio.id };
  const account = { id: accountId, handle: accountId, name: null, avatarUrl: null, profileUrl: null };
  const now = deps.clock();
  await deps.platformStore.insertOrUpdate(
    { ...connection, platform: "sandbox", instance: "", account, limits: null, connectedAt: now },
    connectionCount,
  );
  const credential = sealCredential(deps, connection, { tokens: { accessToken: "a token" } });
  const connectedBy = { userId: user.id, at: now };
  await deps.platformStore.connect(connection.id, credential, { expiresAt: null, renewAt: null }, connectedBy);
  return connection.id;
}

const countUnfinished = async ({ database }: PublisherSetup): Promise<number> =>
  (
    await database.run<{ n: number }>(
      statement("SELECT COUNT(*) AS n FROM publications WHERE state IN ('scheduled', 'preparing', 'committing')"),
      [],
    )
  )[0]?.n ?? 0;

/** Waits until all publications have ended. Throws if one was not published, because a failure takes less time. */
async function waitUntilPublished(setup: PublisherSetup, intervalMs: number): Promise<void> {
  while ((await countUnfinished(setup)) > 0) await sleep(intervalMs);
  const failure = await setup.database.q
    .selectFrom("publications")
    .select(["state", "problemMessage"])
    .where("state", "!=", "published")
    .executeTakeFirst();
  if (failure) throw new Error(`a publication is ${failure.state}: ${failure.problemMessage}`);
}

/** Publishes a batch that is due at one moment. Returns milliseconds and CPU microseconds per publication. */
async function publishBatch(setup: PublisherSetup): Promise<{ ms: number; cpu: number }> {
  const { database, deps, owner, connectionIds, publisher } = setup;
  const at = toIsoTime(Date.now() + hours(1));
  for (let i = 0; i < postsPerRound; i++) {
    const { id: postId } = await createPost(deps, owner, { title: "", body: "Some words. ".repeat(20) });
    await publishPost(deps, owner, { postId, connectionIds, at });
  }
  // Far enough ahead that an idle worker has seen the new time before it is due.
  const dueAt = Date.now() + 1500;
  await database.run(statement("UPDATE publications SET next_run_at = $1 WHERE state = 'scheduled'"), [dueAt]);
  await sleep(dueAt - Date.now() - 100);
  const cpuBefore = await publisher.readCpuMicros();
  await sleep(dueAt - Date.now());
  await waitUntilPublished(setup, 50);
  const [count, cpu] = [postsPerRound * connectionIds.length, (await publisher.readCpuMicros()) - cpuBefore];
  return { ms: (Date.now() - dueAt) / count, cpu: cpu / count };
}

async function compare(engine: EngineName, ours: PublisherSetup, bare: PublisherSetup): Promise<void> {
  const measure = async (setup: PublisherSetup) => {
    const { ms, cpu } = await publishBatch(setup);
    return [ms, cpu] as const;
  };
  const best = { ours: [Infinity, Infinity], bare: [Infinity, Infinity] };
  const keepBest = (bestSoFar: number[], [ms, cpu]: readonly [number, number]) => [
    Math.min(bestSoFar[0] ?? ms, ms),
    Math.min(bestSoFar[1] ?? cpu, cpu),
  ];
  for (let round = 0; round < rounds; round++) {
    best.ours = keepBest(best.ours, await measure(ours));
    best.bare = keepBest(best.bare, await measure(bare));
  }
  const [[oursMs = 0, oursCpu = 0], [bareMs = 0, bareCpu = 0]] = [best.ours, best.bare];
  const rate = `${(1000 / oursMs).toFixed(0)}/s`;
  report.printLine(`a publication, ${engine}, time (${rate} per process)`, oursMs, undefined, "bare", bareMs, "ms");
  report.printLine(
    `a publication, ${engine}, CPU`,
    oursCpu / 1000,
    engine === "sqlite" ? 1.82 : 2.3,
    "bare",
    bareCpu / 1000,
    "ms",
  );
}

/** Half of the publications are scheduled, half are requested for now, all by a process other than the worker's. */
async function measureLatency(engine: EngineName, setup: PublisherSetup): Promise<void> {
  const { deps, owner, connectionIds, database } = setup;
  const measuredSince = Date.now();
  for (let i = 0; i < latencyCount; i++) {
    const { id: postId } = await createPost(deps, owner, { title: "", body: "Some words." });
    const at = i % 2 === 0 ? { at: toIsoTime(Date.now() + 500 + Math.random() * 3000) } : {};
    await publishPost(deps, owner, { postId, connectionIds: [connectionIds[i % connectionCount] ?? ""], ...at });
    await sleep(100);
  }
  await waitUntilPublished(setup, 100);
  const starts = await database.q
    .selectFrom("publications as p")
    .innerJoin("activity as a", "a.subjectId", "p.id")
    .select(["p.scheduledFor", "p.createdAt", "a.at"])
    .where("a.action", "=", "publication.started")
    .where("p.createdAt", ">=", measuredSince)
    .execute();
  const printP95 = (name: string, delays: number[]) =>
    report.printLine(
      `delay from due time to start, ${name}, ${engine}, p95`,
      delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? Infinity,
      1,
      "goal",
      2000,
      "ms",
    );
  printP95(
    "scheduled",
    starts.flatMap(({ scheduledFor: time, at }) => (time === null ? [] : [at - time])),
  );
  printP95(
    "requested now",
    starts.flatMap(({ scheduledFor: time, createdAt: created, at }) => (time === null ? [at - created] : [])),
  );
}

const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => process.argv.includes(engine));
const programFolder = findPostgres();
const cluster = programFolder ? await createPostgresCluster(programFolder, { fsync: "off" }) : undefined;
const origin = await startPlatform();
const idleSetups: [EngineName, PublisherSetup][] = [];
try {
  for (const engine of requestedEngines.length > 0 ? requestedEngines : (["sqlite", "postgres"] as const)) {
    if (engine === "postgres" && !cluster) continue;
    const ours = await startPublisher("servers/publish.ts", engine, cluster?.url(), origin);
    const bare = await startPublisher("servers/publish-bare.ts", engine, cluster?.url(), origin);
    await compare(engine, ours, bare);
    await bare.close();
    await measureLatency(engine, ours);
    idleSetups.push([engine, ours]);
  }
  await sleep(settleMs);
  const cpuBefore = await Promise.all(idleSetups.map(([, { publisher }]) => publisher.readCpuMicros()));
  await sleep(idleSeconds * 1000);
  for (const [i, [engine, { publisher }]] of idleSetups.entries()) {
    const percent = ((await publisher.readCpuMicros()) - (cpuBefore[i] ?? 0)) / idleSeconds / 10_000;
    report.printLine(`idle worker, ${engine}, of a core`, percent, 1, "goal", 0.5, "%");
  }
  for (const [, setup] of idleSetups) await setup.close();
} finally {
  await cluster?.remove();
}
process.exit(report.hasExceededLimit ? 1 : 0);
