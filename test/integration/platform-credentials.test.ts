import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { renewDueCredentials } from "#domain/jobs/renew-credentials.ts";
import { getAccessToken } from "#domain/steps/credentials.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { days, hours, minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { createVault } from "#lib/vault.ts";
import { createDeps, forEachEngine, forOneEngine, silentLog } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { connectAccount, newConnection, withPlatform } from "../support/platform-fixture.ts";
import { readStoredText } from "../support/stored-text.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";

forOneEngine("platform credentials", (fixture) => {
  let platform: StrictPlatform;
  let deps: Deps;
  before(async () => {
    platform = await startStrictPlatform();
    deps = withPlatform(fixture.deps, platform);
  });
  after(() => platform.close());

  const countRefreshes = (): number => platform.requestCounts.get("/token") ?? 0;
  const newConnectedStudio = async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, platform, owner);
    return { owner, connectionId, connectionRef: { studioId: owner.studio.id, connectionId } };
  };
  const setCredential = (id: string, credential: string) =>
    fixture.database.q.updateTable("platformConnections").set({ credential }).where("id", "=", id).execute();
  const readCredential = async (id: string): Promise<string> =>
    (
      await fixture.database.q
        .selectFrom("platformConnections")
        .select("credential")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).credential ?? "";

  test("fifty concurrent uses of an expired credential, over two connection pools, cause one refresh (PLATFORM-9, R5)", async () => {
    const { connectionRef } = await newConnectedStudio();
    fixture.clock.advance(hours(1));
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    const otherDeps = withPlatform(createDeps(database, fixture.clock), platform);
    const refreshesBefore = countRefreshes();
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, i) => getAccessToken(i % 2 === 0 ? deps : otherDeps, connectionRef)),
    );
    await database.close();
    assert.equal(countRefreshes() - refreshesBefore, 1);
    assert.equal(new Set(tokens.map(({ accessToken }) => accessToken)).size, 1);
    assert.ok(platform.isTokenActive(tokens[0]?.accessToken ?? ""));
  });

  test("the renewal job refreshes a credential shortly before it expires, and not earlier (PLATFORM-9)", async () => {
    const { connectionRef } = await newConnectedStudio();
    const firstToken = await getAccessToken(deps, connectionRef);
    fixture.clock.advance(minutes(40));
    const refreshesBefore = countRefreshes();
    await renewDueCredentials(deps, { shouldStop: () => false });
    assert.deepEqual(await getAccessToken(deps, connectionRef), firstToken);
    fixture.clock.advance(minutes(10));
    assert.ok((await renewDueCredentials(deps, { shouldStop: () => false })).renewed >= 1);
    assert.ok(countRefreshes() > refreshesBefore);
    const renewedToken = await getAccessToken(deps, connectionRef);
    assert.notEqual(renewedToken.accessToken, firstToken.accessToken);
    assert.ok(platform.isTokenActive(renewedToken.accessToken));
  });

  test("one run renews all due credentials in batches, and stops early on request (PLATFORM-9)", async () => {
    const owner = await newStudio(deps);
    for (let i = 0; i < 50; i++) await newConnection(deps, owner, `account-${i}`, "strict");
    const countNeedsReconnect = async () =>
      (await deps.platformStore.list(owner.studio.id)).filter(({ state }) => state === "needs_reconnect").length;
    let stopChecks = 0;
    await renewDueCredentials(deps, { shouldStop: () => stopChecks++ >= 3 });
    assert.ok((await countNeedsReconnect()) <= 3);
    // These connections have no refresh token: the job tries each one once, then marks it needs_reconnect.
    await renewDueCredentials(deps, { shouldStop: () => false });
    assert.equal(await countNeedsReconnect(), 50);
  });

  test("does not call a platform that is no longer configured, and keeps its credentials (PLATFORM-9, PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await newConnection(deps, owner, "studio", "unset");
    const connectionBefore = await deps.platformStore.find(owner.studio.id, connectionId);
    assert.equal((await renewDueCredentials(deps, { shouldStop: () => false })).failed, 0);
    const connectionRef = { studioId: owner.studio.id, connectionId };
    assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "platform_not_configured");
    assert.deepEqual(await deps.platformStore.find(owner.studio.id, connectionId), connectionBefore);
    assert.deepEqual(await deps.platformStore.listDueForRenewal([], fixture.clock(), 10), []);
  });

  test("one process holds the lease of a renewal until it expires, also if another postpones the renewal (PLATFORM-9)", async () => {
    const { owner, connectionId, connectionRef } = await newConnectedStudio();
    fixture.clock.advance(hours(1));
    const connection = await deps.platformStore.find(owner.studio.id, connectionId);
    const generation = connection?.credentialGeneration ?? 0;
    const acquireRenewal = () =>
      deps.platformStore.acquireRenewal(connectionId, generation, fixture.clock(), fixture.clock() + seconds(30));
    assert.deepEqual([await acquireRenewal(), await acquireRenewal()], [true, false]);
    await deps.platformStore.postponeRenewal(connectionId, generation, fixture.clock());
    assert.equal(await acquireRenewal(), false);
    const dueConnections = await deps.platformStore.listDueForRenewal(["strict"], fixture.clock(), 100);
    assert.ok(!dueConnections.some(({ id }) => id === connectionId), "not due while a process holds the lease");
    fixture.clock.advance(seconds(30));
    assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "ok");
  });

  test("a credential that the platform revoked is deleted, and the activity records needs_reconnect (PLATFORM-9)", async () => {
    const { owner, connectionId, connectionRef } = await newConnectedStudio();
    await revokeAtPlatform(connectionRef);
    fixture.clock.advance(hours(1));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => getOutcome(getAccessToken(deps, connectionRef))),
    );
    assert.deepEqual(new Set(outcomes), new Set(["connect_expired"]));
    const { connections } = await listPlatforms(deps, owner);
    assert.deepEqual(
      connections.map(({ state }) => state),
      ["needs_reconnect"],
    );
    assert.equal((await deps.platformStore.find(owner.studio.id, connectionId))?.credential, null);
    const { activity } = await listActivity(deps, owner, { limit: 50 });
    const reconnectActivity = activity.filter(({ action }) => action === "platform.needs_reconnect");
    assert.deepEqual(
      reconnectActivity.map(({ user, subjectId }) => [user, subjectId]),
      [[null, connectionId]],
    );
    // The user can connect the account again.
    await connectAccount(deps, platform, owner);
    assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "ok");
  });

  async function revokeAtPlatform(connectionRef: { studioId: string; connectionId: string }): Promise<void> {
    const { accessToken } = await getAccessToken(deps, connectionRef);
    const basic = Buffer.from("atelier-at-strict:the+secret+of+Atelier+at+strict").toString("base64");
    await platform.createFetch()(`${platform.origin}/revoke`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: accessToken }).toString(),
    });
    assert.ok(!platform.isTokenActive(accessToken));
  }

  for (const fault of ["error500", "garbage", "silence", "html"] as const) {
    test(`a failing platform (${fault}) disconnects no account: ten callers send at most five refreshes, and a later refresh succeeds (PLATFORM-9)`, async () => {
      const { owner, connectionRef } = await newConnectedStudio();
      fixture.clock.advance(hours(1));
      const refreshesBefore = countRefreshes();
      platform.faults.set("/token", fault);
      // Every wait advances the clock, so that waiting callers reach their timeout.
      const waitingDeps = { ...deps, sleep: async () => fixture.clock.advance(seconds(1)) };
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => getOutcome(getAccessToken(waitingDeps, connectionRef))),
      );
      platform.faults.clear();
      assert.deepEqual(new Set(outcomes), new Set(["url_unreachable"]));
      assert.ok(countRefreshes() - refreshesBefore <= 5, `${countRefreshes() - refreshesBefore} attempts`);
      assert.deepEqual(
        (await listPlatforms(deps, owner)).connections.map(({ state }) => state),
        ["connected"],
      );
      fixture.clock.advance(seconds(40));
      assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "ok");
    });
  }

  for (const [status, body] of [
    [429, { error: "rate_limited" }],
    [403, { error: "invalid_grant" }],
    [400, { message: "an error of a proxy" }],
    [401, {}],
    [401, { error: "invalid_client" }],
    [400, { error: "something_new" }],
    [200, { error: { code: 4, message: "too many calls" } }],
    [503, { error: "invalid_grant" }],
  ] as const) {
    test(`${status} ${JSON.stringify(body)} in response to a renewal does not invalidate the credential (PLATFORM-9)`, async () => {
      const { owner, connectionRef } = await newConnectedStudio();
      const firstToken = await getAccessToken(deps, connectionRef);
      fixture.clock.advance(minutes(50));
      platform.faults.set("/token", { status, body });
      try {
        assert.ok((await renewDueCredentials(deps, { shouldStop: () => false })).failed >= 1);
        assert.deepEqual(
          await getAccessToken(deps, connectionRef),
          firstToken,
          "the old token is used until it expires",
        );
        fixture.clock.advance(minutes(10));
        assert.notEqual(await getOutcome(getAccessToken(deps, connectionRef)), "ok");
      } finally {
        platform.faults.clear();
      }
      const { connections } = await listPlatforms(deps, owner);
      assert.equal(connections[0]?.state, "connected");
      fixture.clock.advance(seconds(40));
      assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "ok");
    });
  }

  test("stores a connection with any token lifetime that a platform reports (PLATFORM-9)", async () => {
    const owner = await newStudio(deps);
    const day = 24 * 3600 * 1000;
    try {
      for (const [expiresIn, storedMs] of [
        [1e13, 3650 * day],
        [Number.MAX_VALUE, 3650 * day],
        [3600.7, 3600_000],
        [1, 1000],
        [0.9, null],
        [0, null],
        [-5, null],
      ] as const) {
        platform.expiresIn = expiresIn;
        const connectionId = await connectAccount(deps, platform, owner);
        const connection = await deps.platformStore.find(owner.studio.id, connectionId);
        assert.equal(connection?.tokenExpiresAt, storedMs && fixture.clock() + storedMs, String(expiresIn));
      }
    } finally {
      platform.expiresIn = 3600;
    }
  });

  test("a credential that cannot be renewed is used until it expires, and only then needs a reconnect (PLATFORM-9)", async () => {
    const nonRefreshableDeps = withPlatform(fixture.deps, platform, { includesNoRefresh: true });
    const owner = await newStudio(nonRefreshableDeps);
    const connectionId = await connectAccount(nonRefreshableDeps, platform, owner, "studio", "no-refresh");
    const connectionRef = { studioId: owner.studio.id, connectionId };
    const firstToken = await getAccessToken(nonRefreshableDeps, connectionRef);
    const getState = async () =>
      (await nonRefreshableDeps.platformStore.find(connectionRef.studioId, connectionId))?.state;
    for (const elapsed of [minutes(50), minutes(5)]) {
      fixture.clock.advance(elapsed);
      await renewDueCredentials(nonRefreshableDeps, { shouldStop: () => false });
      assert.deepEqual(await getAccessToken(nonRefreshableDeps, connectionRef), firstToken);
      assert.equal(await getState(), "connected");
    }
    fixture.clock.advance(minutes(5));
    await renewDueCredentials(nonRefreshableDeps, { shouldStop: () => false });
    assert.equal(await getState(), "needs_reconnect");
  });

  test("an access that the platform ends is announced seven days and one day before, with what it affects (HEALTH-1)", async () => {
    platform.expiresIn = 60 * 24 * 3600;
    const endingDeps = withPlatform(fixture.deps, platform, { includesNoRefresh: true });
    const owner = await newStudio(endingDeps);
    const connectionId = await connectAccount(endingDeps, platform, owner, "studio", "no-refresh");
    platform.expiresIn = 3600;
    const endsAt = fixture.clock() + days(60);
    const readHealth = async () => {
      await renewDueCredentials(endingDeps, { shouldStop: () => false });
      const [connection] = (await listPlatforms(endingDeps, owner)).connections;
      const { activity } = await listActivity(endingDeps, owner, { action: "platform.expires_soon", limit: 10 });
      return { ...connection, warnings: activity.length };
    };
    fixture.clock.advance(days(52));
    const early = await readHealth();
    assert.deepEqual([early.id, early.health, early.expiresAt, early.warnings], [connectionId, "ok", undefined, 0]);
    for (const [elapsed, warnings] of [
      [days(1), 1],
      [days(5), 1],
      [days(1), 2],
      [hours(23), 2],
    ] as const) {
      fixture.clock.advance(elapsed);
      const { health, expiresAt, warnings: count } = await readHealth();
      assert.deepEqual([health, expiresAt, count], ["expires_soon", toIsoTime(endsAt), warnings]);
    }
    fixture.clock.advance(hours(1));
    const ended = await readHealth();
    assert.deepEqual([ended.health, ended.expiresAt, ended.warnings], ["broken", undefined, 2]);
    assert.match(ended.reason ?? "", /no longer accepts/);
  });

  test("a renewal that finishes after a disconnect does not restore the credential (PLATFORM-9)", async () => {
    const { owner, connectionId, connectionRef } = await newConnectedStudio();
    const connection = await deps.platformStore.find(connectionRef.studioId, connectionId);
    await disconnectPlatform(deps, owner, { connectionId });
    const times = { expiresAt: null, renewAt: null };
    assert.equal(
      await deps.platformStore.renew(connectionId, connection?.credentialGeneration ?? 0, "v1.x.y", times),
      false,
    );
    assert.equal((await deps.platformStore.find(connectionRef.studioId, connectionId))?.credential, null);
  });

  test("a disconnect during a renewal revokes the new tokens, and the renewal does not return them (PLATFORM-3, PLATFORM-9)", async () => {
    const { owner, connectionId, connectionRef } = await newConnectedStudio();
    fixture.clock.advance(hours(1));
    platform.onRefresh = () => disconnectPlatform(deps, owner, { connectionId });
    assert.equal(await getOutcome(getAccessToken(deps, connectionRef)), "connect_expired");
    assert.deepEqual(platform.issuedSecrets.slice(-2).map(platform.isTokenActive), [false, false]);
  });

  test("if the user reconnects during a renewal, the token of the reconnect is used and stays valid (PLATFORM-9)", async () => {
    const { owner, connectionRef } = await newConnectedStudio();
    fixture.clock.advance(hours(1));
    platform.onRefresh = () => connectAccount(deps, platform, owner);
    const { accessToken } = await getAccessToken(deps, connectionRef);
    assert.equal(accessToken, platform.issuedSecrets.at(-2));
    assert.ok(platform.isTokenActive(accessToken));
  });

  test("a disconnect revokes the newest tokens if a renewal runs at the same time (PLATFORM-3)", async () => {
    const { owner, connectionId, connectionRef } = await newConnectedStudio();
    const { find } = deps.platformStore;
    fixture.clock.advance(hours(1));
    const oldConnection = await find(connectionRef.studioId, connectionId);
    await getAccessToken(deps, connectionRef);
    // The first read of the disconnect sees the connection from before the renewal.
    const staleReads = [oldConnection];
    const transact: Deps["transact"] = (authority, work) =>
      deps.transact(authority, (tx) =>
        work({
          ...tx,
          platformStore: {
            ...tx.platformStore,
            find: async (...args) => staleReads.pop() ?? tx.platformStore.find(...args),
          },
        }),
      );
    await disconnectPlatform({ ...deps, transact }, owner, { connectionId });
    assert.deepEqual(platform.issuedSecrets.slice(-2).map(platform.isTokenActive), [false, false]);
    assert.equal((await find(connectionRef.studioId, connectionId))?.state, "disconnected");
  });

  test("rejects ciphertexts that were altered or moved between rows or studios (PLATFORM-10, L2)", async () => {
    const [firstStudio, secondStudio] = [await newConnectedStudio(), await newConnectedStudio()];
    const sameStudioConnectionId = await connectAccount(deps, platform, firstStudio.owner, "second");
    const [ownCredential, otherStudioCredential, sameStudioCredential] = [
      await readCredential(firstStudio.connectionId),
      await readCredential(secondStudio.connectionId),
      await readCredential(sameStudioConnectionId),
    ];
    const alteredCredential = `${ownCredential.slice(0, -3)}${ownCredential.at(-3) === "A" ? "B" : "A"}${ownCredential.slice(-2)}`;
    for (const credential of [
      otherStudioCredential,
      sameStudioCredential,
      alteredCredential,
      ownCredential.slice(0, -8),
      `${ownCredential}AAAA`,
      "",
      "v1",
      "v1..",
      ownCredential.replace("v1.", "v2."),
      "{}",
    ]) {
      await setCredential(firstStudio.connectionId, credential);
      assert.match(
        await getOutcome(getAccessToken(deps, firstStudio.connectionRef)).catch(() => "rejected"),
        /rejected|internal/,
        credential,
      );
    }
    await setCredential(firstStudio.connectionId, ownCredential);
    assert.equal(await getOutcome(getAccessToken(deps, firstStudio.connectionRef)), "ok");
  });

  test("after secret rotation, all secrets decrypt, the newest encrypts, and the next refresh re-encrypts (PLATFORM-10, L2)", async () => {
    const { connectionId, connectionRef } = await newConnectedStudio();
    const oldSecret = "a test secret that is long enough";
    const depsWithBothSecrets = { ...deps, vault: createVault(["a newer secret, that is long enough", oldSecret]) };
    const oldCiphertext = await readCredential(connectionId);
    assert.equal(await getOutcome(getAccessToken(depsWithBothSecrets, connectionRef)), "ok");
    assert.equal(await readCredential(connectionId), oldCiphertext);
    fixture.clock.advance(hours(1));
    assert.equal(await getOutcome(getAccessToken(depsWithBothSecrets, connectionRef)), "ok");
    const depsWithNewSecret = { ...deps, vault: createVault(["a newer secret, that is long enough"]) };
    assert.equal(await getOutcome(getAccessToken(depsWithNewSecret, connectionRef)), "ok");
    await assert.rejects(getAccessToken(deps, connectionRef), /no longer in SECRETS/);
  });
});

forEachEngine("stored platform credentials", (fixture) => {
  test("the database contains no credential in plain text (PLATFORM-10, L1)", async () => {
    const platform = await startStrictPlatform();
    const deps = withPlatform(fixture.deps, platform);
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, platform, owner);
    await connectAccount(deps, platform, owner, "elephant", "mastodon");
    for (let i = 0; i < 5; i++) {
      fixture.clock.advance(hours(1));
      await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    }
    await platform.close();
    assert.ok(platform.issuedSecrets.length > 10);
    for (const [name, text] of await readStoredText(fixture))
      for (const secret of platform.issuedSecrets) assert.ok(!text.includes(secret), `${name} contains a token`);
  });
});
