import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { createGrant } from "#domain/access/clients.ts";
import { withLease } from "#domain/jobs/lease.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { hours, minutes } from "#lib/clock.ts";
import { runEvery } from "#lib/repeat.ts";
import { createLog } from "#lib/log.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { newUser, newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine("housekeeping", (fixture) => {
  /** Creates a user without a session, because the tests count sessions. */
  const newSignedOutUser = async () => {
    const { user } = await newUser(fixture.deps);
    await fixture.deps.sessions.deleteForUser(user.id);
    return user;
  };
  const grantClient = async (clientId: string) => {
    const owner = await newStudio(fixture.deps);
    const client = { clientId, clientName: "C", clientVerified: false, redirectHost: "h" };
    const grant = await createGrant(fixture.deps, owner, { ...client, scopes: ["studio:read"] });
    await fixture.deps.sessions.deleteForUser(owner.user.id);
    return grant;
  };

  /** Inserts sessions of one user, in batches that one statement accepts. */
  async function insertSessions(prefix: string, count: number, getExpiry: (i: number) => number): Promise<void> {
    const { id } = await newSignedOutUser();
    const values = Array.from({ length: count }, (_, i) => ({
      tokenHash: `${prefix}-${i}`,
      userId: id,
      createdAt: 0,
      expiresAt: getExpiry(i),
    }));
    for (let i = 0; i < values.length; i += 100)
      await fixture.database.q
        .insertInto("sessions")
        .values(values.slice(i, i + 100))
        .execute();
  }
  const countSessions = async (): Promise<number> =>
    (await fixture.database.q.selectFrom("sessions").select("tokenHash").execute()).length;

  async function listRemaining() {
    const { q } = fixture.database;
    const records = await q.selectFrom("oauthRecords").select("idHash as id").orderBy("id").execute();
    const sessions = await q.selectFrom("sessions").select("tokenHash as id").orderBy("id").execute();
    const clients = await q.selectFrom("oauthClients").select("id").orderBy("id").execute();
    return [records, sessions, clients].map((rows) => rows.map(({ id }) => id));
  }

  const createRecord = (expiresAt: number, grantId: string | null = null) => ({
    payload: {},
    grantId,
    audience: null,
    scope: null,
    expiresAt,
  });

  test("deletes rows from the millisecond of their expiry, and keeps live rows (A26)", async () => {
    const now = fixture.clock();
    const user = await newSignedOutUser();
    const grant = await grantClient("used");
    for (const [name, expiresAt] of [
      ["long-expired", now - hours(1)],
      ["just-expired", now],
      ["live", now + 1],
    ] as const) {
      await fixture.deps.oauthRecords.put("AccessToken", name, createRecord(expiresAt, grant.id));
      await fixture.deps.sessions.insert(name, user.id, now - hours(2), expiresAt);
    }
    await fixture.deps.oauthRecords.put("RefreshToken", "long-expired", createRecord(now + hours(1), grant.id));
    for (const [name, createdAt] of [
      ["used", now - hours(100)],
      ["unused-old", now - hours(24)],
      ["unused-young", now - hours(24) + 1],
    ] as const) {
      await fixture.deps.oauthClients.put(name, {}, createdAt);
    }
    assert.deepEqual(await createPurgeJob(fixture.deps)(untilDone), { deleted: 5 });
    assert.deepEqual(
      await listRemaining(),
      [["live", "long-expired"], ["live"], ["unused-young", "used"]],
      "model and id together identify a record",
    );
    assert.deepEqual(await createPurgeJob(fixture.deps)(untilDone), { deleted: 0 });
    assert.ok(await fixture.deps.grants.find(grant.id), "grants are kept");
    fixture.clock.advance(hours(48));
    await createPurgeJob(fixture.deps)(untilDone);
    assert.deepEqual(await listRemaining(), [[], [], ["used"]]);
  });

  test("deletes a client that never had a grant after a day, and examines each client once (A26, REG-5)", async () => {
    const purge = createPurgeJob(fixture.deps);
    const batchSizes: number[] = [];
    const { listClients } = fixture.deps.purges;
    const countingPurge = createPurgeJob({
      ...fixture.deps,
      purges: {
        ...fixture.deps.purges,
        listClients: async (...args) => {
          const clients = await listClients(...args);
          batchSizes.push(clients.length);
          return clients;
        },
      },
    });
    await fixture.database.q.deleteFrom("oauthClients").execute();
    const revokedGrant = await grantClient("client-0007");
    await fixture.deps.grants.revoke(revokedGrant.id, fixture.clock());
    const createdAt = fixture.clock();
    // Several clients share a creation time, and a batch ends among them.
    const values = Array.from({ length: 1300 }, (_, i) => ({
      id: `client-${String(i).padStart(4, "0")}`,
      metadata: {},
      createdAt: createdAt + Math.floor(i / 400),
    }));
    for (let i = 0; i < values.length; i += 100)
      await fixture.database.q
        .insertInto("oauthClients")
        .values(values.slice(i, i + 100))
        .execute();
    await purge(untilDone);
    assert.equal((await listRemaining())[2]?.length, 1300);
    fixture.clock.advance(hours(24) + 10);
    assert.deepEqual(await countingPurge(untilDone), { deleted: 1299 });
    assert.deepEqual((await listRemaining())[2], ["client-0007"]);
    assert.deepEqual(batchSizes, [500, 500, 300]);
    await fixture.deps.oauthClients.put("later", {}, fixture.clock() - hours(24));
    assert.deepEqual(await countingPurge(untilDone), { deleted: 1 });
    assert.equal(batchSizes.at(-1), 1, "the client with a grant is not examined again");
    assert.deepEqual(await purge(untilDone), { deleted: 0 });
  });

  test("keeps a client that was renewed after the purge listed it (A26)", async () => {
    const { deps } = fixture;
    await fixture.database.q.deleteFrom("oauthClients").execute();
    await deps.oauthClients.put("old", {}, fixture.clock() - hours(48));
    const renewedAt = fixture.clock() - hours(23);
    const { listClients } = deps.purges;
    const purge = createPurgeJob({
      ...deps,
      purges: {
        ...deps.purges,
        async listClients(...args) {
          const clients = await listClients(...args);
          await deps.oauthClients.postponePurge("old", renewedAt);
          return clients;
        },
      },
    });
    assert.deepEqual(await purge(untilDone), { deleted: 0 });
    assert.ok(await deps.oauthClients.find("old"));
    fixture.clock.advance(hours(2));
    assert.deepEqual(await purge(untilDone), { deleted: 1 }, "the next purge examines it again");
  });

  test("works in small batches, pauses between them, and stops on request", async () => {
    await insertSessions("s", 1100, (i) => i);
    let pauseCount = 0;
    await createPurgeJob(fixture.deps)({
      pause: async () => void (pauseCount += 1),
      shouldStop: () => pauseCount >= 2,
    });
    assert.equal(await countSessions(), 600, "one batch of records and one batch of 500 sessions ran");
    await createPurgeJob(fixture.deps)(untilDone);
    assert.equal(await countSessions(), 0);
  });

  test("two concurrent purges delete each row once", async () => {
    const now = fixture.clock();
    await insertSessions("p", 800, (i) => (i % 2 === 0 ? now : now + 1));
    const secondDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const purges = [fixture.deps, createDeps(secondDatabase, fixture.clock)].map((deps) =>
        createPurgeJob(deps)(untilDone),
      );
      const deleted = (await Promise.all(purges)).reduce((sum, result) => sum + result.deleted, 0);
      assert.equal(deleted, 400, "each row is counted once");
    } finally {
      await secondDatabase.close();
    }
    assert.equal(await countSessions(), 400);
  });

  test("a lease lets one of twenty concurrent holders on two instances work at a time", async () => {
    const secondDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const instances = [fixture.deps, createDeps(secondDatabase, fixture.clock)];
      for (let round = 0; round < 3; round++) {
        let holderCount = 0;
        let rejectedCount = 0;
        const othersRejected = Promise.withResolvers<void>();
        const work = async (): Promise<void> => {
          assert.equal(++holderCount, 1);
          await othersRejected.promise;
        };
        const acquire = async (_: unknown, i: number): Promise<void> => {
          const deps = instances[i % 2] ?? fixture.deps;
          if (await withLease(deps, `job-${round}`, `holder-${i}`, minutes(3), work)) return;
          if (++rejectedCount === 19) othersRejected.resolve();
        };
        await Promise.all(Array.from({ length: 20 }, acquire));
      }
    } finally {
      await secondDatabase.close();
    }
  });

  test("a lease is released after success and after failure, and expires if its holder dies", async () => {
    const runWithLease = (holder: string, work = async (): Promise<void> => {}): Promise<boolean> =>
      withLease(fixture.deps, "job", holder, minutes(3), work);
    assert.equal(await runWithLease("a"), true);
    assert.equal(await runWithLease("b"), true, "released");
    const fail = async (): Promise<void> => Promise.reject(new Error("broken"));
    await assert.rejects(runWithLease("c", fail), /broken/);
    assert.equal(await runWithLease("d"), true, "released after a failure");
    assert.equal(await fixture.deps.leases.acquire("job", "dead", fixture.clock(), fixture.clock() + minutes(3)), true);
    assert.equal(await runWithLease("e"), false);
    assert.equal(await runWithLease("dead"), false, "a lease cannot be held twice, even under the same name");
    fixture.clock.advance(minutes(3) - 1);
    assert.equal(await runWithLease("e"), false);
    fixture.clock.advance(1);
    assert.equal(await runWithLease("e"), true);
  });

  test("a holder whose lease expired does not release the lease of the next holder", async () => {
    await withLease(fixture.deps, "slow", "slow", minutes(1), async () => {
      fixture.clock.advance(minutes(2));
      assert.equal(
        await fixture.deps.leases.acquire("slow", "next", fixture.clock(), fixture.clock() + minutes(1)),
        true,
      );
    });
    assert.equal(
      await withLease(fixture.deps, "slow", "third", minutes(1), async () => {}),
      false,
      "the next holder still has the lease",
    );
  });
});

test("passes the stop signal to a running job", async () => {
  const started = Promise.withResolvers<void>();
  const work = async (isStopping: () => boolean): Promise<void> => {
    started.resolve();
    await waitUntil(isStopping);
  };
  const job = runEvery(1, "job", work, silentLog);
  await started.promise;
  await job.stop();
});

test("repeats a job, one run at a time, until it is stopped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let runCount = 0;
  let currentRun = Promise.withResolvers<void>();
  const work = (): Promise<void> => {
    runCount++;
    currentRun = Promise.withResolvers();
    return currentRun.promise;
  };
  const job = runEvery(10, "job", work, silentLog);
  for (let run = 1; run <= 3; run++) {
    currentRun.resolve();
    await waitTurns(1);
    for (let i = 0; i < 5; i++) t.mock.timers.tick(10);
    assert.equal(runCount, run);
  }
  let isStopped = false;
  const stopping = job.stop().then(() => (isStopped = true));
  await waitTurns(1);
  assert.equal(isStopped, false, "stop waits for the current run");
  currentRun.resolve();
  await stopping;
  t.mock.timers.tick(100);
  assert.equal(runCount, 3);
});

test("retries a failing job, and logs the failure and the recovery once each (X7)", async () => {
  const lines: { level: string; job: string }[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const tenthRun = Promise.withResolvers<void>();
  let runCount = 0;
  const work = async (): Promise<void> => {
    if (++runCount === 10) tenthRun.resolve();
    if (runCount <= 5) throw new Error("down");
  };
  const job = runEvery(5, "job", work, log);
  await tenthRun.promise;
  await job.stop();
  assert.deepEqual(
    lines.map(({ level, job: name }) => `${level} ${name}`),
    ["error job", "info job"],
  );
});
