import assert from "node:assert/strict";
import { test } from "node:test";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { getAccessToken } from "#domain/steps/credentials.ts";
import type { Caller } from "#domain/caller.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { createLog } from "#lib/log.ts";
import {
  createHttpBrowser,
  createCookieJar,
  signIn,
  signInFromPage,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import { newStudio, signInUser } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { startStrictPlatform } from "../support/strict-platform.ts";

forOneEngine("connect page", (fixture) => {
  const logLines: string[] = [];
  const strict = startForSuite(() => startStrictPlatform());
  const service = startForSuite(() =>
    startService(fixture.deps, {
      platforms: strict.createSetups(),
      log: createLog("trace", { write: (line: string) => void logLines.push(line) }),
      config: { areRateLimitsEnabled: false },
    }),
  );

  let userCount = 0;
  /** Signs in a new user in a browser and creates their studio. */
  const signInOwner = async (): Promise<{ browser: HttpBrowser; owner: Caller; email: string }> => {
    const email = `user${++userCount}@example.com`;
    const browser = createHttpBrowser(createCookieJar(), (url) => url.origin === strict.origin);
    await signIn(service.base, email, browser);
    const { user } = (await (await browser.send(`${service.base}/api/me`)).json()) as { user: Caller["user"] };
    return { browser, owner: await newStudio(service.deps, await signInUser(service.deps, user)), email };
  };
  /** Opens a connect page and continues to the platform. */
  const openPlatformPage = async (browser: HttpBrowser, owner: Caller, platform: string): Promise<LoadedPage> =>
    browser.submit(await browser.open(await requestConnectUrl(browser, owner, platform)));
  const requestConnectUrl = async (browser: HttpBrowser, { studio }: Caller, platform: string): Promise<string> => {
    const response = await browser.send(`${service.base}/api/studios/${studio.id}/platforms/connect`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: service.base, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ platform }),
    });
    assert.equal(response.status, 201);
    return ((await response.json()) as { connectUrl: string }).connectUrl;
  };
  const listConnections = async (caller: Caller) =>
    (await listPlatforms(service.deps, caller)).connections.map(({ account, state }) => [account.handle, state]);
  const assertFailed = (page: LoadedPage, status: number, code: string): void => {
    assert.equal(page.status, status, page.text);
    assert.match(page.text, new RegExp(`Code: ${code}`));
    assert.match(page.text, code === "connect_expired" ? /This page can’t be used again/ : /Account not connected/);
    assert.equal(page.headers.get("cache-control"), "no-store");
  };

  test("connects a sandbox account through the connect page and the platform, without scripts (PLATFORM-1, PLATFORM-13)", async () => {
    const { browser, owner } = await signInOwner();
    const page = await browser.open(await requestConnectUrl(browser, owner, "sandbox"));
    assert.equal(page.status, 200);
    assert.match(page.text, /Connect Sandbox to Studio/);
    assert.doesNotMatch(page.text, /<script/);
    assert.match(page.text, /href="\/login[^"]*switch=1[^"]*">Sign in to Atelier as someone else</);
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    assert.match(page.headers.get("referrer-policy") ?? "", /no-referrer|same-origin/);
    const sandboxPage = await browser.submit(page);
    assert.match(sandboxPage.url.pathname, /^\/sandbox\/access\//);
    const resultPage = await browser.submit(sandboxPage, { account: "blue.harbour", decision: "allow" });
    assert.equal(resultPage.status, 200, resultPage.text);
    assert.match(resultPage.text, /Sandbox is connected/);
    assert.match(resultPage.text, new RegExp(`/studios/${owner.studio.id}/platforms`));
    assert.equal(resultPage.headers.get("referrer-policy"), "no-referrer");
    assert.deepEqual(await listConnections(owner), [["blue.harbour", "connected"]]);
  });

  test("leads back to the post that needs an account, and drops a malformed post or time (PLATFORM-13)", async () => {
    const { browser, owner } = await signInOwner();
    const postId = service.deps.newId("post");
    const connect = async (query: string, decision: string) => {
      const page = await browser.open(`${await requestConnectUrl(browser, owner, "sandbox")}?${query}`);
      return browser.submit(await browser.submit(page), { account: "harbour", decision });
    };
    const listLinks = ({ text }: LoadedPage) =>
      [...text.matchAll(/class="button[^"]*" href="([^"]*)"/g)].map(([, url]) => url);
    const platformsUrl = `/studios/${owner.studio.id}/platforms`;
    const target = `studio=${owner.studio.id}&post=${postId}`;
    assert.deepEqual(listLinks(await connect(`${target}&at=2050-01-15T09:30`, "allow")), [
      `/studios/${owner.studio.id}/posts/${postId}?at=2050-01-15T09%3A30`,
      `${platformsUrl}?post=${postId}&#38;at=2050-01-15T09%3A30`,
    ]);
    assert.deepEqual(listLinks(await connect(`${target}&at=tomorrow`, "allow")), [
      `/studios/${owner.studio.id}/posts/${postId}`,
      `${platformsUrl}?post=${postId}`,
    ]);
    assert.deepEqual(listLinks(await connect(target, "deny")), [`${platformsUrl}?post=${postId}`]);
    assert.deepEqual(listLinks(await connect("", "deny")), ["/platforms"]);
    const otherStudio = `studio=${service.deps.newId("studio")}&post=${postId}`;
    assert.deepEqual(listLinks(await connect(otherStudio, "allow")), [platformsUrl]);
    for (const post of ["pst_x", "../../login", "//evil.example", "%22%3E%3Cscript%3E"])
      assert.deepEqual(
        listLinks(await connect(`studio=${owner.studio.id}&post=${post}&at=2050-01-15T09:30`, "allow")),
        [platformsUrl],
      );
  });

  test("does not double the period of a studio name that ends with one (PLATFORM-13)", async () => {
    const { browser, owner } = await signInOwner();
    await updateStudio(service.deps, owner, { name: "Example Co." });
    const page = await browser.open(await requestConnectUrl(browser, owner, "sandbox"));
    const resultPage = await browser.submit(await browser.submit(page), { account: "harbour.", decision: "allow" });
    assert.match(resultPage.text, /Example Co\. can now use the Sandbox account\s+“harbour\.”\./);
    for (const { text } of [page, resultPage]) assert.doesNotMatch(text, /\.\.(?!\w)/);
  });

  test("renews sandbox tokens with rotation and revokes them on disconnect (PLATFORM-9)", async () => {
    const { browser, owner } = await signInOwner();
    const sandboxPage = await openPlatformPage(browser, owner, "sandbox");
    await browser.submit(sandboxPage, { account: "rotating", decision: "allow" });
    const [row] = await service.deps.platformStore.list(owner.studio.id);
    const location = { studioId: owner.studio.id, connectionId: row?.id ?? "" };
    const firstToken = await getAccessToken(service.deps, location);
    await fixture.database.q
      .updateTable("platformConnections")
      .set({ expiresAt: fixture.clock() })
      .where("id", "=", location.connectionId)
      .execute();
    const renewedToken = await getAccessToken(service.deps, location);
    assert.notEqual(renewedToken.accessToken, firstToken.accessToken);
    const fetchAccount = (token: string) =>
      fetch(`${service.base}/sandbox/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await fetchAccount(renewedToken.accessToken)).status, 200);
    await disconnectPlatform(service.deps, owner, location);
    assert.equal((await fetchAccount(renewedToken.accessToken)).status, 401);
  });

  test("shows an error page and stores nothing if the user denies access at the sandbox (PLATFORM-7)", async () => {
    const { browser, owner } = await signInOwner();
    const sandboxPage = await openPlatformPage(browser, owner, "sandbox");
    assertFailed(await browser.submit(sandboxPage, { decision: "deny" }), 403, "connect_denied");
    assert.deepEqual(await listConnections(owner), []);
  });

  test("redirects a user without a session to sign-in, then back to the connect page (PLATFORM-6)", async () => {
    const { browser, owner, email } = await signInOwner();
    const connectUrl = await requestConnectUrl(browser, owner, "strict");
    const freshBrowser = createHttpBrowser(createCookieJar(), (url) => url.origin === strict.origin);
    const login = await freshBrowser.open(connectUrl);
    assert.equal(login.url.pathname, "/login");
    const page = await signInFromPage(freshBrowser, login, email);
    assert.equal(page.url.href, connectUrl);
    assert.match(page.text, /Connect Strict/);
  });

  test("rejects another user's browser on the connect page and on the callback (PLATFORM-6, A16)", async () => {
    const [victim, attacker] = [await signInOwner(), await signInOwner()];
    const connectUrl = await requestConnectUrl(attacker.browser, attacker.owner, "strict");
    assertFailed(await victim.browser.open(connectUrl), 403, "forbidden");
    // The attacker passes on the callback URL of a flow that the victim's browser did not start.
    const platformPage = await attacker.browser.submit(await attacker.browser.open(connectUrl));
    assert.equal(platformPage.url.origin, strict.origin);
    const callback = strict.authorize(platformPage.url.href, "attacker");
    assertFailed(await victim.browser.open(callback), 410, "connect_expired");
    // With the attacker's cookie planted, the session is still the victim's.
    const plantedCookies = victim.browser.cookies.copy();
    const cookie = attacker.browser.cookies.get("atelier-connect");
    plantedCookies.store(new URL(service.base), [`${cookie?.name}=${cookie?.value}; Path=/`]);
    assertFailed(await createHttpBrowser(plantedCookies).open(callback), 403, "forbidden");
    // The connect cookie does not replace a session.
    const connectCookieOnly = createCookieJar();
    connectCookieOnly.store(new URL(service.base), [`${cookie?.name}=${cookie?.value}; Path=/`]);
    assertFailed(await createHttpBrowser(connectCookieOnly).open(callback), 403, "forbidden");
    assert.deepEqual([await listConnections(victim.owner), await listConnections(attacker.owner)], [[], []]);
    const resultPage = await attacker.browser.open(callback);
    assert.equal(resultPage.status, 200);
    assertFailed(await attacker.browser.open(callback), 410, "connect_expired");
    assertFailed(await attacker.browser.open(connectUrl), 410, "connect_expired");
  });

  test("rejects the form without its token, with another user's token, or from another site (PLATFORM-6, W1, A17)", async () => {
    const [user, otherUser] = [await signInOwner(), await signInOwner()];
    const connectUrl = await requestConnectUrl(user.browser, user.owner, "strict");
    const page = await user.browser.open(connectUrl);
    for (const form of ["", "x", "a.b"]) assertFailed(await user.browser.submit(page, { form }), 403, "forbidden");
    const otherPage = await otherUser.browser.open(
      await requestConnectUrl(otherUser.browser, otherUser.owner, "strict"),
    );
    assertFailed(await user.browser.submit(page, { form: otherPage.forms[0]?.fields["form"] ?? "" }), 403, "forbidden");
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const response = await user.browser.send(connectUrl, {
        method: "POST",
        headers,
        body: new URLSearchParams(page.forms[0]?.fields),
      });
      assert.equal(response.status, 403);
    }
  });

  test("responds to malformed connect and callback URLs with an error page (PLATFORM-7)", async () => {
    const { browser } = await signInOwner();
    for (const token of ["", "x", "x".repeat(5000), "%00", "../../etc"])
      assert.ok([404, 410].includes((await browser.open(`${service.base}/connect/${token}`)).status), token);
    for (const query of ["", "?state=x", "?code=x", "?state=x&code=y", "?error=access_denied", "?state=%00"])
      assertFailed(await browser.open(`${service.base}/api/platforms/callback/strict${query}`), 410, "connect_expired");
  });

  test("serves the sandbox only to requests that were not forwarded (PLATFORM-1, SIGN-4)", async () => {
    for (const path of ["/sandbox/auth", "/sandbox/me", "/sandbox/token", "/sandbox/access/x"])
      assert.equal(
        (await fetch(service.base + path, { headers: { "x-forwarded-for": "192.0.2.1" } })).status,
        403,
        path,
      );
  });

  test("logs no token, code, state or secret (PLATFORM-10, L1, RUN-9)", async () => {
    const { browser, owner } = await signInOwner();
    const connectUrl = await requestConnectUrl(browser, owner, "strict");
    const platformPage = await browser.submit(await browser.open(connectUrl));
    const callback = new URL(strict.authorize(platformPage.url.href, "logged"));
    await browser.open(callback.href);
    strict.faults.set("/token", "garbage");
    const secondAttempt = await openPlatformPage(browser, owner, "strict");
    await browser.open(strict.authorize(secondAttempt.url.href, "logged"));
    strict.faults.clear();
    const log = logLines.join("");
    assert.ok(logLines.length > 20);
    const secrets = [
      ...strict.issuedSecrets,
      ...["code", "state"].map((name) => callback.searchParams.get(name) ?? ""),
      connectUrl.split("/connect/")[1] ?? "",
      ...browser.cookies.all().map(({ value }) => value),
    ];
    for (const secret of secrets.filter(({ length }) => length > 10)) assert.ok(!log.includes(secret));
  });
});

test("rejects credentials for an unknown platform at startup (PLATFORM-11)", async () => {
  const { describeUnusedCredentials } = await import("#connectors/catalog.ts");
  const app = { clientId: "id", clientSecret: "secret" };
  assert.deepEqual(describeUnusedCredentials({}), []);
  assert.match(describeUnusedCredentials({ myspace: app })[0] ?? "", /^PLATFORM_MYSPACE_CLIENT_ID: unknown platform/);
  assert.match(describeUnusedCredentials({ mastodon: app })[0] ?? "", /^PLATFORM_MASTODON_CLIENT_ID/);
});
