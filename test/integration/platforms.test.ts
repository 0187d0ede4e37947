import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { openConnectPage, startConnect } from "#domain/platforms/connect-page.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { finishConnect, maxConnections } from "#domain/platforms/finish-connect.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { getAccessToken } from "#domain/platforms/credentials.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { roles } from "#domain/policy.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { revokeClient } from "#domain/access/revoke-client.ts";
import { minutes } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { createLog } from "#lib/log.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newUser, newStudio, newStudioWithRoles } from "../support/users.ts";
import { connectAccount, newConnection, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("platforms", (fixture) => {
  let strict: StrictPlatform;
  let deps: Deps;
  before(async () => {
    strict = await startStrictPlatform();
    deps = withPlatform(fixture.deps, strict);
  });
  after(() => strict.close());

  const states = async (caller: Caller) =>
    (await listPlatforms(deps, caller)).connections.map(({ account, state }) => [account.handle, state]);

  /** A connect that has gone to the platform: what the browser holds, and where it is sent. */
  const begin = async (caller: Caller, account: string | undefined = "studio") => {
    const { connectUrl } = await connectPlatform(deps, caller, { platform: "strict" });
    const { location, ...pending } = await startConnect(deps, caller, { token: extractToken(connectUrl) });
    return { connectUrl, pending, callback: new URL(strict.authorize(location, account)) };
  };

  test("the whole path: a page of 15 minutes, the platform's own OAuth, a connection of this studio (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const answer = await connectPlatform(deps, owner, { platform: "strict" });
    assert.match(answer.connectUrl, new RegExp(`^${deps.base}/connect/[\\w-]{40,}$`));
    assert.equal(answer.expiresInMinutes, 15);
    await connectAccount(deps, strict, owner);
    const { platforms, connections } = await listPlatforms(deps, owner);
    assert.deepEqual(
      platforms.map(({ id, configured, needsInstanceUrl }) => [id, configured, needsInstanceUrl]),
      [
        ["strict", true, false],
        ["mastodon", true, true],
        ["unset", false, false],
      ],
    );
    assert.deepEqual(
      connections.map(({ platform, account, state, instanceUrl }) => [platform, account.handle, state, instanceUrl]),
      [["strict", "studio", "connected", null]],
    );
    assert.deepEqual((await listPlatforms(deps, await newStudio(deps))).connections, []);
  });

  test("the same account again renews the one connection; another is another (PLATFORM-2)", async () => {
    const owner = await newStudio(deps);
    const first = await connectAccount(deps, strict, owner, "one");
    const before = await getAccessToken(deps, { studioId: owner.studio.id, connectionId: first });
    assert.equal(await connectAccount(deps, strict, owner, "one"), first);
    assert.notEqual(
      (await getAccessToken(deps, { studioId: owner.studio.id, connectionId: first })).accessToken,
      before.accessToken,
    );
    await connectAccount(deps, strict, owner, "two");
    assert.deepEqual((await states(owner)).toSorted(), [
      ["one", "connected"],
      ["two", "connected"],
    ]);
    // The same account in another studio is that studio's own connection.
    const other = await newStudio(deps);
    assert.notEqual(await connectAccount(deps, strict, other, "one"), first);
  });

  test("a studio has a hundred accounts at most, however many come at once (PLATFORM-2)", async () => {
    const owner = await newStudio(deps);
    for (let i = 2; i < maxConnections; i++) await newConnection(deps, owner, `account-${i}`);
    const begun = await Promise.all(["a", "b", "c", "d"].map((account) => begin(owner, account)));
    const outcomes = await Promise.all(begun.map((one) => getOutcome(finishConnect(deps, owner, one))));
    assert.deepEqual(outcomes.toSorted(), ["ok", "ok", "quota_exceeded", "quota_exceeded"]);
    const [first] = await deps.platformStore.list(owner.studio.id);
    // One that is there can be connected anew, and one that was disconnected makes room.
    await connectAccount(deps, strict, owner, first?.account.handle ?? "");
    await disconnectPlatform(deps, owner, { connectionId: first?.id ?? "" });
    await connectAccount(deps, strict, owner, "another");
    assert.equal(await getOutcome(connectAccount(deps, strict, owner, first?.account.handle ?? "")), "quota_exceeded");
  });

  test("disconnecting wipes, revokes at the platform, and is safe to repeat (PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    const { accessToken } = await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    assert.ok(strict.isTokenActive(accessToken));
    assert.deepEqual(await disconnectPlatform(deps, owner, { connectionId }), { disconnected: connectionId });
    assert.ok(!strict.isTokenActive(accessToken));
    assert.equal((await deps.platformStore.find(owner.studio.id, connectionId))?.credential, null);
    assert.deepEqual(await disconnectPlatform(deps, owner, { connectionId }), { disconnected: connectionId });
    assert.deepEqual(await states(owner), [["studio", "disconnected"]]);
    const rows = await listActivity(deps, owner, { limit: 50 });
    assert.equal(rows.activity.filter(({ action }) => action === "platform.disconnected").length, 1);
    // Connecting it again brings the row back to life.
    assert.equal(await connectAccount(deps, strict, owner), connectionId);
    assert.deepEqual(await states(owner), [["studio", "connected"]]);
  });

  test("a platform that is away keeps nobody: the credential is wiped all the same (PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    strict.faults.set("/revoke", "error500");
    try {
      await disconnectPlatform(deps, owner, { connectionId });
    } finally {
      strict.faults.clear();
    }
    assert.deepEqual(await states(owner), [["studio", "disconnected"]]);
  });

  test("a studio that is deleted gives its accounts back at the platform (PLATFORM-3, T10)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    const { accessToken } = await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    await deleteStudio(deps, owner, { name: owner.studio.name });
    assert.ok(!strict.isTokenActive(accessToken));
    assert.deepEqual(await deps.platformStore.list(owner.studio.id), []);
  });

  test("members look, owners and admins connect and disconnect; role comes before existence (PLATFORM-4, ROLE-1, T3)", async () => {
    const cast = await newStudioWithRoles(deps);
    for (const role of roles) {
      const expected = role === "member" ? "forbidden" : "ok";
      assert.equal(await getOutcome(listPlatforms(deps, cast[role])), "ok");
      assert.equal(await getOutcome(connectPlatform(deps, cast[role], { platform: "strict" })), expected);
      const connectionId = await connectAccount(deps, strict, cast.owner, `for-${role}`);
      assert.equal(await getOutcome(disconnectPlatform(deps, cast[role], { connectionId })), expected);
    }
    assert.equal(await getOutcome(connectPlatform(deps, cast.member, { platform: "nope" })), "forbidden");
    assert.equal(await getOutcome(disconnectPlatform(deps, cast.member, { connectionId: "nope" })), "forbidden");
  });

  test("connections of another studio, and ids that are none, are not found (PLATFORM-4, T1, STUDIO-5)", async () => {
    const [owner, stranger] = [await newStudio(deps), await newStudio(deps)];
    const connectionId = await connectAccount(deps, strict, owner);
    for (const id of [connectionId, deps.newId("platformConnection"), "plc_x", "", "' OR 1=1 --", deps.newId("post")])
      assert.equal(await getOutcome(disconnectPlatform(deps, stranger, { connectionId: id })), "not_found", id);
    assert.equal(await getOutcome(getAccessToken(deps, { studioId: stranger.studio.id, connectionId })), "not_found");
    assert.deepEqual(await states(owner), [["studio", "connected"]]);
  });

  test("unknown is platform_unsupported; known without credentials tells the operator which settings (PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    for (const platform of ["myspace", "Strict", "", "__proto__", "constructor"])
      assert.equal(await getOutcome(connectPlatform(deps, owner, { platform })), "platform_unsupported", platform);
    const error = await connectPlatform(deps, owner, { platform: "unset" }).catch((one: AppError) => one);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "platform_not_configured");
    assert.match(hintFor(error, errorHints) ?? "", /PLATFORM_UNSET_CLIENT_ID and PLATFORM_UNSET_CLIENT_SECRET/);
  });

  test("a page expires after 15 minutes, serves once, and is nobody else's (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { connectUrl } = await connectPlatform(deps, owner, { platform: "strict" });
    const token = extractToken(connectUrl);
    assert.equal(await getOutcome(openConnectPage(deps, await newStudio(deps), { token })), "forbidden");
    assert.equal(await getOutcome(openConnectPage(deps, owner, { token: `${token}x` })), "connect_expired");
    assert.equal(await getOutcome(openConnectPage(deps, owner, { token })), "ok");
    fixture.clock.advance(minutes(15));
    assert.equal(await getOutcome(openConnectPage(deps, owner, { token })), "connect_expired");
    assert.equal(await getOutcome(startConnect(deps, owner, { token })), "connect_expired");

    const used = await begin(owner);
    await finishConnect(deps, owner, used);
    assert.equal(await getOutcome(finishConnect(deps, owner, used)), "connect_expired");
    assert.equal(
      await getOutcome(openConnectPage(deps, owner, { token: extractToken(used.connectUrl) })),
      "connect_expired",
    );
  });

  test("to begin neither lengthens nor shortens a page's life; who is at the platform has ten minutes (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const purge = () => createPurgeJob(deps)({ pause: async () => {}, shouldStop: () => false });
    const early = await begin(owner);
    const token = extractToken(early.connectUrl);
    fixture.clock.advance(minutes(10));
    await purge();
    assert.equal(await getOutcome(finishConnect(deps, owner, early)), "connect_expired");
    assert.equal(await getOutcome(openConnectPage(deps, owner, { token })), "ok", "open for its 15 minutes");
    fixture.clock.advance(minutes(4));
    const { location, ...pending } = await startConnect(deps, owner, { token });
    fixture.clock.advance(minutes(1));
    assert.equal(await getOutcome(openConnectPage(deps, owner, { token })), "connect_expired");
    assert.equal(await getOutcome(startConnect(deps, owner, { token })), "connect_expired");
    fixture.clock.advance(minutes(8));
    await purge();
    const callback = new URL(strict.authorize(location, "studio"));
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "ok");
  });

  test("of twenty parallel callbacks one connects (PLATFORM-6, T5)", async () => {
    const owner = await newStudio(deps);
    const used = await begin(owner);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => getOutcome(finishConnect(deps, owner, used))));
    assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 19 }, () => "connect_expired"), "ok"]);
  });

  test("a callback in another person's browser, or in one that began nothing, stores nothing (PLATFORM-6, A16)", async () => {
    const [owner, stranger] = [await newStudio(deps), await newStudio(deps)];
    const { callback, pending } = await begin(owner);
    assert.equal(await getOutcome(finishConnect(deps, stranger, { callback, pending: undefined })), "connect_expired");
    assert.equal(await getOutcome(finishConnect(deps, stranger, { callback, pending })), "forbidden");
    assert.deepEqual([await states(owner), await states(stranger)], [[], []]);
    // And it is still good where it belongs.
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "ok");
  });

  test("states swapped between two studios of one person connect neither (PLATFORM-6, A16)", async () => {
    const person = await newUser(deps);
    const [one, two] = [await newStudio(deps, person), await newStudio(deps, person)];
    const [a, b] = [await begin(one, "account-one"), await begin(two, "account-two")];
    const swapped = new URL(a.callback);
    swapped.searchParams.set("state", b.pending.state);
    // The code of the one with the state of the other: the platform holds it against the verifier.
    assert.equal(
      await getOutcome(finishConnect(deps, person, { callback: swapped, pending: b.pending })),
      "connect_denied",
    );
    // The state of the one with what the browser kept of the other.
    assert.notEqual(await getOutcome(finishConnect(deps, person, { callback: a.callback, pending: b.pending })), "ok");
    assert.deepEqual([await states(one), await states(two)], [[], []]);
  });

  test("an answer at another platform's or instance's address is not taken (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { callback, pending } = await begin(owner);
    for (const path of [
      "/api/platforms/callback/mastodon",
      "/api/platforms/callback/strict/evil.example",
      "/api/platforms/callback/",
    ]) {
      const elsewhere = new URL(`${deps.base}${path}${callback.search}`);
      assert.equal(
        await getOutcome(finishConnect(deps, owner, { callback: elsewhere, pending })),
        "connect_expired",
        path,
      );
    }
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "ok");
  });

  test("whoever lost the role, or left, meanwhile connects nothing (PLATFORM-6)", async () => {
    const cast = await newStudioWithRoles(deps);
    const demoted = await begin(cast.admin);
    await changeRole(deps, cast.owner, { userId: cast.admin.user.id, role: "member" });
    assert.equal(
      await getOutcome(openConnectPage(deps, cast.admin, { token: extractToken(demoted.connectUrl) })),
      "forbidden",
    );
    assert.equal(await getOutcome(finishConnect(deps, cast.admin, demoted)), "forbidden");
    const gone = await begin(cast.otherOwner);
    await removeMember(deps, cast.owner, { userId: cast.otherOwner.user.id });
    assert.equal(await getOutcome(finishConnect(deps, cast.otherOwner, gone)), "not_found");
    assert.deepEqual(await states(cast.owner), []);
  });

  test("whoever loses the role while the platform answers connects nothing, and what it gave is given back (PLATFORM-6)", async () => {
    const cast = await newStudioWithRoles(deps);
    const begun = await begin(cast.admin);
    const { finishAuthorization: finish } = deps.platforms;
    const slow: Deps["platforms"] = {
      ...deps.platforms,
      async finishAuthorization(...asked) {
        const granted = await finish(...asked);
        await changeRole(deps, cast.owner, { userId: cast.admin.user.id, role: "member" });
        return granted;
      },
    };
    assert.equal(await getOutcome(finishConnect({ ...deps, platforms: slow }, cast.admin, begun)), "forbidden");
    assert.deepEqual(await states(cast.owner), []);
    assert.deepEqual(strict.issuedSecrets.slice(-2).map(strict.isTokenActive), [false, false]);
  });

  test("settings that the platform does not know are the operator's to mend: told, and logged (PLATFORM-5, L1)", async () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const setups = strict
      .createSetups()
      .map((one) => ({ ...one, app: one.app && { ...one.app, clientSecret: "a wrong one" } }));
    const wrong = { ...deps, platforms: createPlatforms(deps.base, setups, log) };
    const owner = await newStudio(deps);
    const begun = await begin(owner);
    const error = await finishConnect(wrong, owner, begun).catch((one: AppError) => one);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "platform_not_configured");
    assert.match(hintFor(error, errorHints) ?? "", /PLATFORM_STRICT_CLIENT_ID and PLATFORM_STRICT_CLIENT_SECRET/);
    assert.equal(lines.length, 1);
    const { level, platform, kind } = JSON.parse(lines[0] ?? "{}");
    assert.deepEqual([level, platform, kind], ["warn", "strict", "unknown_app"]);
    for (const secret of ["a wrong one", begun.pending.state, begun.callback.searchParams.get("code") ?? ""])
      assert.ok(!lines.join("").includes(secret));
  });

  test("a page that an AI client asked for dies with its approval, and the activity names it (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { grantId } = await createTestGrant(deps, owner, { client: "Assistant" });
    const asClient: Caller = { ...owner, grantId, client: { id: "client-assistant", name: "Assistant" } };
    await connectAccount(deps, strict, asClient);
    const { activity } = await listActivity(deps, owner, { limit: 10 });
    const row = activity.find(({ action }) => action === "platform.connected");
    assert.deepEqual(
      [row?.client?.name, row?.user?.id, row?.detail],
      ["Assistant", owner.user.id, { platform: "strict", account: "studio" }],
    );
    const { connectUrl } = await connectPlatform(deps, asClient, { platform: "strict" });
    await revokeClient(deps, owner, { grantId });
    assert.equal(
      await getOutcome(openConnectPage(deps, owner, { token: extractToken(connectUrl) })),
      "connect_expired",
    );
  });

  test("denied at the platform: connect_denied, nothing stored (PLATFORM-7)", async () => {
    const owner = await newStudio(deps);
    const { connectUrl } = await connectPlatform(deps, owner, { platform: "strict" });
    const { location, ...pending } = await startConnect(deps, owner, { token: extractToken(connectUrl) });
    const callback = new URL(strict.authorize(location, undefined));
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "connect_denied");
    assert.deepEqual(await states(owner), []);
  });

  const faults = (["/token", "/me"] as const).flatMap((path) =>
    (["garbage", "html", "silence", "drip", "error500", "huge", "redirect", "no_token"] as const).map(
      (fault) => [path, fault] as const,
    ),
  );
  for (const [path, fault] of faults) {
    test(`${path} answers with ${fault}: a clear code within the time it has, nothing stored (PLATFORM-7, A15)`, async () => {
      const hurried = withPlatform(fixture.deps, strict, { timeoutMs: 400 });
      const owner = await newStudio(hurried);
      const { callback, pending } = await begin(owner);
      strict.faults.set(path, fault);
      const started = performance.now();
      try {
        assert.equal(await getOutcome(finishConnect(hurried, owner, { callback, pending })), "url_unreachable");
      } finally {
        strict.faults.clear();
      }
      assert.ok(performance.now() - started < 5000);
      assert.deepEqual(await states(owner), []);
      if (path === "/me")
        assert.deepEqual(strict.issuedSecrets.slice(-2).map(strict.isTokenActive), [false, false], "given back");
    });
  }

  test("callbacks of nonsense are refused, whatever they say (PLATFORM-7)", async () => {
    const owner = await newStudio(deps);
    for (const change of [
      { code: "x" },
      { code: "" },
      { state: "x" },
      { error: "access_denied" },
      { error: "<script>alert(1)</script>" },
    ]) {
      const { callback, pending } = await begin(owner);
      for (const [name, value] of Object.entries(change)) callback.searchParams.set(name, value);
      const result = await finishConnect(deps, owner, { callback, pending }).catch((error: unknown) => error);
      assert.ok(
        result instanceof AppError && ["connect_denied", "url_unreachable"].includes(result.code),
        JSON.stringify(change),
      );
      assert.doesNotMatch(`${result.message} ${result.hint ?? ""}`, /script/);
    }
    const doubled = await begin(owner);
    doubled.callback.searchParams.append("code", "second");
    assert.notEqual(await getOutcome(finishConnect(deps, owner, doubled)), "ok");
    assert.deepEqual(await states(owner), []);
  });
});
