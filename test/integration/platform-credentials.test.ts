import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { renewDueCredentials } from "#domain/platforms/refresh-credentials.ts";
import { getAccessToken } from "#domain/platforms/credentials.ts";
import type { Deps } from "#domain/deps.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { createVault } from "#lib/vault.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { connectAccount, newConnection, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";

forEachEngine("platform credentials", (fixture) => {
  let strict: StrictPlatform;
  let deps: Deps;
  before(async () => {
    strict = await startStrictPlatform();
    deps = withPlatform(fixture.deps, strict);
  });
  after(() => strict.close());

  const refreshes = (): number => strict.requestCounts.get("/token") ?? 0;
  const connected = async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    return { owner, connectionId, place: { studioId: owner.studio.id, connectionId } };
  };
  const setCredential = (id: string, credential: string) =>
    fixture.database.q.updateTable("platform_connections").set({ credential }).where("id", "=", id).execute();
  const credentialOf = async (id: string): Promise<string> =>
    (
      await fixture.database.q
        .selectFrom("platform_connections")
        .select("credential")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).credential ?? "";

  test("fifty parallel uses of an expired credential, over two pools, cause one refresh (PLATFORM-9, R5)", async () => {
    const { place: location } = await connected();
    fixture.clock.advance(hours(1));
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    const elsewhere = withPlatform(createDeps(database, fixture.clock), strict);
    const before = refreshes();
    const used = await Promise.all(
      Array.from({ length: 50 }, (_, i) => getAccessToken(i % 2 === 0 ? deps : elsewhere, location)),
    );
    await database.close();
    assert.equal(refreshes() - before, 1);
    assert.equal(new Set(used.map(({ accessToken }) => accessToken)).size, 1);
    assert.ok(strict.isTokenActive(used[0]?.accessToken ?? ""));
  });

  test("refreshed ahead of its end by the sweep, which keeps what it does not have to touch (PLATFORM-9)", async () => {
    const { place: location } = await connected();
    const first = await getAccessToken(deps, location);
    fixture.clock.advance(minutes(40));
    const before = refreshes();
    await renewDueCredentials(deps, { shouldStop: () => false });
    assert.deepEqual(await getAccessToken(deps, location), first);
    fixture.clock.advance(minutes(10));
    assert.ok((await renewDueCredentials(deps, { shouldStop: () => false })).renewed >= 1);
    assert.ok(refreshes() > before);
    const second = await getAccessToken(deps, location);
    assert.notEqual(second.accessToken, first.accessToken);
    assert.ok(strict.isTokenActive(second.accessToken));
  });

  test("one run renews all that is due, batch after batch, until its time is over (PLATFORM-9)", async () => {
    const owner = await newStudio(deps);
    for (let i = 0; i < 50; i++) await newConnection(deps, owner, `account-${i}`, "strict");
    const ended = async () =>
      (await deps.platformStore.list(owner.studio.id)).filter(({ state }) => state === "needs_reconnect").length;
    let looks = 0;
    await renewDueCredentials(deps, { shouldStop: () => looks++ >= 3 });
    assert.ok((await ended()) <= 3);
    // These have no refresh token: each is looked at once, and needs a person then.
    await renewDueCredentials(deps, { shouldStop: () => false });
    assert.equal(await ended(), 50);
  });

  test("a platform that has lost its settings is not asked, and what it gave is kept for later (PLATFORM-9, PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await newConnection(deps, owner, "studio", "unset");
    const before = await deps.platformStore.find(owner.studio.id, connectionId);
    assert.equal((await renewDueCredentials(deps, { shouldStop: () => false })).failed, 0);
    const location = { studioId: owner.studio.id, connectionId };
    assert.equal(await getOutcome(getAccessToken(deps, location)), "platform_not_configured");
    assert.deepEqual(await deps.platformStore.find(owner.studio.id, connectionId), before);
    assert.deepEqual(await deps.platformStore.listDueForRenewal([], fixture.clock(), 10), []);
  });

  test("to postpone a renewal does not take it from whoever is at it (PLATFORM-9)", async () => {
    const { owner, connectionId } = await connected();
    const { generation = 0 } = (await deps.platformStore.find(owner.studio.id, connectionId)) ?? {};
    const take = () =>
      deps.platformStore.acquireRenewal(connectionId, generation, fixture.clock(), fixture.clock() + seconds(30));
    assert.ok(await take());
    await deps.platformStore.postponeRenewal(connectionId, generation, fixture.clock());
    assert.equal(await take(), false);
    const due = await deps.platformStore.listDueForRenewal(["strict"], fixture.clock(), 100);
    assert.ok(!due.some(({ id }) => id === connectionId), "nor is it due while it is someone's");
  });

  test("what the platform does not honour any more needs a person: needs_reconnect, wiped, and told (PLATFORM-9)", async () => {
    const { owner, connectionId, place: location } = await connected();
    await withRevokedUpstream(location);
    fixture.clock.advance(hours(1));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => getOutcome(getAccessToken(deps, location))));
    assert.deepEqual(new Set(outcomes), new Set(["connect_expired"]));
    const { connections } = await listPlatforms(deps, owner);
    assert.deepEqual(
      connections.map(({ state }) => state),
      ["needs_reconnect"],
    );
    assert.equal((await deps.platformStore.find(owner.studio.id, connectionId))?.credential, null);
    const { activity } = await listActivity(deps, owner, { limit: 50 });
    const told = activity.filter(({ action }) => action === "platform.needs_reconnect");
    assert.deepEqual(
      told.map(({ user, subjectId }) => [user, subjectId]),
      [[null, connectionId]],
    );
    // Connecting again mends it; disconnecting would also do.
    await connectAccount(deps, strict, owner);
    assert.equal(await getOutcome(getAccessToken(deps, location)), "ok");
  });

  async function withRevokedUpstream(location: { studioId: string; connectionId: string }): Promise<void> {
    const { accessToken } = await getAccessToken(deps, location);
    const basic = Buffer.from("atelier-at-strict:the+secret+of+Atelier+at+strict").toString("base64");
    await strict.createFetch()(`${strict.origin}/revoke`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: accessToken }).toString(),
    });
    assert.ok(!strict.isTokenActive(accessToken));
  }

  for (const fault of ["error500", "garbage", "silence", "html"] as const) {
    test(`a platform in trouble (${fault}) costs no connection: it is tried again, and not by everyone at once (PLATFORM-9)`, async () => {
      const hurried = withPlatform(fixture.deps, strict, { timeoutMs: 300 });
      const { owner, place: location } = await connected();
      fixture.clock.advance(hours(1));
      const before = refreshes();
      strict.faults.set("/token", fault);
      // Time goes on with every wait, so that those who wait reach the end of their patience.
      const waiting = { ...hurried, sleep: async () => fixture.clock.advance(seconds(1)) };
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => getOutcome(getAccessToken(waiting, location))),
      );
      strict.faults.clear();
      assert.deepEqual(new Set(outcomes), new Set(["url_unreachable"]));
      assert.ok(refreshes() - before <= 5, `${refreshes() - before} attempts`);
      assert.deepEqual(
        (await listPlatforms(deps, owner)).connections.map(({ state }) => state),
        ["connected"],
      );
      fixture.clock.advance(seconds(40));
      assert.equal(await getOutcome(getAccessToken(deps, location)), "ok");
    });
  }

  for (const [status, body] of [
    [429, { error: "rate_limited" }],
    [403, { error: "invalid_grant" }],
    [400, { message: "a proxy's own words" }],
    [401, {}],
    [401, { error: "invalid_client" }],
    [400, { error: "something_new" }],
    [200, { error: { code: 4, message: "too many calls" } }],
    [503, { error: "invalid_grant" }],
  ] as const) {
    test(`${status} ${JSON.stringify(body)} to a renewal says nothing of the credential: it is kept (PLATFORM-9)`, async () => {
      const { owner, place: location } = await connected();
      const first = await getAccessToken(deps, location);
      fixture.clock.advance(minutes(50));
      strict.faults.set("/token", { status, body });
      try {
        assert.ok((await renewDueCredentials(deps, { shouldStop: () => false })).failed >= 1);
        assert.deepEqual(await getAccessToken(deps, location), first, "good until its end");
        fixture.clock.advance(minutes(10));
        assert.notEqual(await getOutcome(getAccessToken(deps, location)), "ok");
      } finally {
        strict.faults.clear();
      }
      const { connections } = await listPlatforms(deps, owner);
      assert.equal(connections[0]?.state, "connected");
      fixture.clock.advance(seconds(40));
      assert.equal(await getOutcome(getAccessToken(deps, location)), "ok");
    });
  }

  test("whatever a platform says of a token's life, the connection is stored and read (PLATFORM-9)", async () => {
    const owner = await newStudio(deps);
    const day = 24 * 3600 * 1000;
    try {
      for (const [expiresIn, kept] of [
        [1e13, 3650 * day],
        [Number.MAX_VALUE, 3650 * day],
        [3600.7, 3600_000],
        [1, 1000],
        [0.9, null],
        [0, null],
        [-5, null],
      ] as const) {
        strict.expiresIn = expiresIn;
        const connectionId = await connectAccount(deps, strict, owner);
        const found = await deps.platformStore.find(owner.studio.id, connectionId);
        assert.equal(found?.expiresAt, kept && fixture.clock() + kept, String(expiresIn));
      }
    } finally {
      strict.expiresIn = 3600;
    }
  });

  test("what cannot be renewed serves to its end, and only then needs a person (PLATFORM-9)", async () => {
    const unrenewed = withPlatform(fixture.deps, strict, { withNonRefreshable: true });
    const owner = await newStudio(unrenewed);
    const connectionId = await connectAccount(unrenewed, strict, owner, "short", "brief");
    const location = { studioId: owner.studio.id, connectionId };
    const first = await getAccessToken(unrenewed, location);
    const state = async () => (await unrenewed.platformStore.find(location.studioId, connectionId))?.state;
    for (const passed of [minutes(50), minutes(5)]) {
      fixture.clock.advance(passed);
      await renewDueCredentials(unrenewed, { shouldStop: () => false });
      assert.deepEqual(await getAccessToken(unrenewed, location), first);
      assert.equal(await state(), "connected");
    }
    fixture.clock.advance(minutes(5));
    await renewDueCredentials(unrenewed, { shouldStop: () => false });
    assert.equal(await state(), "needs_reconnect");
  });

  test("whoever held the renewal and died loses it, and the next one renews (PLATFORM-9)", async () => {
    const { connectionId, place: location } = await connected();
    fixture.clock.advance(hours(1));
    const found = await deps.platformStore.find(location.studioId, connectionId);
    assert.ok(
      await deps.platformStore.acquireRenewal(
        connectionId,
        found?.generation ?? 0,
        fixture.clock(),
        fixture.clock() + seconds(30),
      ),
    );
    assert.ok(
      !(await deps.platformStore.acquireRenewal(
        connectionId,
        found?.generation ?? 0,
        fixture.clock(),
        fixture.clock() + seconds(30),
      )),
    );
    fixture.clock.advance(seconds(30));
    assert.equal(await getOutcome(getAccessToken(deps, location)), "ok");
  });

  test("a renewal that ends after the connection was disconnected brings nothing back (PLATFORM-9)", async () => {
    const { owner, connectionId, place: location } = await connected();
    const found = await deps.platformStore.find(location.studioId, connectionId);
    await disconnectPlatform(deps, owner, { connectionId });
    const times = { expiresAt: null, renewAt: null };
    assert.equal(await deps.platformStore.renew(connectionId, found?.generation ?? 0, "v1.x.y", times), false);
    assert.equal((await deps.platformStore.find(location.studioId, connectionId))?.credential, null);
  });

  test("disconnected while it is renewed: nobody gets the new tokens, and they are revoked (PLATFORM-3, PLATFORM-9)", async () => {
    const { owner, connectionId, place: location } = await connected();
    fixture.clock.advance(hours(1));
    strict.onRefresh = () => disconnectPlatform(deps, owner, { connectionId });
    assert.equal(await getOutcome(getAccessToken(deps, location)), "connect_expired");
    assert.deepEqual(strict.issuedSecrets.slice(-2).map(strict.isTokenActive), [false, false]);
  });

  test("connected anew while it is renewed: the new connection is used, and left alone (PLATFORM-9)", async () => {
    const { owner, place: location } = await connected();
    fixture.clock.advance(hours(1));
    strict.onRefresh = () => connectAccount(deps, strict, owner);
    const { accessToken } = await getAccessToken(deps, location);
    assert.equal(accessToken, strict.issuedSecrets.at(-2));
    assert.ok(strict.isTokenActive(accessToken));
  });

  test("renewed while it is disconnected: what is revoked is what it held last (PLATFORM-3)", async () => {
    const { owner, connectionId, place: location } = await connected();
    const { find } = deps.platformStore;
    fixture.clock.advance(hours(1));
    const old = await find(location.studioId, connectionId);
    await getAccessToken(deps, location);
    // The first look was before the renewal.
    const looks = [old];
    const transact: Deps["transact"] = (work) =>
      deps.transact((tx) =>
        work({
          ...tx,
          platformStore: {
            ...tx.platformStore,
            find: async (...args) => looks.pop() ?? tx.platformStore.find(...args),
          },
        }),
      );
    await disconnectPlatform({ ...deps, transact }, owner, { connectionId });
    assert.deepEqual(strict.issuedSecrets.slice(-2).map(strict.isTokenActive), [false, false]);
    assert.equal((await find(location.studioId, connectionId))?.state, "disconnected");
  });

  test("ciphertexts swapped between rows or studios, or altered, are refused (PLATFORM-10, L2)", async () => {
    const [one, two] = [await connected(), await connected()];
    const second = await connectAccount(deps, strict, one.owner, "second");
    const [a, b, c] = [
      await credentialOf(one.connectionId),
      await credentialOf(two.connectionId),
      await credentialOf(second),
    ];
    const flipped = `${a.slice(0, -3)}${a.at(-3) === "A" ? "B" : "A"}${a.slice(-2)}`;
    for (const wrong of [b, c, flipped, a.slice(0, -8), `${a}AAAA`, "", "v1", "v1..", a.replace("v1.", "v2."), "{}"]) {
      await setCredential(one.connectionId, wrong);
      assert.match(await getOutcome(getAccessToken(deps, one.place)).catch(() => "refused"), /refused|internal/, wrong);
    }
    await setCredential(one.connectionId, a);
    assert.equal(await getOutcome(getAccessToken(deps, one.place)), "ok");
  });

  test("secrets rotate: the newest seals, all open, and the next refresh seals anew (PLATFORM-10, L2)", async () => {
    const { connectionId, place: location } = await connected();
    const old = "a secret of this test, long enough";
    const rotated = { ...deps, vault: createVault(["a newer secret, that is long enough", old]) };
    const sealed = await credentialOf(connectionId);
    assert.equal(await getOutcome(getAccessToken(rotated, location)), "ok");
    assert.equal(await credentialOf(connectionId), sealed);
    fixture.clock.advance(hours(1));
    assert.equal(await getOutcome(getAccessToken(rotated, location)), "ok");
    const anew = { ...deps, vault: createVault(["a newer secret, that is long enough"]) };
    assert.equal(await getOutcome(getAccessToken(anew, location)), "ok");
    await assert.rejects(getAccessToken(deps, location), /no longer in SECRETS/);
  });

  test("no credential stands in clear in the database (PLATFORM-10, L1)", async () => {
    const { owner, place: location } = await connected();
    await connectAccount(deps, strict, owner, "elephant", "mastodon");
    fixture.clock.advance(hours(1));
    await getAccessToken(deps, location);
    const rows: unknown[] = [];
    for (const table of [
      "platform_connections",
      "platform_connects",
      "platform_apps",
      "activity",
      "leases",
      "idempotency_keys",
    ] as const)
      rows.push(await fixture.database.q.selectFrom(table).selectAll().execute());
    const dump = JSON.stringify(rows);
    assert.ok(strict.issuedSecrets.length > 10);
    for (const secret of strict.issuedSecrets) assert.ok(!dump.includes(secret), "a token stands in clear");
    if (fixture.engine !== "sqlite") return;
    for (const file of readdirSync(fixture.location.dataDir, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const secret of strict.issuedSecrets) assert.ok(!bytes.includes(secret), `${file.name} holds a token`);
    }
  });
});
