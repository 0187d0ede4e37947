import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openDatabase } from "#db/open.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { renewDue } from "#domain/platforms/renew-due.ts";
import { useCredential } from "#domain/platforms/use-credential.ts";
import type { Deps } from "#domain/deps.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { createVault } from "#lib/vault.ts";
import { createDeps, forEachEngine, silent } from "../support/engines.ts";
import { outcome } from "../support/outcome.ts";
import { newStudio } from "../support/people.ts";
import { connectAccount, withPlatform } from "../support/platform-bed.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";

forEachEngine("platform credentials", (bed) => {
  let strict: StrictPlatform;
  let deps: Deps;
  before(async () => {
    strict = await startStrictPlatform();
    deps = withPlatform(bed.deps, strict);
  });
  after(() => strict.close());

  const refreshes = (): number => strict.hits.get("/token") ?? 0;
  const connected = async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    return { owner, connectionId, place: { studioId: owner.studio.id, connectionId } };
  };
  const setCredential = (id: string, credential: string) =>
    bed.database.q.updateTable("platform_connections").set({ credential }).where("id", "=", id).execute();
  const credentialOf = async (id: string): Promise<string> =>
    (
      await bed.database.q
        .selectFrom("platform_connections")
        .select("credential")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).credential ?? "";

  test("[PLATFORM-9] [R5] fifty parallel uses of an expired credential, over two pools, cause one refresh", async () => {
    const { place } = await connected();
    bed.clock.advance(hours(1));
    const database = await openDatabase({ ...bed.place, log: silent });
    const elsewhere = withPlatform(createDeps(database, bed.clock), strict);
    const before = refreshes();
    const used = await Promise.all(
      Array.from({ length: 50 }, (_, i) => useCredential(i % 2 === 0 ? deps : elsewhere, place)),
    );
    await database.close();
    assert.equal(refreshes() - before, 1);
    assert.equal(new Set(used.map(({ accessToken }) => accessToken)).size, 1);
    assert.ok(strict.isLive(used[0]?.accessToken ?? ""));
  });

  test("[PLATFORM-9] refreshed ahead of its end by the sweep, which keeps what it does not have to touch", async () => {
    const { place } = await connected();
    const first = await useCredential(deps, place);
    bed.clock.advance(minutes(40));
    const before = refreshes();
    await renewDue(deps, { isOver: () => false });
    assert.deepEqual(await useCredential(deps, place), first);
    bed.clock.advance(minutes(10));
    assert.ok((await renewDue(deps, { isOver: () => false })).renewed >= 1);
    assert.ok(refreshes() > before);
    const second = await useCredential(deps, place);
    assert.notEqual(second.accessToken, first.accessToken);
    assert.ok(strict.isLive(second.accessToken));
  });

  test("[PLATFORM-9] what the platform does not honour any more needs a person: needs_reconnect, wiped, and told", async () => {
    const { owner, connectionId, place } = await connected();
    await withRevokedUpstream(place);
    bed.clock.advance(hours(1));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(useCredential(deps, place))));
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
    assert.equal(await outcome(useCredential(deps, place)), "ok");
  });

  async function withRevokedUpstream(place: { studioId: string; connectionId: string }): Promise<void> {
    const { accessToken } = await useCredential(deps, place);
    const basic = Buffer.from("atelier-at-strict:the+secret+of+Atelier+at+strict").toString("base64");
    await strict.reach()(`${strict.origin}/revoke`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: accessToken }).toString(),
    });
    assert.ok(!strict.isLive(accessToken));
  }

  for (const fault of ["error500", "garbage", "silence", "html"] as const) {
    test(`[PLATFORM-9] a platform in trouble (${fault}) costs no connection: it is tried again, and not by everyone at once`, async () => {
      const hurried = withPlatform(bed.deps, strict, { timeoutMs: 300 });
      const { owner, place } = await connected();
      bed.clock.advance(hours(1));
      const before = refreshes();
      strict.faults.set("/token", fault);
      // Time goes on with every wait, so that those who wait reach the end of their patience.
      const waiting = { ...hurried, sleep: async () => bed.clock.advance(seconds(1)) };
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(useCredential(waiting, place))));
      strict.faults.clear();
      assert.deepEqual(new Set(outcomes), new Set(["url_unreachable"]));
      assert.ok(refreshes() - before <= 5, `${refreshes() - before} attempts`);
      assert.deepEqual(
        (await listPlatforms(deps, owner)).connections.map(({ state }) => state),
        ["connected"],
      );
      bed.clock.advance(seconds(40));
      assert.equal(await outcome(useCredential(deps, place)), "ok");
    });
  }

  test("[PLATFORM-9] what cannot be renewed serves to its end, and only then needs a person", async () => {
    const unrenewed = withPlatform(bed.deps, strict, { withBrief: true });
    const owner = await newStudio(unrenewed);
    const connectionId = await connectAccount(unrenewed, strict, owner, "short", "brief");
    const place = { studioId: owner.studio.id, connectionId };
    const first = await useCredential(unrenewed, place);
    const state = async () => (await unrenewed.platformStore.find(place.studioId, connectionId))?.state;
    for (const passed of [minutes(50), minutes(5)]) {
      bed.clock.advance(passed);
      await renewDue(unrenewed, { isOver: () => false });
      assert.deepEqual(await useCredential(unrenewed, place), first);
      assert.equal(await state(), "connected");
    }
    bed.clock.advance(minutes(5));
    await renewDue(unrenewed, { isOver: () => false });
    assert.equal(await state(), "needs_reconnect");
  });

  test("[PLATFORM-9] whoever held the renewal and died loses it, and the next one renews", async () => {
    const { connectionId, place } = await connected();
    bed.clock.advance(hours(1));
    const found = await deps.platformStore.find(place.studioId, connectionId);
    assert.ok(
      await deps.platformStore.takeRenewal(
        connectionId,
        found?.generation ?? 0,
        bed.clock(),
        bed.clock() + seconds(30),
      ),
    );
    assert.ok(
      !(await deps.platformStore.takeRenewal(
        connectionId,
        found?.generation ?? 0,
        bed.clock(),
        bed.clock() + seconds(30),
      )),
    );
    bed.clock.advance(seconds(30));
    assert.equal(await outcome(useCredential(deps, place)), "ok");
  });

  test("[PLATFORM-9] a renewal that ends after the connection was disconnected brings nothing back", async () => {
    const { owner, connectionId, place } = await connected();
    const found = await deps.platformStore.find(place.studioId, connectionId);
    await disconnectPlatform(deps, owner, { connectionId });
    const times = { expiresAt: null, renewAt: null };
    assert.equal(await deps.platformStore.renew(connectionId, found?.generation ?? 0, "v1.x.y", times), false);
    assert.equal((await deps.platformStore.find(place.studioId, connectionId))?.credential, null);
  });

  test("[PLATFORM-10] [L2] ciphertexts swapped between rows or studios, or altered, are refused", async () => {
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
      assert.match(await outcome(useCredential(deps, one.place)).catch(() => "refused"), /refused|internal/, wrong);
    }
    await setCredential(one.connectionId, a);
    assert.equal(await outcome(useCredential(deps, one.place)), "ok");
  });

  test("[PLATFORM-10] [L2] secrets rotate: the newest seals, all open, and the next refresh seals anew", async () => {
    const { connectionId, place } = await connected();
    const old = "a secret of this test, long enough";
    const rotated = { ...deps, vault: createVault(["a newer secret, that is long enough", old]) };
    const sealed = await credentialOf(connectionId);
    assert.equal(await outcome(useCredential(rotated, place)), "ok");
    assert.equal(await credentialOf(connectionId), sealed);
    bed.clock.advance(hours(1));
    assert.equal(await outcome(useCredential(rotated, place)), "ok");
    const anew = { ...deps, vault: createVault(["a newer secret, that is long enough"]) };
    assert.equal(await outcome(useCredential(anew, place)), "ok");
    await assert.rejects(useCredential(deps, place), /not among SECRETS/);
  });

  test("[PLATFORM-10] [L1] no credential stands in clear in the database", async () => {
    const { owner, place } = await connected();
    await connectAccount(deps, strict, owner, "elephant", "mastodon");
    bed.clock.advance(hours(1));
    await useCredential(deps, place);
    const rows: unknown[] = [];
    for (const table of [
      "platform_connections",
      "platform_connects",
      "platform_apps",
      "activity",
      "leases",
      "idempotency_keys",
    ] as const)
      rows.push(await bed.database.q.selectFrom(table).selectAll().execute());
    const dump = JSON.stringify(rows);
    assert.ok(strict.given.length > 10);
    for (const secret of strict.given) assert.ok(!dump.includes(secret), "a token stands in clear");
    if (bed.engine !== "sqlite") return;
    for (const file of readdirSync(bed.place.dataDir, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const secret of strict.given) assert.ok(!bytes.includes(secret), `${file.name} holds a token`);
    }
  });
});
