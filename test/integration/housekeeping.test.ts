import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createGrant } from "#domain/access/create-grant.ts";
import { withLease, type BatchOptions } from "#domain/housekeeping/batches.ts";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import { hours, minutes } from "#lib/clock.ts";
import { runEvery } from "#lib/repeat.ts";
import { createLog } from "#lib/log.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { newUser, newStudio } from "../support/users.ts";

const atOnce: BatchOptions = { pause: async () => {}, shouldStop: () => false };

forEachEngine("housekeeping", (fixture) => {
  const approve = async (clientId: string) =>
    createGrant(fixture.deps, await newStudio(fixture.deps), {
      clientId,
      clientName: "C",
      clientVerified: false,
      redirectHost: "h",
      scopes: ["studio:read"],
    });

  async function remaining() {
    const { q } = fixture.database;
    const records = await q.selectFrom("oauth_records").select("id_hash as id").orderBy("id").execute();
    const sessions = await q.selectFrom("sessions").select("token_hash as id").orderBy("id").execute();
    const clients = await q.selectFrom("oauth_clients").select("id").orderBy("id").execute();
    return [records, sessions, clients].map((rows) => rows.map(({ id }) => id));
  }

  const record = (expiresAt: number, grantId: string | null = null) => ({
    payload: {},
    grantId,
    audience: null,
    scope: null,
    expiresAt,
  });

  test("what has expired goes, what is live stays, to the millisecond (A26)", async () => {
    const now = fixture.clock();
    const person = await newUser(fixture.deps);
    const grant = await approve("used");
    for (const [name, end] of [
      ["long-gone", now - hours(1)],
      ["just-gone", now],
      ["live", now + 1],
    ] as const) {
      await fixture.deps.oauthRecords.put("AccessToken", name, record(end, grant.id));
      await fixture.deps.sessions.insert(name, person.user.id, now - hours(2), end);
    }
    await fixture.deps.oauthRecords.put("RefreshToken", "long-gone", record(now + hours(1), grant.id));
    for (const [name, made] of [
      ["used", now - hours(100)],
      ["unused-old", now - hours(24)],
      ["unused-young", now - hours(24) + 1],
    ] as const) {
      await fixture.deps.oauthClients.put(name, {}, made);
    }
    assert.deepEqual(await createPurgeJob(fixture.deps)(atOnce), { deleted: 5 });
    assert.deepEqual(
      await remaining(),
      [["live", "long-gone"], ["live"], ["unused-young", "used"]],
      "a key is model and id together",
    );
    assert.deepEqual(await createPurgeJob(fixture.deps)(atOnce), { deleted: 0 });
    assert.ok(await fixture.deps.grants.find(grant.id), "approvals are kept");
    fixture.clock.advance(hours(48));
    await createPurgeJob(fixture.deps)(atOnce);
    assert.deepEqual(await remaining(), [[], [], ["used"]]);
  });

  test("clients that nobody used are gone a day later, ended approvals count as use, and each is looked at once (A26)", async () => {
    const purge = createPurgeJob(fixture.deps);
    const looked: number[] = [];
    const { listClients } = fixture.deps.purges;
    const counting = createPurgeJob({
      ...fixture.deps,
      purges: {
        ...fixture.deps.purges,
        listClients: async (...args) => {
          const found = await listClients(...args);
          looked.push(found.length);
          return found;
        },
      },
    });
    await fixture.database.q.deleteFrom("oauth_clients").execute();
    const ended = await approve("client-0007");
    await fixture.deps.grants.revoke(ended.id, fixture.clock());
    const made = fixture.clock();
    // Several at one instant, and a batch that ends among them.
    const values = Array.from({ length: 1300 }, (_, i) => ({
      id: `client-${String(i).padStart(4, "0")}`,
      metadata: "{}",
      created_at: made + Math.floor(i / 400),
    }));
    for (let i = 0; i < values.length; i += 100)
      await fixture.database.q
        .insertInto("oauth_clients")
        .values(values.slice(i, i + 100))
        .execute();
    await purge(atOnce);
    assert.equal((await remaining())[2]?.length, 1300);
    fixture.clock.advance(hours(24) + 10);
    assert.deepEqual(await counting(atOnce), { deleted: 1299 });
    assert.deepEqual((await remaining())[2], ["client-0007"]);
    assert.deepEqual(looked, [500, 500, 300]);
    await fixture.deps.oauthClients.put("later", {}, fixture.clock() - hours(24));
    assert.deepEqual(await counting(atOnce), { deleted: 1 });
    assert.equal(looked.at(-1), 1, "the used one is not looked at again");
    assert.deepEqual(await purge(atOnce), { deleted: 0 });
  });

  test("a client that is renewed after it was listed for the purge stays (A26)", async () => {
    const { deps } = fixture;
    await fixture.database.q.deleteFrom("oauth_clients").execute();
    await deps.oauthClients.put("old", {}, fixture.clock() - hours(48));
    const renewed = fixture.clock() - hours(23);
    const { listClients } = deps.purges;
    const purge = createPurgeJob({
      ...deps,
      purges: {
        ...deps.purges,
        async listClients(...args) {
          const found = await listClients(...args);
          await deps.oauthClients.postponePurge("old", renewed);
          return found;
        },
      },
    });
    assert.deepEqual(await purge(atOnce), { deleted: 0 });
    assert.ok(await deps.oauthClients.find("old"));
    fixture.clock.advance(hours(2));
    assert.deepEqual(await purge(atOnce), { deleted: 1 }, "it is looked at again");
  });

  test("it works in small batches, pauses between them, and stops when told", async () => {
    const person = await newUser(fixture.deps);
    const values = Array.from({ length: 1100 }, (_, i) => ({
      token_hash: `s-${i}`,
      user_id: person.user.id,
      created_at: 0,
      expires_at: i,
    }));
    for (let i = 0; i < values.length; i += 100)
      await fixture.database.q
        .insertInto("sessions")
        .values(values.slice(i, i + 100))
        .execute();
    const left = async (): Promise<number> =>
      (await fixture.database.q.selectFrom("sessions").select("token_hash").execute()).length;
    let pauses = 0;
    await createPurgeJob(fixture.deps)({ pause: async () => void (pauses += 1), shouldStop: () => pauses >= 2 });
    assert.equal(await left(), 600, "one statement for the records, one of 500 for the sessions, and the rest is left");
    await createPurgeJob(fixture.deps)(atOnce);
    assert.equal(await left(), 0);
  });

  test("two purges at the same moment do no harm", async () => {
    const person = await newUser(fixture.deps);
    const now = fixture.clock();
    const values = Array.from({ length: 800 }, (_, i) => ({
      token_hash: `p-${i}`,
      user_id: person.user.id,
      created_at: 0,
      expires_at: i % 2 === 0 ? now : now + 1,
    }));
    for (let i = 0; i < values.length; i += 100)
      await fixture.database.q
        .insertInto("sessions")
        .values(values.slice(i, i + 100))
        .execute();
    const second = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const purges = [fixture.deps, createDeps(second, fixture.clock)].map((deps) => createPurgeJob(deps)(atOnce));
      const deleted = (await Promise.all(purges)).reduce((sum, one) => sum + one.deleted, 0);
      assert.equal(deleted, 400, "each row once");
    } finally {
      await second.close();
    }
    assert.equal(
      (await fixture.database.q.selectFrom("sessions").select("token_hash").where("expires_at", ">", now).execute())
        .length,
      400,
    );
  });

  test("a lease: of twenty that ask at once, on two instances, one works", async () => {
    const second = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const instances = [fixture.deps, createDeps(second, fixture.clock)];
      for (let round = 0; round < 10; round++) {
        let inside = 0;
        let most = 0;
        const work = async (): Promise<void> => {
          most = Math.max(most, ++inside);
          await sleep(30);
          inside--;
        };
        const ran = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            withLease(instances[i % 2] ?? fixture.deps, `job-${round}`, `holder-${i}`, minutes(3), work),
          ),
        );
        assert.equal(most, 1);
        assert.ok(ran.filter(Boolean).length >= 1);
      }
    } finally {
      await second.close();
    }
  });

  test("a lease is given back, also after a failure; a dead holder's runs out", async () => {
    const ask = (holder: string, work = async (): Promise<void> => {}): Promise<boolean> =>
      withLease(fixture.deps, "job", holder, minutes(3), work);
    assert.equal(await ask("a"), true);
    assert.equal(await ask("b"), true, "given back");
    await assert.rejects(
      ask("c", async () => Promise.reject(new Error("broken"))),
      /broken/,
    );
    assert.equal(await ask("d"), true, "given back after a failure");
    assert.equal(await fixture.deps.leases.acquire("job", "dead", fixture.clock(), fixture.clock() + minutes(3)), true);
    assert.equal(await ask("e"), false);
    assert.equal(await ask("dead"), false, "nobody holds it twice, not even under the same name");
    fixture.clock.advance(minutes(3) - 1);
    assert.equal(await ask("e"), false);
    fixture.clock.advance(1);
    assert.equal(await ask("e"), true);
  });

  test("a holder that comes late does not take the lease from the next", async () => {
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
      "next still has it",
    );
  });
});

test("a repeated job that takes long is told when the service stops", async () => {
  const begun = Promise.withResolvers<void>();
  const job = runEvery(
    1,
    "job",
    async (isStopping) => {
      begun.resolve();
      while (!isStopping()) await sleep(1);
    },
    silentLog,
  );
  await begun.promise;
  await job.stop();
});

test("a repeated job: again and again, one at a time, until it is stopped", async () => {
  const third = Promise.withResolvers<void>();
  let runs = 0;
  let inside = 0;
  let most = 0;
  const job = runEvery(
    10,
    "job",
    async () => {
      most = Math.max(most, ++inside);
      if (++runs === 3) third.resolve();
      await sleep(30);
      inside--;
    },
    silentLog,
  );
  await third.promise;
  await job.stop();
  assert.equal(inside, 0, "the run under way has ended");
  assert.equal(most, 1);
  const seen = runs;
  await sleep(100);
  assert.equal(runs, seen);
});

test("a job that fails is tried again, and said to fail once (X7)", async () => {
  const lines: { level: string; job: string }[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const enough = Promise.withResolvers<void>();
  let runs = 0;
  const work = async (): Promise<void> => {
    if (++runs === 10) enough.resolve();
    if (runs <= 5) throw new Error("down");
  };
  const job = runEvery(5, "job", work, log);
  await enough.promise;
  await job.stop();
  assert.deepEqual(
    lines.map(({ level, job: name }) => [level, name]),
    [
      ["error", "job"],
      ["info", "job"],
    ],
  );
});
