import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#db/client.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { systemClock } from "#lib/clock.ts";
import { createPostgresCluster, findPostgres, type PostgresCluster } from "../support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { queryDatabase } from "../support/migrations.ts";
import { newStudio } from "../support/users.ts";
import { measureOutcome, type TimedOutcome } from "../support/measure-outcome.ts";
import { waitUntil } from "../support/wait-until.ts";

/** The longest a request may wait for a database that does not answer. */
const patienceMs = 5000;
const programs = findPostgres();

/** On a server of its own, which it may stop. */
describe("PostgreSQL lost while running", { skip: programs ? false : "PostgreSQL is not installed" }, () => {
  let cluster: PostgresCluster;
  let location: TemporaryDatabase;
  let database: Database;
  let deps: Deps;
  let owner: Caller;

  // Outside of a test these would have ended the process; the test runner only mentions them.
  const deaths: unknown[] = [];
  const noteDeath = (error: unknown) => void deaths.push(error);

  before(async () => {
    process.on("uncaughtException", noteDeath);
    cluster = await createPostgresCluster(programs ?? "");
    location = await createTemporaryDatabase("postgres", cluster.url());
    database = await openDatabase({ ...location, log: silentLog });
    deps = createDeps(database, systemClock);
    owner = await newStudio(deps);
  });
  afterEach(() => assert.deepEqual(deaths.splice(0), [], "the process lives"));
  after(async () => {
    process.off("uncaughtException", noteDeath);
    await database?.close();
    await cluster?.remove();
  });

  type TimedAt = TimedOutcome & { at: number };
  interface Load {
    /** In the order in which they ended. */
    results: readonly TimedAt[];
    stop(): Promise<{ results: readonly TimedAt[]; acknowledged: string[] }>;
  }

  /** About fifty requests a second of every kind, until told to stop. */
  function load(): Load {
    const acknowledged: string[] = [];
    const results: TimedAt[] = [];
    const running: Promise<unknown>[] = [];
    const write = async () => void acknowledged.push((await createPost(deps, owner, { title: "A", body: "" })).id);
    const read = () => listPosts(deps, owner, { limit: 5 });
    const prepared = async () => acknowledged.length > 0 && getPost(deps, owner, { postId: acknowledged.at(-1) ?? "" });
    const kinds = [write, read, write, prepared, write, () => database.ping()];
    let turn = 0;
    const timer = setInterval(() => {
      const work = kinds[turn++ % kinds.length] ?? write;
      running.push(measureOutcome(work).then((result) => results.push({ ...result, at: performance.now() })));
    }, 20);
    return {
      results,
      async stop() {
        clearInterval(timer);
        await Promise.all(running);
        return { results, acknowledged };
      },
    };
  }

  function assertOnlyClearErrors(results: readonly TimedOutcome[]): void {
    const strange = results.filter(({ outcome }) => outcome !== "ok" && outcome !== "storage_unavailable");
    assert.deepEqual(
      strange.map(({ outcome }) => outcome),
      [],
    );
    assert.ok(
      Math.max(...results.map(({ ms }) => ms)) < patienceMs,
      `the slowest took ${Math.max(...results.map(({ ms }) => ms))} ms`,
    );
  }

  async function assertNothingLost(acknowledged: readonly string[]): Promise<void> {
    const rows = await database.q.selectFrom("posts").select("id").execute();
    const found = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
    );
  }

  test("it restarts under load: clear errors, then success by itself, nothing lost (RUN-4, ERR-storage_unavailable, D1)", async () => {
    const running = load();
    await sleep(500);
    await cluster.stop("immediate");
    await sleep(1000);
    await cluster.start();
    const accepting = performance.now();
    await waitUntil(() => running.results.some(({ at, outcome }) => at > accepting && outcome === "ok"), {
      timeoutMs: patienceMs,
    });
    await sleep(500);
    const { results, acknowledged } = await running.stop();
    assertOnlyClearErrors(results);
    assert.ok(
      results.some(({ outcome }) => outcome === "storage_unavailable"),
      "it was gone",
    );
    assert.equal(results.at(-1)?.outcome, "ok");
    await assertNothingLost(acknowledged);
  });

  test("it cuts every connection: the process lives, and the next request works (RUN-4, D1)", async () => {
    const running = load();
    for (let round = 0; round < 5; round++) {
      await sleep(200);
      await queryDatabase(
        { databaseUrl: cluster.url(), dataDir: "" },
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atelier'",
      );
    }
    await sleep(200);
    const { results, acknowledged } = await running.stop();
    assertOnlyClearErrors(results);
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
    await assertNothingLost(acknowledged);
  });

  test("it cuts a connection in the middle of a transaction that is doing something else (RUN-4, D1)", async () => {
    const work = measureOutcome(() =>
      database.transact(async (tx) => {
        await tx.q.selectFrom("users").selectAll().execute();
        await queryDatabase(
          { databaseUrl: cluster.url(), dataDir: "" },
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atelier'",
        );
        await sleep(200);
        await tx.q.selectFrom("users").selectAll().execute();
      }),
    );
    assert.equal((await work).outcome, "storage_unavailable");
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
  });

  test("it falls silent without a word: an error within 5 s, also amid a transaction, and it recovers (RUN-4, D1)", async () => {
    await Promise.all(Array.from({ length: 4 }, () => listPosts(deps, owner, { limit: 1 })));
    const backends = await queryDatabase(
      { databaseUrl: cluster.url(), dataDir: "" },
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'atelier'",
    );
    const silenced = [cluster.pid, ...backends.map(({ pid }) => Number(pid))];
    const amid = measureOutcome(() =>
      database.transact(async (tx) => {
        await tx.q.selectFrom("users").selectAll().execute();
        for (const pid of silenced) process.kill(pid, "SIGSTOP");
        await tx.q.selectFrom("users").selectAll().execute();
      }),
    );
    try {
      await sleep(300);
      const others = [
        () => database.ping(),
        () => createPost(deps, owner, { title: "A", body: "" }),
        () => listPosts(deps, owner, { limit: 1 }),
      ];
      const results = await Promise.all([
        amid,
        ...others.map(measureOutcome),
        ...others.map(measureOutcome),
        ...others.map(measureOutcome),
      ]);
      assertOnlyClearErrors(results);
      assert.ok(results.every(({ outcome }) => outcome === "storage_unavailable"));
    } finally {
      for (const pid of silenced) process.kill(pid, "SIGCONT");
    }
    await sleep(100);
    assert.equal((await measureOutcome(() => createPost(deps, owner, { title: "A", body: "" }))).outcome, "ok");
  });

  test("a start while it is away fails, and soon (RUN-4, D1)", async () => {
    await cluster.stop();
    try {
      const started = performance.now();
      await assert.rejects(openDatabase({ ...location, log: silentLog }));
      assert.ok(performance.now() - started < patienceMs);
    } finally {
      await cluster.start();
    }
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
  });
});
