import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import { startConnect } from "#domain/platforms/connect-page.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { getAccessToken } from "#domain/platforms/credentials.ts";
import type { Deps } from "#domain/deps.ts";
import { days, minutes } from "#lib/clock.ts";
import { errorHints } from "#http/error-hints.ts";
import { hintFor, type AppError } from "#lib/errors.ts";
import { isPublicAddress } from "#lib/ip-address.ts";
import { createVault } from "#lib/vault.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { connectAccount, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";

forEachEngine("platforms with instances", (fixture) => {
  let strict: StrictPlatform;
  let deps: Deps;
  before(async () => {
    strict = await startStrictPlatform();
    deps = withPlatform(fixture.deps, strict);
  });
  after(() => strict.close());

  test("Mastodon: we register ourselves at an instance once, and every studio uses that (PLATFORM-8)", async () => {
    const [one, two] = [await newStudio(deps), await newStudio(deps)];
    const connectionId = await connectAccount(deps, strict, one, "studio", "mastodon");
    await connectAccount(deps, strict, two, "studio", "mastodon");
    assert.equal(strict.requestCounts.get("/api/v1/apps"), 1);
    const [connection] = await deps.platformStore.list(one.studio.id);
    assert.deepEqual([connection?.instance, connection?.account.id], [strict.origin, "id-of-studio"]);
    const { accessToken } = await getAccessToken(deps, { studioId: one.studio.id, connectionId });
    await disconnectPlatform(deps, one, { connectionId });
    assert.ok(!strict.isTokenActive(accessToken));
  });

  test("twenty at once at a new instance end with one registration in use (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        connectPlatform(deps, owner, { platform: "mastodon", instanceUrl: strict.origin }),
      ),
    );
    const ids = await Promise.all(
      all.map(async ({ connectUrl }) => {
        const { location } = await startConnect(deps, owner, { token: extractToken(connectUrl) });
        return new URL(location).searchParams.get("client_id");
      }),
    );
    assert.equal(new Set(ids).size, 1);
  });

  test("an instance that has forgotten us is registered at anew with the next attempt (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const fresh = await startStrictPlatform();
    const forgetful = withPlatform(fixture.deps, fresh);
    const place = { platform: "mastodon", instance: fresh.origin };
    const redirectUri = forgetful.platforms.redirectUri(place);
    const credential = deps.vault.seal(
      "platform-app",
      [place.platform, place.instance],
      JSON.stringify({ clientId: "old", clientSecret: "old" }),
    );
    await deps.platformStore.insertApp({ ...place, redirectUri, credential }, deps.clock());
    const { connectUrl } = await connectPlatform(forgetful, owner, { platform: "mastodon", instanceUrl: fresh.origin });
    const { location, ...pending } = await startConnect(forgetful, owner, { token: extractToken(connectUrl) });
    const state = new URL(location).searchParams.get("state") ?? "";
    const callback = new URL(`${redirectUri}?code=x&state=${state}`);
    assert.equal(await getOutcome(finishConnect(forgetful, owner, { callback, pending })), "connect_denied");
    await connectAccount(forgetful, fresh, owner, "studio", "mastodon");
    await fresh.close();
  });

  test("a registration sealed under a secret that was retired is replaced (PLATFORM-8, L2)", async () => {
    const owner = await newStudio(deps);
    const fresh = await startStrictPlatform();
    const before = withPlatform(fixture.deps, fresh);
    await connectAccount(before, fresh, owner, "studio", "mastodon");
    const rotated = { ...before, vault: createVault(["another secret, that is long enough"]) };
    await connectAccount(rotated, fresh, owner, "studio", "mastodon");
    await connectAccount(rotated, fresh, owner, "studio", "mastodon");
    assert.equal(fresh.requestCounts.get("/api/v1/apps"), 2);
    await fresh.close();
  });

  test("the address of an instance is https and nothing else; others have none (PLATFORM-8)", async () => {
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
      "not an address",
      "file:///etc/passwd",
    ])
      assert.equal(
        await getOutcome(connectPlatform(deps, owner, { platform: "mastodon", instanceUrl })),
        "invalid_input",
        String(instanceUrl),
      );
    assert.equal(
      await getOutcome(connectPlatform(deps, owner, { platform: "strict", instanceUrl: "https://x.example" })),
      "invalid_input",
    );
    // Whatever people paste of it, it is the same instance.
    for (const instanceUrl of [
      strict.origin,
      `${strict.origin}/@studio?x#y`,
      strict.origin.toUpperCase().replace("HTTPS", "https"),
      strict.origin.replace("https://", ""),
      strict.origin.replace(".test", ".test."),
    ])
      assert.equal(
        await getOutcome(connectPlatform(deps, owner, { platform: "mastodon", instanceUrl })),
        "ok",
        instanceUrl,
      );
    const pages = await fixture.database.q
      .selectFrom("platform_connects")
      .select("instance")
      .where("studio_id", "=", owner.studio.id)
      .execute();
    assert.deepEqual([...new Set(pages.map(({ instance }) => instance))], [strict.origin]);
  });

  test("addresses inside our network are not reached, by whatever name (PLATFORM-8, A20)", async () => {
    const owner = await newStudio(deps);
    const guarded = (addresses: string[]): Deps => ({
      ...deps,
      platforms: createPlatforms(
        deps.base,
        strict.createSetups({ isAllowed: isPublicAddress, resolve: async () => addresses }),
      ),
    });
    const before = new Map(strict.requestCounts);
    for (const addresses of [
      ["127.0.0.1"],
      ["::1"],
      ["10.0.0.1"],
      ["192.168.1.1"],
      ["169.254.169.254"],
      ["::ffff:127.0.0.1"],
      ["64:ff9b::7f00:1"],
      ["93.184.216.34", "127.0.0.1"],
      [],
    ])
      assert.equal(
        await getOutcome(
          connectPlatform(guarded(addresses), owner, {
            platform: "mastodon",
            instanceUrl: strict.origin.replace("platform", "other"),
          }),
        ),
        "url_blocked",
        addresses.join(),
      );
    for (const instanceUrl of [
      "https://127.0.0.1",
      "https://[::1]",
      "https://0x7f.1",
      "https://2130706433",
      "https://169.254.169.254",
      "https://[fd00::1]",
      "https://0.0.0.0",
    ])
      assert.equal(
        await getOutcome(connectPlatform(guarded(["127.0.0.1"]), owner, { platform: "mastodon", instanceUrl })),
        "url_blocked",
        instanceUrl,
      );
    assert.deepEqual(strict.requestCounts, before);
  });

  test("something that is no Mastodon is told at once (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const other = await startStrictPlatform();
    const hurried = withPlatform(fixture.deps, other, { timeoutMs: 400 });
    for (const fault of ["garbage", "html", "silence", "drip", "error500", "huge", "redirect", "no_token"] as const) {
      other.faults.set("/api/v1/apps", fault);
      assert.equal(
        await getOutcome(connectPlatform(hurried, owner, { platform: "mastodon", instanceUrl: other.origin })),
        "url_unreachable",
        fault,
      );
    }
    await assert.rejects(
      connectPlatform(hurried, owner, { platform: "mastodon", instanceUrl: other.origin }),
      (error: AppError) => hintFor(error, errorHints)?.startsWith("Check the instance's URL") === true,
      "what the person can do about it, instead of a page that they are on",
    );
    await other.close();
  });

  test("a registration at an instance where nobody has connected anything goes after a day (PLATFORM-8)", async () => {
    const owner = await newStudio(deps);
    const [used, unused] = [await startStrictPlatform(), await startStrictPlatform()];
    await connectAccount(withPlatform(fixture.deps, used), used, owner, "studio", "mastodon");
    const elsewhere = withPlatform(fixture.deps, unused);
    const ask = () => connectPlatform(elsewhere, owner, { platform: "mastodon", instanceUrl: unused.origin });
    const instances = async () => {
      await createPurgeJob(deps)({ pause: async () => {}, shouldStop: () => false });
      const rows = await fixture.database.q.selectFrom("platform_apps").select("instance").execute();
      return [used, unused].map(({ origin }) => rows.some(({ instance }) => instance === origin));
    };
    await ask();
    fixture.clock.advance(days(1) - 1);
    assert.deepEqual(await instances(), [true, true]);
    await ask();
    fixture.clock.advance(minutes(1));
    assert.deepEqual(await instances(), [true, true], "someone is on the way there");
    fixture.clock.advance(minutes(15));
    assert.deepEqual(await instances(), [true, false]);
    await Promise.all([used.close(), unused.close()]);
  });
});
