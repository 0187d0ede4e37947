import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { openConnectLink, startConnect } from "#domain/platforms/connect-link.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { finishConnect, maxConnections } from "#domain/platforms/finish-connect.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { getAccessToken } from "#domain/steps/credentials.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { revokeClient } from "#domain/access/clients.ts";
import { minutes } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { createLog } from "#lib/log.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newUser, newStudio, newStudioWithRoles } from "../support/users.ts";
import { connectAccount, newConnection, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform } from "../support/strict-platform.ts";
import { createTestGrant } from "../support/tokens.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forOneEngine("platforms", (fixture) => {
  const strict = startForSuite(() => startStrictPlatform());
  let deps: Deps;
  before(async () => {
    deps = withPlatform(fixture.deps, strict);
  });

  const listStates = async (caller: Caller) =>
    (await listPlatforms(deps, caller)).connections.map(({ account, state }) => [account.handle, state]);

  /** Runs the connect flow up to the platform's redirect. Returns what the browser stored and the callback URL. */
  const startAuthorization = async (caller: Caller, account: string | undefined = "studio") => {
    const { connectUrl } = await connectPlatform(deps, caller, { platform: "strict" });
    const { location, ...pending } = await startConnect(deps, caller, { token: extractToken(connectUrl) });
    return { connectUrl, pending, callback: new URL(strict.authorize(location, account)) };
  };

  test("connects an account through a connect URL valid for 15 minutes and the platform's OAuth (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const result = await connectPlatform(deps, owner, { platform: "strict" });
    assert.match(result.connectUrl, new RegExp(`^${deps.baseUrl}/connect/[\\w-]{40,}$`));
    assert.equal(result.expiresInMinutes, 15);
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

  test("renews the connection if the same account connects again; another account is a second connection (PLATFORM-2)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner, "one");
    const oldToken = await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    assert.equal(await connectAccount(deps, strict, owner, "one"), connectionId);
    assert.notEqual(
      (await getAccessToken(deps, { studioId: owner.studio.id, connectionId })).accessToken,
      oldToken.accessToken,
    );
    await connectAccount(deps, strict, owner, "two");
    assert.deepEqual((await listStates(owner)).toSorted(), [
      ["one", "connected"],
      ["two", "connected"],
    ]);
    // Another studio with the same account gets its own connection.
    const otherOwner = await newStudio(deps);
    assert.notEqual(await connectAccount(deps, strict, otherOwner, "one"), connectionId);
  });

  test("limits a studio to a hundred accounts, even with parallel connects (PLATFORM-2)", async () => {
    const owner = await newStudio(deps);
    for (let i = 2; i < maxConnections; i++) await newConnection(deps, owner, `account-${i}`);
    const authorizations = await Promise.all(["a", "b", "c", "d"].map((account) => startAuthorization(owner, account)));
    const outcomes = await Promise.all(
      authorizations.map((authorization) => getOutcome(finishConnect(deps, owner, authorization))),
    );
    assert.deepEqual(outcomes.toSorted(), ["ok", "ok", "quota_exceeded", "quota_exceeded"]);
    const [first] = await deps.platformStore.list(owner.studio.id);
    // A connected account can reconnect at the limit, and a disconnected account no longer counts.
    await connectAccount(deps, strict, owner, first?.account.handle ?? "");
    await disconnectPlatform(deps, owner, { connectionId: first?.id ?? "" });
    await connectAccount(deps, strict, owner, "another");
    assert.equal(await getOutcome(connectAccount(deps, strict, owner, first?.account.handle ?? "")), "quota_exceeded");
  });

  test("disconnecting deletes the credential, revokes the token at the platform, and is idempotent (PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    const { accessToken } = await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    assert.ok(strict.isTokenActive(accessToken));
    assert.deepEqual(await disconnectPlatform(deps, owner, { connectionId }), { disconnected: connectionId });
    assert.ok(!strict.isTokenActive(accessToken));
    assert.equal((await deps.platformStore.find(owner.studio.id, connectionId))?.credential, null);
    assert.deepEqual(await disconnectPlatform(deps, owner, { connectionId }), { disconnected: connectionId });
    assert.deepEqual(await listStates(owner), [["studio", "disconnected"]]);
    const { activity } = await listActivity(deps, owner, { limit: 50 });
    assert.equal(activity.filter(({ action }) => action === "platform.disconnected").length, 1);
    // Connecting the account again reuses its row.
    assert.equal(await connectAccount(deps, strict, owner), connectionId);
    assert.deepEqual(await listStates(owner), [["studio", "connected"]]);
  });

  test("deletes the credential even if the platform is unavailable (PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    strict.faults.set("/revoke", "error500");
    try {
      await disconnectPlatform(deps, owner, { connectionId });
    } finally {
      strict.faults.clear();
    }
    assert.deepEqual(await listStates(owner), [["studio", "disconnected"]]);
  });

  test("deleting a studio revokes its tokens at the platform (PLATFORM-3, T10)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await connectAccount(deps, strict, owner);
    const { accessToken } = await getAccessToken(deps, { studioId: owner.studio.id, connectionId });
    await deleteStudio(deps, owner, { name: owner.studio.name });
    assert.ok(!strict.isTokenActive(accessToken));
    assert.deepEqual(await deps.platformStore.list(owner.studio.id), []);
  });

  test("returns platform_unsupported for an unknown platform, and names the missing settings of a known one (PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    for (const platform of ["myspace", "Strict", "", "__proto__", "constructor"])
      assert.equal(await getOutcome(connectPlatform(deps, owner, { platform })), "platform_unsupported", platform);
    const error = await connectPlatform(deps, owner, { platform: "unset" }).catch((thrown: AppError) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "platform_not_configured");
    assert.match(hintFor(error, errorHints) ?? "", /PLATFORM_UNSET_CLIENT_ID and PLATFORM_UNSET_CLIENT_SECRET/);
  });

  test("a connect page expires after 15 minutes, works once, and only for its user (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { connectUrl } = await connectPlatform(deps, owner, { platform: "strict" });
    const token = extractToken(connectUrl);
    assert.equal(await getOutcome(openConnectLink(deps, await newStudio(deps), { token })), "forbidden");
    assert.equal(await getOutcome(openConnectLink(deps, owner, { token: `${token}x` })), "connect_expired");
    assert.equal(await getOutcome(openConnectLink(deps, owner, { token })), "ok");
    fixture.clock.advance(minutes(15));
    assert.equal(await getOutcome(openConnectLink(deps, owner, { token })), "connect_expired");
    assert.equal(await getOutcome(startConnect(deps, owner, { token })), "connect_expired");

    const authorization = await startAuthorization(owner);
    await finishConnect(deps, owner, authorization);
    assert.equal(await getOutcome(finishConnect(deps, owner, authorization)), "connect_expired");
    assert.equal(
      await getOutcome(openConnectLink(deps, owner, { token: extractToken(authorization.connectUrl) })),
      "connect_expired",
    );
  });

  test("starting the authorization does not change the lifetime of the connect page; the user has ten minutes on the platform (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const purge = () => createPurgeJob(deps)(untilDone);
    const firstAuthorization = await startAuthorization(owner);
    const token = extractToken(firstAuthorization.connectUrl);
    fixture.clock.advance(minutes(10));
    await purge();
    assert.equal(await getOutcome(finishConnect(deps, owner, firstAuthorization)), "connect_expired");
    assert.equal(await getOutcome(openConnectLink(deps, owner, { token })), "ok", "the page stays open for 15 minutes");
    fixture.clock.advance(minutes(4));
    const { location, ...pending } = await startConnect(deps, owner, { token });
    fixture.clock.advance(minutes(1));
    assert.equal(await getOutcome(openConnectLink(deps, owner, { token })), "connect_expired");
    assert.equal(await getOutcome(startConnect(deps, owner, { token })), "connect_expired");
    fixture.clock.advance(minutes(8));
    await purge();
    const callback = new URL(strict.authorize(location, "studio"));
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "ok");
  });

  test("of twenty parallel callbacks, exactly one connects the account (PLATFORM-6, T5)", async () => {
    const owner = await newStudio(deps);
    const authorization = await startAuthorization(owner);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => getOutcome(finishConnect(deps, owner, authorization))),
    );
    assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 19 }, () => "connect_expired"), "ok"]);
  });

  test("state values swapped between two studios of one user connect neither (PLATFORM-6, A16)", async () => {
    const user = await newUser(deps);
    const [studioOne, studioTwo] = [await newStudio(deps, user), await newStudio(deps, user)];
    const [a, b] = [
      await startAuthorization(studioOne, "account-one"),
      await startAuthorization(studioTwo, "account-two"),
    ];
    const swappedCallback = new URL(a.callback);
    swappedCallback.searchParams.set("state", b.pending.state);
    // The first code with the second state: the platform rejects the PKCE verifier.
    assert.equal(
      await getOutcome(finishConnect(deps, user, { callback: swappedCallback, pending: b.pending })),
      "connect_denied",
    );
    // The first callback with the browser data of the second.
    assert.notEqual(await getOutcome(finishConnect(deps, user, { callback: a.callback, pending: b.pending })), "ok");
    assert.deepEqual([await listStates(studioOne), await listStates(studioTwo)], [[], []]);
  });

  test("rejects a callback at another platform's or instance's URL (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { callback, pending } = await startAuthorization(owner);
    for (const path of [
      "/api/platforms/callback/mastodon",
      "/api/platforms/callback/strict/evil.example",
      "/api/platforms/callback/",
    ]) {
      const otherUrl = new URL(`${deps.baseUrl}${path}${callback.search}`);
      assert.equal(
        await getOutcome(finishConnect(deps, owner, { callback: otherUrl, pending })),
        "connect_expired",
        path,
      );
    }
    assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "ok");
  });

  test("connects nothing if the user has lost the role or left the studio in the meantime (PLATFORM-6, T3)", async () => {
    const callers = await newStudioWithRoles(deps);
    const adminAuthorization = await startAuthorization(callers.admin);
    await changeRole(deps, callers.owner, { userId: callers.admin.user.id, role: "member" });
    assert.equal(
      await getOutcome(openConnectLink(deps, callers.admin, { token: extractToken(adminAuthorization.connectUrl) })),
      "forbidden",
    );
    assert.equal(await getOutcome(finishConnect(deps, callers.admin, adminAuthorization)), "forbidden");
    const ownerAuthorization = await startAuthorization(callers.otherOwner);
    await removeMember(deps, callers.owner, { userId: callers.otherOwner.user.id });
    assert.equal(await getOutcome(finishConnect(deps, callers.otherOwner, ownerAuthorization)), "not_found");
    assert.deepEqual(await listStates(callers.owner), []);
  });

  test("connects nothing and revokes the new tokens if the user loses the role while Atelier waits for the platform (PLATFORM-6)", async () => {
    const callers = await newStudioWithRoles(deps);
    const authorization = await startAuthorization(callers.admin);
    const { finishAuthorization: finish } = deps.platforms;
    const demotingPlatforms: Deps["platforms"] = {
      ...deps.platforms,
      async finishAuthorization(...args) {
        const result = await finish(...args);
        await changeRole(deps, callers.owner, { userId: callers.admin.user.id, role: "member" });
        return result;
      },
    };
    assert.equal(
      await getOutcome(finishConnect({ ...deps, platforms: demotingPlatforms }, callers.admin, authorization)),
      "forbidden",
    );
    assert.deepEqual(await listStates(callers.owner), []);
    assert.deepEqual(strict.issuedSecrets.slice(-2).map(strict.isTokenActive), [false, false]);
  });

  test("names the settings that the platform rejects, in the error and the log (PLATFORM-5, L1)", async () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const setups = strict
      .createSetups()
      .map((setup) => ({ ...setup, app: setup.app && { ...setup.app, clientSecret: "wrong secret" } }));
    const misconfigured = { ...deps, platforms: createPlatforms(deps.baseUrl, setups, log) };
    const owner = await newStudio(deps);
    const authorization = await startAuthorization(owner);
    const error = await finishConnect(misconfigured, owner, authorization).catch((thrown: AppError) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "platform_not_configured");
    assert.match(hintFor(error, errorHints) ?? "", /PLATFORM_STRICT_CLIENT_ID and PLATFORM_STRICT_CLIENT_SECRET/);
    assert.equal(lines.length, 1);
    const { level, platform, kind } = JSON.parse(lines[0] ?? "{}");
    assert.deepEqual([level, platform, kind], ["warn", "strict", "unknown_app"]);
    for (const secret of [
      "wrong secret",
      authorization.pending.state,
      authorization.callback.searchParams.get("code") ?? "",
    ])
      assert.ok(!lines.join("").includes(secret));
  });

  test("revoking an AI client's grant expires its connect pages; activity names the client (PLATFORM-6)", async () => {
    const owner = await newStudio(deps);
    const { grantId } = await createTestGrant(deps, owner, { client: "Assistant" });
    const clientCaller: Caller = {
      ...owner,
      credential: { kind: "grant", grantId },
      client: { id: "client-assistant", name: "Assistant" },
    };
    await connectAccount(deps, strict, clientCaller);
    const { activity } = await listActivity(deps, owner, { limit: 10 });
    const entry = activity.find(({ action }) => action === "platform.connected");
    assert.deepEqual(
      [entry?.client?.name, entry?.user?.id, entry?.detail],
      ["Assistant", owner.user.id, { platform: "strict", account: "studio" }],
    );
    const { connectUrl } = await connectPlatform(deps, clientCaller, { platform: "strict" });
    await revokeClient(deps, owner, { grantId });
    assert.equal(
      await getOutcome(openConnectLink(deps, owner, { token: extractToken(connectUrl) })),
      "connect_expired",
    );
  });

  const faults = (["/token", "/me"] as const).flatMap((path) =>
    (["garbage", "html", "silence", "drip", "error500", "huge", "redirect", "no_token"] as const).map(
      (fault) => [path, fault] as const,
    ),
  );
  for (const [path, fault] of faults) {
    test(`returns url_unreachable and stores nothing if ${path} responds with ${fault} (PLATFORM-7, A15)`, async () => {
      const owner = await newStudio(deps);
      const { callback, pending } = await startAuthorization(owner);
      strict.faults.set(path, fault);
      try {
        assert.equal(await getOutcome(finishConnect(deps, owner, { callback, pending })), "url_unreachable");
      } finally {
        strict.faults.clear();
      }
      assert.deepEqual(await listStates(owner), []);
      if (path === "/me")
        assert.deepEqual(
          strict.issuedSecrets.slice(-2).map(strict.isTokenActive),
          [false, false],
          "the tokens are revoked",
        );
    });
  }

  test("rejects malformed callbacks and does not echo their content (PLATFORM-7)", async () => {
    const owner = await newStudio(deps);
    for (const change of [
      { code: "x" },
      { code: "" },
      { state: "x" },
      { error: "access_denied" },
      { error: "<script>alert(1)</script>" },
    ]) {
      const { callback, pending } = await startAuthorization(owner);
      for (const [name, value] of Object.entries(change)) callback.searchParams.set(name, value);
      const result = await finishConnect(deps, owner, { callback, pending }).catch((error: unknown) => error);
      assert.ok(
        result instanceof AppError && ["connect_denied", "url_unreachable"].includes(result.code),
        JSON.stringify(change),
      );
      assert.doesNotMatch(`${result.message} ${result.hint ?? ""}`, /script/);
    }
    const authorization = await startAuthorization(owner);
    authorization.callback.searchParams.append("code", "second");
    assert.notEqual(await getOutcome(finishConnect(deps, owner, authorization)), "ok");
    assert.deepEqual(await listStates(owner), []);
  });
});
