import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { after, before, test } from "node:test";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { getAccessToken } from "#domain/platforms/credentials.ts";
import type { Caller } from "#domain/caller.ts";
import { changeRole } from "#domain/studios/members.ts";
import { updateStudio } from "#domain/studios/update-studio.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { createLog } from "#lib/log.ts";
import { call } from "../support/api-server.ts";
import {
  createHttpBrowser,
  createCookieJar,
  signIn,
  signInFromPage,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startService, type RunningService } from "../support/service.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";

forEachEngine("the connect page", (fixture) => {
  let strict: StrictPlatform;
  let service: RunningService;
  const lines: string[] = [];
  before(async () => {
    strict = await startStrictPlatform();
    const write = (chunk: unknown, _: unknown, done: () => void): void => {
      lines.push(String(chunk));
      done();
    };
    const log = createLog("trace", new Writable({ write }));
    service = await startService(fixture.deps, {
      platforms: strict.createSetups({ timeoutMs: 500 }),
      log,
      config: { rateLimits: false },
    });
  });
  after(async () => {
    await service.close();
    await strict.close();
  });

  let made = 0;
  /** Someone with a studio of their own, in a browser. */
  const arrive = async (): Promise<{ browser: HttpBrowser; owner: Caller; email: string }> => {
    const email = `person${++made}@example.com`;
    const browser = createHttpBrowser(createCookieJar(), (url) => url.origin === strict.origin);
    await signIn(service.base, email, browser);
    const { user } = (await (await browser.send(`${service.base}/api/me`)).json()) as { user: Caller["user"] };
    return { browser, owner: await newStudio(service.deps, { user }), email };
  };
  const ask = async (browser: HttpBrowser, { studio }: Caller, platform: string): Promise<string> => {
    const response = await browser.send(`${service.base}/api/studios/${studio.id}/platforms/connect`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: service.base, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ platform }),
    });
    assert.equal(response.status, 201);
    return ((await response.json()) as { connectUrl: string }).connectUrl;
  };
  const connections = async (caller: Caller) =>
    (await listPlatforms(service.deps, caller)).connections.map(({ account, state }) => [account.handle, state]);
  const assertFailed = (page: LoadedPage, status: number, code: string): void => {
    assert.equal(page.status, status, page.text);
    assert.match(page.text, new RegExp(`Code: ${code}`));
    assert.match(page.text, /Account not connected/);
    assert.equal(page.headers.get("cache-control"), "no-store");
  };

  test("the whole path with the sandbox: page, platform, and back, without a script (PLATFORM-1, PLATFORM-13)", async () => {
    const { browser, owner } = await arrive();
    const page = await browser.open(await ask(browser, owner, "sandbox"));
    assert.equal(page.status, 200);
    assert.match(page.text, /Connect Sandbox to Studio/);
    assert.doesNotMatch(page.text, /<script/);
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    assert.match(page.headers.get("referrer-policy") ?? "", /no-referrer|same-origin/);
    const atSandbox = await browser.submit(page);
    assert.match(atSandbox.url.pathname, /^\/sandbox\/access\//);
    const done = await browser.submit(atSandbox, { account: "blue.harbour", decision: "allow" });
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /Sandbox is connected/);
    assert.match(done.text, new RegExp(`/studios/${owner.studio.id}/platforms`));
    assert.equal(done.headers.get("referrer-policy"), "no-referrer");
    assert.deepEqual(await connections(owner), [["blue.harbour", "connected"]]);
  });

  test("a studio whose name ends with a period reads well once connected (PLATFORM-13)", async () => {
    const { browser, owner } = await arrive();
    await updateStudio(service.deps, owner, { name: "Example Co." });
    const page = await browser.open(await ask(browser, owner, "sandbox"));
    const done = await browser.submit(await browser.submit(page), { account: "harbour.", decision: "allow" });
    assert.match(done.text, /in Example Co\., and you can close this page\./);
    for (const { text } of [page, done]) assert.doesNotMatch(text, /\.\.(?!\w)/);
  });

  test("the sandbox renews with rotating tokens and revokes (PLATFORM-9)", async () => {
    const { browser, owner } = await arrive();
    const atSandbox = await browser.submit(await browser.open(await ask(browser, owner, "sandbox")));
    await browser.submit(atSandbox, { account: "rotating", decision: "allow" });
    const [row] = await service.deps.platformStore.list(owner.studio.id);
    const location = { studioId: owner.studio.id, connectionId: row?.id ?? "" };
    const first = await getAccessToken(service.deps, location);
    await fixture.database.q
      .updateTable("platform_connections")
      .set({ expires_at: fixture.clock() })
      .where("id", "=", location.connectionId)
      .execute();
    const second = await getAccessToken(service.deps, location);
    assert.notEqual(second.accessToken, first.accessToken);
    const me = (token: string) =>
      fetch(`${service.base}/sandbox/me`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await me(second.accessToken)).status, 200);
    const gone = await browser.send(
      `${service.base}/api/studios/${owner.studio.id}/platforms/${location.connectionId}`,
      {
        method: "DELETE",
        headers: { origin: service.base, "sec-fetch-site": "same-origin" },
      },
    );
    assert.equal(gone.status, 200);
    assert.equal((await me(second.accessToken)).status, 401);
  });

  test("denied at the sandbox: a clear page, nothing stored (PLATFORM-7)", async () => {
    const { browser, owner } = await arrive();
    const atSandbox = await browser.submit(await browser.open(await ask(browser, owner, "sandbox")));
    assertFailed(await browser.submit(atSandbox, { decision: "deny" }), 403, "connect_denied");
    assert.deepEqual(await connections(owner), []);
  });

  test("without a session: to sign in, then back to the page (PLATFORM-6)", async () => {
    const { browser, owner, email } = await arrive();
    const connectUrl = await ask(browser, owner, "strict");
    const fresh = createHttpBrowser(createCookieJar(), (url) => url.origin === strict.origin);
    const login = await fresh.open(connectUrl);
    assert.equal(login.url.pathname, "/login");
    const page = await signInFromPage(fresh, login, email);
    assert.equal(page.url.href, connectUrl);
    assert.match(page.text, /Connect Strict/);
  });

  test("another person's browser: neither page nor callback connects anything, to anyone (PLATFORM-6, A16)", async () => {
    const [victim, attacker] = [await arrive(), await arrive()];
    const connectUrl = await ask(attacker.browser, attacker.owner, "strict");
    assertFailed(await victim.browser.open(connectUrl), 403, "forbidden");
    // The attacker goes to the platform and hands the answer over: the victim's browser began nothing of it.
    const left = await attacker.browser.submit(await attacker.browser.open(connectUrl));
    assert.equal(left.url.origin, strict.origin);
    const callback = strict.authorize(left.url.href, "attacker");
    assertFailed(await victim.browser.open(callback), 410, "connect_expired");
    // With the attacker's cookie planted, the session is still another's.
    const planted = victim.browser.cookies.copy();
    const cookie = attacker.browser.cookies.get("atelier-connect");
    planted.store(new URL(service.base), [`${cookie?.name}=${cookie?.value}; Path=/`]);
    assertFailed(await createHttpBrowser(planted).open(callback), 403, "forbidden");
    // And a browser with the cookie but no session is nobody's.
    const bare = createCookieJar();
    bare.store(new URL(service.base), [`${cookie?.name}=${cookie?.value}; Path=/`]);
    assertFailed(await createHttpBrowser(bare).open(callback), 403, "forbidden");
    assert.deepEqual([await connections(victim.owner), await connections(attacker.owner)], [[], []]);
    const done = await attacker.browser.open(callback);
    assert.equal(done.status, 200);
    assertFailed(await attacker.browser.open(callback), 410, "connect_expired");
    assertFailed(await attacker.browser.open(connectUrl), 410, "connect_expired");
  });

  test("the form is ours: without its token, another's, or from another page it does nothing (PLATFORM-6, W1, A17)", async () => {
    const [one, two] = [await arrive(), await arrive()];
    const connectUrl = await ask(one.browser, one.owner, "strict");
    const page = await one.browser.open(connectUrl);
    for (const form of ["", "x", "a.b"]) assertFailed(await one.browser.submit(page, { form }), 403, "forbidden");
    const other = await two.browser.open(await ask(two.browser, two.owner, "strict"));
    assertFailed(await one.browser.submit(page, { form: other.forms[0]?.fields["form"] ?? "" }), 403, "forbidden");
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const answer = await one.browser.send(connectUrl, {
        method: "POST",
        headers,
        body: new URLSearchParams(page.forms[0]?.fields),
      });
      assert.equal(answer.status, 403);
    }
  });

  test("demoted between page and callback: a clear page, nothing stored (PLATFORM-6)", async () => {
    const { browser, owner } = await arrive();
    const other = await newMember(service.deps, owner, "owner");
    const left = await browser.submit(await browser.open(await ask(browser, owner, "strict")));
    await changeRole(service.deps, other, { userId: owner.user.id, role: "member" });
    assertFailed(await browser.open(strict.authorize(left.url.href, "late")), 403, "forbidden");
    assert.deepEqual(await connections(await resolveStudioCaller(service.deps, owner, owner.studio.id)), []);
  });

  test("a platform that is silent is named on a page in time (PLATFORM-7, A15)", async () => {
    const { browser, owner } = await arrive();
    const left = await browser.submit(await browser.open(await ask(browser, owner, "strict")));
    strict.faults.set("/token", "silence");
    const started = performance.now();
    const page = await browser.open(strict.authorize(left.url.href, "slow")).finally(() => strict.faults.clear());
    assertFailed(page, 502, "url_unreachable");
    assert.ok(performance.now() - started < 10_000);
  });

  test("garbage at the page and the callback: clear pages (PLATFORM-7)", async () => {
    const { browser } = await arrive();
    for (const path of [
      "/connect/",
      "/connect/x",
      `/connect/${"x".repeat(5000)}`,
      "/connect/%00",
      "/connect/../../etc",
    ])
      assert.ok([404, 410].includes((await browser.open(`${service.base}${path}`)).status), path);
    for (const query of ["", "?state=x", "?code=x", "?state=x&code=y", "?error=access_denied", "?state=%00"])
      assertFailed(await browser.open(`${service.base}/api/platforms/callback/strict${query}`), 410, "connect_expired");
  });

  test("the sandbox answers this machine only (PLATFORM-1, SIGN-4)", async () => {
    for (const path of ["/sandbox/auth", "/sandbox/me", "/sandbox/token", "/sandbox/access/x"])
      assert.equal(
        (await call(service, "GET", path, { headers: { "x-forwarded-for": "192.0.2.1" } })).status,
        403,
        path,
      );
  });

  test("after all of this no token, code, state or secret stands in the log (PLATFORM-10, L1, RUN-9)", async () => {
    const { browser, owner } = await arrive();
    const connectUrl = await ask(browser, owner, "strict");
    const left = await browser.submit(await browser.open(connectUrl));
    const callback = new URL(strict.authorize(left.url.href, "logged"));
    await browser.open(callback.href);
    strict.faults.set("/token", "garbage");
    const again = await browser.submit(await browser.open(await ask(browser, owner, "strict")));
    await browser.open(strict.authorize(again.url.href, "logged"));
    strict.faults.clear();
    const log = lines.join("");
    assert.ok(lines.length > 20);
    const secrets = [
      ...strict.issuedSecrets,
      ...["code", "state"].map((name) => callback.searchParams.get(name) ?? ""),
      connectUrl.split("/connect/")[1] ?? "",
      ...browser.cookies.all().map(({ value }) => value),
    ];
    for (const secret of secrets.filter((one) => one.length > 10)) assert.ok(!log.includes(secret));
  });
});

test("credentials for a platform that does not exist are refused at start (PLATFORM-11)", async () => {
  const { findUnusedCredentials: strayCredentials } = await import("#connectors/catalog.ts");
  const app = { clientId: "id", clientSecret: "secret" };
  assert.deepEqual(strayCredentials({}), []);
  assert.match(strayCredentials({ myspace: app })[0] ?? "", /^PLATFORM_MYSPACE_CLIENT_ID: unknown platform/);
  assert.match(strayCredentials({ mastodon: app })[0] ?? "", /^PLATFORM_MASTODON_CLIENT_ID/);
});
