import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { startConnect } from "#domain/platforms/connect-link.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { getAccessToken } from "#domain/steps/credentials.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { days, minutes } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { hintFor, type AppError } from "#lib/errors.ts";
import { isPublicAddress } from "#lib/ip-address.ts";
import { createVault } from "#lib/vault.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { connectAccount, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform } from "../support/strict-platform.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forEachEngine("platforms with instances", (fixture) => {
  const strict = startForSuite(() => startStrictPlatform());
  let deps: Deps;
  before(async () => {
    deps = withPlatform(fixture.deps, strict);
  });

  const requestConnect = (instanceUrl: string | undefined, caller: Caller, connectDeps = deps) =>
    connectPlatform(connectDeps, caller, { platform: "mastodon", instanceUrl });

  test("registers with a Mastodon instance once and uses that registration for every studio (PLATFORM-8)", async () => {
    const [firstOwner, secondOwner] = [await newStudio(deps), await newStudio(deps)];
    const connectionId = await connectAccount(deps, strict, firstOwner, "studio", "mastodon");
    await connectAccount(deps, strict, secondOwner, "studio", "mastodon");
    assert.equal(strict.requestCounts.get("/api/v1/apps"), 1);
    const [connection] = await deps.platformStore.list(firstOwner.studio.id);
    assert.deepEqual([connection?.instance, connection?.account.id], [strict.origin, "id-of-studio"]);
    const { accessToken } = await getAccessToken(deps, { studioId: firstOwner.studio.id, connectionId });
    await disconnectPlatform(deps, firstOwner, { connectionId });
    assert.ok(!strict.isTokenActive(accessToken));
  });

  test("uses one registration for twenty parallel connects to a new instance (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const connects = await Promise.all(Array.from({ length: 20 }, () => requestConnect(strict.origin, owner)));
    const clientIds = await Promise.all(
      connects.map(async ({ connectUrl }) => {
        const { location } = await startConnect(deps, owner, { token: extractToken(connectUrl) });
        return new URL(location).searchParams.get("client_id");
      }),
    );
    assert.equal(new Set(clientIds).size, 1);
  });

  test("registers again on the next attempt if the instance has forgotten the registration (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const newInstance = await startStrictPlatform();
    const instanceDeps = withPlatform(fixture.deps, newInstance);
    const app = { platform: "mastodon", instance: newInstance.origin };
    const redirectUri = instanceDeps.platforms.getRedirectUri(app);
    const credential = deps.vault.seal(
      "platform-app",
      [app.platform, app.instance],
      JSON.stringify({ clientId: "old", clientSecret: "old" }),
    );
    await deps.platformStore.insertApp({ ...app, redirectUri, credential }, deps.clock());
    const { connectUrl } = await requestConnect(newInstance.origin, owner, instanceDeps);
    const { location, ...pending } = await startConnect(instanceDeps, owner, { token: extractToken(connectUrl) });
    const state = new URL(location).searchParams.get("state") ?? "";
    const callback = new URL(`${redirectUri}?code=x&state=${state}`);
    assert.equal(await getOutcome(finishConnect(instanceDeps, owner, { callback, pending })), "connect_denied");
    await connectAccount(instanceDeps, newInstance, owner, "studio", "mastodon");
    await newInstance.close();
  });

  test("replaces a registration that was sealed with a retired secret (PLATFORM-8, L2)", async () => {
    const owner = await newStudio(deps);
    const newInstance = await startStrictPlatform();
    const oldDeps = withPlatform(fixture.deps, newInstance);
    await connectAccount(oldDeps, newInstance, owner, "studio", "mastodon");
    const rotatedDeps = { ...oldDeps, vault: createVault(["another secret, that is long enough"]) };
    await connectAccount(rotatedDeps, newInstance, owner, "studio", "mastodon");
    await connectAccount(rotatedDeps, newInstance, owner, "studio", "mastodon");
    assert.equal(newInstance.requestCounts.get("/api/v1/apps"), 2);
    await newInstance.close();
  });

  test("accepts only https instance URLs, and only for platforms that have instances (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    for (const instanceUrl of [
      undefined,
      "",
      " ",
      "http://mastodon.social",
      "ftp://x.example",
      "javascript:alert(1)",
      "https://",
      "https://user:pass@x.example",
      "not a URL",
      "file:///etc/passwd",
    ])
      assert.equal(await getOutcome(requestConnect(instanceUrl, owner)), "invalid_input", String(instanceUrl));
    assert.equal(
      await getOutcome(connectPlatform(deps, owner, { platform: "strict", instanceUrl: "https://x.example" })),
      "invalid_input",
    );
    // All of these are the same instance.
    for (const instanceUrl of [
      strict.origin,
      `${strict.origin}/@studio?x#y`,
      strict.origin.toUpperCase().replace("HTTPS", "https"),
      strict.origin.replace("https://", ""),
      strict.origin.replace(".test", ".test."),
    ])
      assert.equal(await getOutcome(requestConnect(instanceUrl, owner)), "ok", instanceUrl);
    const pendingConnects = await fixture.database.q
      .selectFrom("platformConnects")
      .select("instance")
      .where("studioId", "=", owner.studio.id)
      .execute();
    assert.deepEqual([...new Set(pendingConnects.map(({ instance }) => instance))], [strict.origin]);
  });

  test("does not connect to private IP addresses, however the instance URL names them (PLATFORM-8, A20)", async () => {
    const owner = await newStudio(deps);
    const withResolvedAddresses = (addresses: string[]): Deps => ({
      ...deps,
      platforms: createPlatforms(
        deps.baseUrl,
        strict.createSetups({ isAllowed: isPublicAddress, resolve: async () => addresses }),
      ),
    });
    const requestCountsBefore = new Map(strict.requestCounts);
    const otherOrigin = strict.origin.replace("platform", "other");
    // The test of isPublicAddress has every notation.
    for (const addresses of [["127.0.0.1"], ["::ffff:127.0.0.1"], ["93.184.216.34", "127.0.0.1"], []])
      assert.equal(
        await getOutcome(requestConnect(otherOrigin, owner, withResolvedAddresses(addresses))),
        "url_blocked",
        addresses.join(),
      );
    for (const instanceUrl of ["https://127.0.0.1", "https://[fd00::1]", "https://0x7f.1", "https://2130706433"])
      assert.equal(
        await getOutcome(requestConnect(instanceUrl, owner, withResolvedAddresses(["127.0.0.1"]))),
        "url_blocked",
        instanceUrl,
      );
    assert.deepEqual(strict.requestCounts, requestCountsBefore);
  });

  test("rejects a server that does not respond like a Mastodon instance (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const otherServer = await startStrictPlatform();
    const otherDeps = withPlatform(fixture.deps, otherServer);
    for (const fault of ["garbage", "html", "silence", "drip", "error500", "huge", "redirect", "no_token"] as const) {
      otherServer.faults.set("/api/v1/apps", fault);
      assert.equal(await getOutcome(requestConnect(otherServer.origin, owner, otherDeps)), "url_unreachable", fault);
    }
    await assert.rejects(
      requestConnect(otherServer.origin, owner, otherDeps),
      (error: AppError) => hintFor(error, errorHints)?.startsWith("Check the instance’s URL") === true,
      "the hint names what the user can check",
    );
    await otherServer.close();
  });

  test("purges a registration without connections after a day (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const [usedInstance, unusedInstance] = [await startStrictPlatform(), await startStrictPlatform()];
    await connectAccount(withPlatform(fixture.deps, usedInstance), usedInstance, owner, "studio", "mastodon");
    const unusedDeps = withPlatform(fixture.deps, unusedInstance);
    const purgeAndCheckRegistrations = async () => {
      await createPurgeJob(deps)(untilDone);
      const rows = await fixture.database.q.selectFrom("platformApps").select("instance").execute();
      return [usedInstance, unusedInstance].map(({ origin }) => rows.some(({ instance }) => instance === origin));
    };
    await requestConnect(unusedInstance.origin, owner, unusedDeps);
    fixture.clock.advance(days(1) - 1);
    assert.deepEqual(await purgeAndCheckRegistrations(), [true, true]);
    await requestConnect(unusedInstance.origin, owner, unusedDeps);
    fixture.clock.advance(minutes(1));
    assert.deepEqual(await purgeAndCheckRegistrations(), [true, true], "a connect page is pending");
    fixture.clock.advance(minutes(15));
    assert.deepEqual(await purgeAndCheckRegistrations(), [true, false]);
    await Promise.all([usedInstance.close(), unusedInstance.close()]);
  });
});
