import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { after, before, beforeEach, it } from "node:test";
import { createSessions } from "#auth/sign-in.ts";
import { days, minutes } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import {
  createHttpBrowser,
  signIn,
  signInFromPage,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import { listenLocally } from "../support/local-server.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

forOneEngine("signing in at an identity provider", (fixture) => {
  let server: SignInServer;
  let issuer: TestIssuer;
  let otherIssuer: TestIssuer;
  let base: string;
  const logLines: string[] = [];
  const log = createLog("trace", { write: (line) => void logLines.push(line) });

  before(async () => {
    base = await findFreeBaseUrl();
    issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
    otherIssuer = await startIssuer({
      redirectUris: [`${base}/api/auth/callback/oidc-2`],
      id: "oidc-2",
      usesUserinfoOnly: true,
    });
    await restartServer();
  });
  after(async () => {
    await server.close();
    await issuer.close();
    await otherIssuer.close();
  });
  beforeEach(() => issuer.setForgery(undefined));

  const findUser = async (browser: HttpBrowser) =>
    (await createSessions({ deps: fixture.deps, base }).find(browser.cookies.header(new URL(base))))?.user;
  const countRows = async () => {
    const { q } = fixture.database;
    const users = await q.selectFrom("users").select("id").execute();
    return [users.length, (await q.selectFrom("sessions").select("tokenHash").execute()).length];
  };
  /** Starts the server again, as an operator does after changing a setting. */
  const restartServer = async (settings = issuer.settings): Promise<void> => {
    await server?.close();
    server = await startSignInServer({
      deps: fixture.deps,
      base,
      identityProviders: [settings, otherIssuer.settings],
      log,
    });
  };
  /** Signs in at the issuer, and returns the callback URL of its redirect without opening it. */
  async function signInUntilCallback(browser: HttpBrowser, email: string, returnTo = "/"): Promise<string> {
    const login = await browser.open(`${base}/login?switch=1&return_to=${encodeURIComponent(returnTo)}`);
    const issuerPage = await browser.submit(login);
    const form = issuerPage.forms[0]!;
    let url = form.action.href;
    let response = await browser.send(url, { method: "POST", body: new URLSearchParams({ login: email }) });
    for (;;) {
      url = new URL(response.headers.get("location")!, url).href;
      if (url.startsWith(base)) return url;
      response = await browser.send(url);
    }
  }
  /** Opens the page, and asserts that it is an error page and that no user or session was stored. */
  async function assertSignInFails(
    browser: HttpBrowser,
    openPage: string | (() => Promise<LoadedPage>),
    status = 400,
  ): Promise<LoadedPage> {
    const rowsBefore = await countRows();
    const page = typeof openPage === "string" ? await browser.open(openPage) : await openPage();
    assert.equal(page.status, status, page.text);
    assert.match(page.text, /Sign-in failed/);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.equal(browser.cookies.get("atelier"), undefined);
    assert.deepEqual(await countRows(), rowsBefore);
    return page;
  }

  it("the login page names the purpose of the sign-in (SIGN-1)", async () => {
    for (const [returnTo, expectedText] of [
      ["/", /to open your studios/],
      ["/studios/std_1/posts", /to open your studios/],
      ["/join/token", /to accept your invitation/],
      ["/consent/uid", /An application wants access to your studio/],
      ["/connect/token", /to connect an account/],
    ] as const) {
      const page = await createHttpBrowser().open(`${base}/login?return_to=${encodeURIComponent(returnTo)}`);
      assert.match(page.text, expectedText, returnTo);
    }
  });

  it("redirects from the login page to the provider and back to the requested page (SIGN-1, SIGN-2, SIGN-8)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login?return_to=%2Fposts%3Fa%3D1`);
    assert.deepEqual(
      login.forms.map(({ buttons }) => buttons),
      [["Continue with Test issuer"], ["Continue with Test issuer"]],
    );
    assert.doesNotMatch(login.text, /<script|style=/);
    const landingPage = await signInFromPage(browser, login, "ada@example.com");
    assert.equal(landingPage.url.href, `${base}/posts?a=1`);
    const user = await findUser(browser);
    assert.deepEqual([user?.name, user?.email, user?.emailVerified], ["ada", "ada@example.com", true]);
  });

  it("reads name and email from the userinfo endpoint if the ID token has none", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const issuerPage = await browser.submit(login, {}, 1);
    await browser.submit(issuerPage, { login: "grace@example.com" });
    const user = await findUser(browser);
    assert.deepEqual([user?.name, user?.email, user?.emailVerified], ["grace", "grace@example.com", true]);
  });

  it("sets a new 14-day session cookie at every sign-in and ends the previous session on the server (W3)", async () => {
    const browser = await signIn(base, "ada@example.com");
    const firstCookie = browser.cookies.get("atelier")!;
    assert.deepEqual(firstCookie.attributes, {
      path: "/",
      "max-age": String(14 * 86_400),
      httponly: "",
      samesite: "Lax",
    });
    assert.match(firstCookie.value, /^[\w-]{43}$/);
    const storedSessions = await fixture.database.q.selectFrom("sessions").select("tokenHash").execute();
    assert.ok(storedSessions.every(({ tokenHash }) => !tokenHash.includes(firstCookie.value)));
    const oldCookies = browser.cookies.copy();
    await signIn(base, "ada@example.com", browser);
    assert.notEqual(browser.cookies.get("atelier")!.value, firstCookie.value);
    assert.equal(await findUser(createHttpBrowser(oldCookies)), undefined);
    assert.equal((await findUser(browser))?.email, "ada@example.com");
  });

  it("a session expires 14 days after the sign-in (W3)", async () => {
    const browser = await signIn(base, "ada@example.com");
    fixture.clock.advance(days(14) - 1);
    assert.notEqual(await findUser(browser), undefined);
    fixture.clock.advance(1);
    assert.equal(await findUser(browser), undefined);
  });

  it("replaces a session cookie that another site planted (W3)", async () => {
    const browser = createHttpBrowser();
    browser.cookies.store(new URL(base), ["atelier=planted-by-someone-else; Path=/"]);
    await signIn(base, "ada@example.com", browser);
    assert.notEqual(browser.cookies.get("atelier")!.value, "planted-by-someone-else");
  });

  it("two tabs can sign in at the same time, each to its own page", async () => {
    const browser = createHttpBrowser();
    const firstCallback = await signInUntilCallback(browser, "ada@example.com", "/one");
    const secondCallback = await signInUntilCallback(browser, "grace@example.com", "/two");
    assert.equal((await browser.open(firstCallback)).url.pathname, "/one");
    assert.equal((await browser.open(secondCallback)).url.pathname, "/two");
    assert.equal(browser.cookies.get("atelier-sign-in"), undefined);
  });

  it("rejects a callback without a code, or with a missing, repeated or wrong state or issuer, and stores nothing (A14)", async () => {
    const modifications = [
      (url: URL) => url.searchParams.delete("state"),
      (url: URL) => url.searchParams.set("state", "x"),
      (url: URL) => url.searchParams.append("state", "x"),
      (url: URL) => (url.search = ""),
      (url: URL) => url.searchParams.delete("code"),
      (url: URL) => url.searchParams.set("iss", otherIssuer.issuer),
      (url: URL) => url.searchParams.delete("iss"),
    ];
    for (const modify of modifications) {
      const browser = createHttpBrowser();
      const url = new URL(await signInUntilCallback(browser, "stranger@example.com"));
      modify(url);
      await assertSignInFails(browser, url.href);
    }
  });

  it("rejects a callback of a sign-in that another browser started (A14, A16)", async () => {
    const [attacker, victim] = [createHttpBrowser(), createHttpBrowser()];
    await signInUntilCallback(victim, "victim@example.com");
    await assertSignInFails(victim, await signInUntilCallback(attacker, "attacker@example.com"));
  });

  it("accepts a callback once, even if another browser has the cookies (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await signInUntilCallback(browser, "ada@example.com");
    const copiedCookies = browser.cookies.copy();
    assert.equal((await browser.open(url)).status, 404); // the start page, which this test does not serve
    assert.notEqual(await findUser(browser), undefined);
    assert.equal((await browser.open(url)).status, 400);
    await assertSignInFails(createHttpBrowser(copiedCookies), url);
  });

  it("rejects a callback more than ten minutes after the start (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await signInUntilCallback(browser, "stranger@example.com");
    fixture.clock.advance(minutes(10));
    await assertSignInFails(browser, url);
  });

  it("rejects one provider's callback at another provider's URL (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await signInUntilCallback(browser, "stranger@example.com");
    await assertSignInFails(browser, url.replace("/callback/oidc", "/callback/oidc-2"));
    const unknownProvider = await browser.open(`${base}/api/auth/callback/none?state=x&code=y`);
    assert.equal(unknownProvider.status, 404);
  });

  const forgeClaims = (change: Record<string, unknown>) => ({
    claims: (claims: Record<string, unknown>) => ({ ...claims, ...change }),
  });
  const forgeries = {
    "another nonce": forgeClaims({ nonce: "x" }),
    "no nonce": forgeClaims({ nonce: undefined }),
    "another audience": forgeClaims({ aud: "someone-else" }),
    "another issuer": forgeClaims({ iss: "https://evil.example" }),
    "a past expiry": forgeClaims({ exp: Date.UTC(2025, 0, 1) / 1000 }),
    "no subject": forgeClaims({ sub: undefined }),
    "algorithm none": { signature: "none" },
    "HS256 with the public key as secret": { signature: "hs256-public-key" },
    "a signature by another key": { signature: "foreign-key" },
    "a corrupted signature": { signature: "corrupted" },
  } as const;
  for (const [name, forgery] of Object.entries(forgeries)) {
    it(`rejects an ID token with ${name} (A14)`, async () => {
      const browser = createHttpBrowser();
      issuer.setForgery(forgery);
      await assertSignInFails(browser, await signInUntilCallback(browser, "stranger@example.com"));
    });
  }

  it("shows a page with a link to a new attempt after a sign-in canceled at the provider", async () => {
    const browser = createHttpBrowser();
    issuer.denyNext();
    const url = await signInUntilCallback(browser, "stranger@example.com", "/join/abc");
    const page = await assertSignInFails(browser, url, 403);
    assert.match(page.text, /was canceled/);
    assert.match(page.text, /href="\/login\?return_to=%2Fjoin%2Fabc&#38;switch=1"/);
    assert.doesNotMatch(page.text, /today/);
  });

  it("sign-in succeeds when the issuer rotates its keys during or after a sign-in (A15)", async () => {
    await signIn(base, "ada@example.com");
    const browser = createHttpBrowser();
    const url = await signInUntilCallback(browser, "ada@example.com");
    issuer.rotateKeys();
    await browser.open(url);
    assert.equal((await findUser(browser))?.email, "ada@example.com");
    issuer.rotateKeys();
    await signIn(base, "ada@example.com");
  });

  it("shows a page that names an unavailable provider, and sign-in recovers without a restart (A15)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const url = await signInUntilCallback(browser, "ada@example.com");
    await issuer.stop();
    await assertSignInFails(browser, () => browser.submit(login), 502);
    const page = await assertSignInFails(browser, url, 502);
    assert.match(page.text, /Test issuer is not responding/);
    await issuer.restart();
    await signIn(base, "ada@example.com", browser);
    assert.equal((await findUser(browser))?.email, "ada@example.com");
  });

  it("stops waiting for a slow provider, and sign-in recovers without a restart (A15)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const url = await signInUntilCallback(browser, "ada@example.com");
    issuer.setStalled(true);
    const otherBrowser = createHttpBrowser();
    await Promise.all([
      assertSignInFails(otherBrowser, () => otherBrowser.submit(login), 502),
      assertSignInFails(browser, url, 502),
    ]);
    issuer.setStalled(false);
    await signIn(base, "ada@example.com", browser);
  });

  it("reports an issuer as unavailable if its responses are invalid (A15)", async (t) => {
    const startJson = (res: ServerResponse) => res.writeHead(200, { "content-type": "application/json" });
    const responders: Record<string, (res: ServerResponse) => void> = {
      "an error": (res) => res.writeHead(500).end(),
      "a redirect": (res) => res.writeHead(302, { location: issuer.issuer }).end(),
      "a page": (res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"),
      "invalid JSON": (res) => startJson(res).end("{"),
      "another issuer": (res) => startJson(res).end(JSON.stringify({ issuer: "https://evil.example" })),
      "incomplete metadata": (res) => startJson(res).end(JSON.stringify({ issuer: imposterUrl })),
      "an unfinished response": (res) => startJson(res).write("{"),
    };
    let respond: (res: ServerResponse) => void = () => {};
    const { url: imposterUrl, close } = await listenLocally(createServer((_req, res) => respond(res)));
    const settings = { ...issuer.settings, issuer: imposterUrl };
    const service = await startSignInServer({ deps: fixture.deps, identityProviders: [settings] });
    t.after(async () => {
      await service.close();
      await close();
    });
    for (const [name, responder] of Object.entries(responders)) {
      respond = responder;
      const browser = createHttpBrowser();
      const page = await browser.submit(await browser.open(`${service.base}/login`));
      assert.deepEqual([page.status, /is not responding/.test(page.text)], [502, true], name);
    }
  });

  it("shows that the provider rejected this server's client credentials", async () => {
    await restartServer({ ...issuer.settings, clientSecret: "wrong secret" });
    const browser = createHttpBrowser();
    const page = await assertSignInFails(browser, await signInUntilCallback(browser, "stranger@example.com"), 502);
    assert.match(page.text, /rejected this server/);
    await restartServer();
  });

  const postLogin = (init: RequestInit) => createHttpBrowser().send(`${base}/login`, { method: "POST", ...init });
  const loginForm = new URLSearchParams({ provider: "oidc" });

  it("rejects sign-in forms submitted by other sites (W1, A16)", async () => {
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: base, "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      const response = await postLogin({ body: loginForm, headers });
      assert.deepEqual([response.status, response.headers.getSetCookie()], [403, []], JSON.stringify(headers));
    }
    assert.equal((await postLogin({ body: loginForm })).status, 303);
  });

  it("responds to bad requests on the login page with an error status", async () => {
    assert.equal((await postLogin({ body: new URLSearchParams({ provider: "unknown" }) })).status, 404);
    assert.equal((await postLogin({ body: new URLSearchParams({}) })).status, 404);
    assert.equal((await postLogin({ body: "{}", headers: { "content-type": "application/json" } })).status, 415);
    assert.equal((await postLogin({ body: new URLSearchParams({ provider: "x".repeat(20_000) }) })).status, 413);
    assert.equal((await createHttpBrowser().send(`${base}/login`, { method: "DELETE" })).status, 404);
    assert.equal((await createHttpBrowser().send(`${base}/api/auth/callback/oidc`, { method: "POST" })).status, 404);
  });

  it("never redirects to another site after sign-in (W5)", async () => {
    const browser = await signIn(base, "ada@example.com");
    for (const returnTo of ["//evil.example", "/\\evil.example", "https://evil.example/", "/\t/evil.example"]) {
      const response = await browser.send(`${base}/login?return_to=${encodeURIComponent(returnTo)}`);
      assert.deepEqual([response.status, response.headers.get("location")], [200, null], returnTo);
    }
    const allowed = await browser.send(`${base}/login?return_to=%2Fposts`);
    assert.deepEqual([allowed.status, allowed.headers.get("location")], [303, "/posts"]);
  });

  it("shows a signed-in user their account and offers to use another account", async () => {
    const browser = await signIn(base, "ada@example.com");
    const page = await browser.open(`${base}/login`);
    assert.match(page.text, /ada@example\.com/);
    assert.match(page.text, /href="\/login\?switch=1"/);
    const switchPage = await browser.open(`${base}/login?switch=1`);
    const response = await browser.send(switchPage.forms[0]!.action.href, {
      method: "POST",
      body: new URLSearchParams(switchPage.forms[0]!.fields),
    });
    assert.equal(new URL(response.headers.get("location")!).searchParams.get("prompt"), "login");
  });

  it("builds URLs from settings, not from request headers (SIGN-9)", async () => {
    const headers = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example",
    };
    const { searchParams } = new URL((await postLogin({ body: loginForm, headers })).headers.get("location")!);
    assert.equal(searchParams.get("redirect_uri"), `${base}/api/auth/callback/oidc`);
  });

  it("signing out ends the session on the server, and is accepted only from its own origin (SIGN-7)", async () => {
    const browser = await signIn(base, "ada@example.com");
    const signOut = async (headers: Record<string, string>, method = "POST") =>
      (await browser.send(`${base}/api/sign-out`, { method, headers })).status;
    assert.equal(await signOut({}), 403);
    assert.equal(await signOut({ origin: "https://evil.example" }), 403);
    assert.equal(await signOut({ "sec-fetch-site": "cross-site" }), 403);
    const copiedCookies = browser.cookies.copy();
    assert.equal(await signOut({ origin: base }), 204);
    assert.equal(browser.cookies.get("atelier"), undefined);
    assert.equal(await findUser(createHttpBrowser(copiedCookies)), undefined);
    assert.equal(await signOut({ origin: base }), 204);
    assert.equal(await signOut({ origin: base }, "GET"), 404);
  });

  it("a sign-in started before a restart finishes after it, and sessions remain valid (C5)", async () => {
    const signedInBrowser = await signIn(base, "ada@example.com");
    const browser = createHttpBrowser();
    const url = await signInUntilCallback(browser, "grace@example.com");
    await restartServer();
    await browser.open(url);
    assert.equal((await findUser(browser))?.email, "grace@example.com");
    assert.match((await signedInBrowser.open(`${base}/login`)).text, /ada@example\.com/);
  });

  it("escapes hostile claims in pages", async () => {
    issuer.setClaims("evil@example.com", {
      sub: "evil",
      name: "<script>alert(1)</script>\0\u202e",
      email: "evil@example.com",
      email_verified: true,
    });
    const browser = await signIn(base, "evil@example.com");
    const page = await browser.open(`${base}/login`);
    assert.doesNotMatch(page.text, /<script/);
    assert.match(page.text, /&#60;script&#62;/);
  });

  it("no log line contains a cookie, code, state, token or email (L4)", async () => {
    logLines.length = 0;
    const browser = createHttpBrowser();
    const url = new URL(await signInUntilCallback(browser, "ada@example.com"));
    const signInCookie = browser.cookies.get("atelier-sign-in")!.value;
    await browser.open(url.href);
    issuer.setForgery({ signature: "none" });
    const rejectedUrl = new URL(await signInUntilCallback(browser, "ada@example.com"));
    await browser.open(rejectedUrl.href);
    const secrets = [
      ...[url, rejectedUrl].flatMap(({ searchParams }) => [searchParams.get("code")!, searchParams.get("state")!]),
      signInCookie,
      browser.cookies.get("atelier")!.value,
      issuer.clientSecret,
      "ada@example.com",
    ];
    const countCallbacks = () =>
      logLines.filter((line) => line.includes('"status"') && line.includes("/callback")).length;
    await waitUntil(() => countCallbacks() === 2, { description: "both callbacks are logged" });
    for (const secret of secrets) assert.ok(!logLines.join("").includes(secret));
  });

  it("pages forbid framing, caching and scripts", async () => {
    const page = await createHttpBrowser().open(`${base}/login`);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, new RegExp(`form-action 'self' ${issuer.issuer}`));
    assert.equal(page.headers.get("referrer-policy"), "same-origin");
    assert.equal(page.headers.get("cache-control"), "no-store");
  });
});
