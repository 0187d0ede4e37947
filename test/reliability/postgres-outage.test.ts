import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { statement } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { skipWithoutPrograms, usePostgres } from "../support/postgres-fixture.ts";
import { signalAll } from "../support/process-tree.ts";
import { silentLog } from "../support/engines.ts";
import { queryDatabase } from "../support/migrations.ts";
import { measureOutcome, type TimedOutcome } from "../support/measure-outcome.ts";
import { waitUntil } from "../support/wait-until.ts";

/** The longest that a request may wait for a database that does not respond. */
const maxMs = 5000;

/** Starts its own PostgreSQL server, so that the tests can stop it. */
describe("a PostgreSQL outage", { skip: skipWithoutPrograms }, () => {
  const fixture = usePostgres();
  let { cluster, location, database, deps, owner } = fixture;

  // In production these errors would end the process; the test runner only reports them.
  const uncaughtErrors: unknown[] = [];
  const recordUncaught = (error: unknown) => void uncaughtErrors.push(error);

  before(() => {
    process.on("uncaughtException", recordUncaught);
    ({ cluster, location, database, deps, owner } = fixture);
  });
  afterEach(() => assert.deepEqual(uncaughtErrors.splice(0), [], "the process survives"));
  after(() => void process.off("uncaughtException", recordUncaught));

  const query = (sql: string) => queryDatabase({ databaseUrl: cluster.url(), dataDir: "" }, sql);
  const closeConnections = () =>
    query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atelier'");
  const listBackends = async (): Promise<number[]> => {
    const rows = await query("SELECT pid FROM pg_stat_activity WHERE application_name = 'atelier'");
    return rows.map(({ pid }) => Number(pid));
  };

  type FinishedOutcome = TimedOutcome & { finishedAt: number };
  interface Load {
    /** In the order in which they finished. */
    results: readonly FinishedOutcome[];
    stop(): Promise<{ results: readonly FinishedOutcome[]; acknowledgedIds: string[] }>;
  }

  /** Sends about fifty requests per second, alternating between reads, writes and pings, until `stop` is called. */
  function startLoad(): Load {
    const acknowledgedIds: string[] = [];
    const results: FinishedOutcome[] = [];
    const pendingRequests: Promise<unknown>[] = [];
    const write = async () => void acknowledgedIds.push((await createPost(deps, owner, { title: "A", body: "" })).id);
    const read = () => listPosts(deps, owner, { limit: 5 });
    const readPost = async () =>
      acknowledgedIds.length > 0 && getPost(deps, owner, { postId: acknowledgedIds.at(-1) ?? "" });
    const operations = [write, read, write, readPost, write, () => database.ping()];
    let count = 0;
    const timer = setInterval(() => {
      const operation = operations[count++ % operations.length] ?? write;
      pendingRequests.push(
        measureOutcome(operation).then((result) => results.push({ ...result, finishedAt: performance.now() })),
      );
    }, 20);
    return {
      results,
      async stop() {
        clearInterval(timer);
        await Promise.all(pendingRequests);
        return { results, acknowledgedIds };
      },
    };
  }

  function assertOnlyExpectedErrors(results: readonly TimedOutcome[]): void {
    const unexpectedResults = results.filter(({ outcome }) => outcome !== "ok" && outcome !== "storage_unavailable");
    assert.deepEqual(
      unexpectedResults.map(({ outcome }) => outcome),
      [],
    );
    assert.ok(
      Math.max(...results.map(({ ms }) => ms)) < maxMs,
      `the slowest took ${Math.max(...results.map(({ ms }) => ms))} ms`,
    );
  }

  async function assertNothingLost(acknowledgedIds: readonly string[]): Promise<void> {
    const rows = await database.q.selectFrom("posts").select("id").execute();
    const storedIds = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      acknowledgedIds.filter((id) => !storedIds.has(id)),
      [],
    );
  }

  test("a restart under load: requests fail with storage_unavailable, then succeed again, and no acknowledged write is lost (RUN-4, ERR-storage_unavailable, D1)", async () => {
    const load = startLoad();
    await sleep(500);
    await cluster.stop("immediate");
    await sleep(1000);
    await cluster.start();
    const restartedAt = performance.now();
    await waitUntil(
      () => load.results.some(({ finishedAt, outcome }) => finishedAt > restartedAt && outcome === "ok"),
      { timeoutMs: 5000 },
    );
    await sleep(500);
    const { results, acknowledgedIds } = await load.stop();
    assertOnlyExpectedErrors(results);
    assert.ok(
      results.some(({ outcome }) => outcome === "storage_unavailable"),
      "some requests failed during the outage",
    );
    assert.equal((await measureOutcome(() => createPost(deps, owner, { title: "A", body: "" }))).outcome, "ok");
    await assertNothingLost(acknowledgedIds);
  });

  test("the server closes every connection: the process survives, and the next request succeeds (RUN-4, D1)", async () => {
    const load = startLoad();
    for (let round = 0; round < 5; round++) {
      await sleep(200);
      await closeConnections();
    }
    await sleep(200);
    const { results, acknowledgedIds } = await load.stop();
    assertOnlyExpectedErrors(results);
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
    await assertNothingLost(acknowledgedIds);
  });

  test("the server closes a connection while its transaction is idle: the transaction fails, and the next request succeeds (RUN-4, D1)", async () => {
    const pendingTransaction = measureOutcome(() =>
      database.transact(async (tx) => {
        await tx.q.selectFrom("users").selectAll().execute();
        await closeConnections();
        await sleep(200);
        await tx.q.selectFrom("users").selectAll().execute();
      }),
    );
    assert.equal((await pendingTransaction).outcome, "storage_unavailable");
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
  });

  test("the server stops responding: requests and a running transaction fail within 5 s, and later requests succeed (RUN-4, D1)", async () => {
    await Promise.all(Array.from({ length: 4 }, () => listPosts(deps, owner, { limit: 1 })));
    const stoppedPids = [cluster.pid, ...(await listBackends())];
    const pendingTransaction = measureOutcome(() =>
      database.transact(async (tx) => {
        await tx.q.selectFrom("users").selectAll().execute();
        signalAll(stoppedPids, "SIGSTOP");
        await tx.q.selectFrom("users").selectAll().execute();
      }),
    );
    try {
      await sleep(300);
      const operations = [
        () => database.ping(),
        () => createPost(deps, owner, { title: "A", body: "" }),
        () => listPosts(deps, owner, { limit: 1 }),
      ];
      const results = await Promise.all([
        pendingTransaction,
        ...operations.map(measureOutcome),
        ...operations.map(measureOutcome),
        ...operations.map(measureOutcome),
      ]);
      assertOnlyExpectedErrors(results);
      assert.ok(results.every(({ outcome }) => outcome === "storage_unavailable"));
    } finally {
      signalAll(stoppedPids, "SIGCONT");
    }
    await sleep(100);
    assert.equal((await measureOutcome(() => createPost(deps, owner, { title: "A", body: "" }))).outcome, "ok");
  });

  test("the pool's connections no longer respond: after the first timeout, requests use new connections (RUN-4, D1)", async () => {
    await Promise.all(Array.from({ length: 4 }, () => listPosts(deps, owner, { limit: 1 })));
    const pids = await listBackends();
    assert.ok(pids.length >= 4);
    signalAll(pids, "SIGSTOP");
    try {
      assert.equal((await measureOutcome(() => database.ping())).outcome, "storage_unavailable");
      for (let i = 0; i < 4; i++) assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
    } finally {
      signalAll(pids, "SIGCONT");
    }
  });

  test("a commit whose wait for the synchronous standby is canceled is not acknowledged (RUN-4, RUN-8, D1)", async () => {
    const waitingBackendsSql = "FROM pg_stat_activity WHERE application_name = 'atelier' AND wait_event = 'SyncRep'";
    await database.ping();
    await query("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    await query("SELECT pg_reload_conf()");
    try {
      const rename = statement("UPDATE users SET name = name");
      for (const write of [
        () => createPost(deps, owner, { title: "A", body: "" }),
        () => database.run(rename, []),
        () => database.q.updateTable("users").set({ name: "A" }).execute(),
      ]) {
        const pendingWrite = measureOutcome(write);
        await waitUntil(async () => (await query(`SELECT pid ${waitingBackendsSql}`)).length > 0);
        await query(`SELECT pg_cancel_backend(pid) ${waitingBackendsSql}`);
        assert.equal((await pendingWrite).outcome, "storage_unavailable");
      }
      // Without a cancellation, the write fails when the server does not respond in time.
      const { outcome, ms } = await measureOutcome(() => createPost(deps, owner, { title: "A", body: "" }));
      assert.deepEqual([outcome, ms < maxMs], ["storage_unavailable", true]);
    } finally {
      await query("ALTER SYSTEM RESET synchronous_standby_names");
      await query("SELECT pg_reload_conf()");
    }
    await waitUntil(async () => (await query(`SELECT pid ${waitingBackendsSql}`)).length === 0);
    assert.equal((await measureOutcome(() => createPost(deps, owner, { title: "A", body: "" }))).outcome, "ok");
  });

  test("opening the database during an outage fails within 5 s (RUN-4, D1)", async () => {
    await cluster.stop();
    try {
      const startedAt = performance.now();
      await assert.rejects(openDatabase({ ...location, log: silentLog }));
      assert.ok(performance.now() - startedAt < maxMs);
    } finally {
      await cluster.start();
    }
    assert.equal((await measureOutcome(() => database.ping())).outcome, "ok");
  });
});
