import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, it, type TestFn } from "node:test";
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
import { forEachEngine } from "../support/engines.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newUser } from "../support/users.ts";

forEachEngine("signing in at an identity provider", (fixture) => {
  let server: SignInServer;
  let issuer: TestIssuer;
  let other: TestIssuer;
  let base: string;
  const lines: string[] = [];
  const log = createLog("trace", { write: (line) => void lines.push(line) });

  before(async () => {
    base = await findFreeBaseUrl();
    issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
    other = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc-2`], id: "oidc-2", userinfoOnly: true });
    server = await startSignInServer({
      deps: fixture.deps,
      base,
      identityProviders: [issuer.settings, other.settings],
      log,
    });
  });
  after(async () => {
    await server.close();
    await issuer.close();
    await other.close();
  });
  beforeEach(() => issuer.setForgery(undefined));

  /** Where the database has no part and time passes: one engine is enough. */
  const itOnce = fixture.engine === "sqlite" ? it : (_name: string, _test: TestFn) => {};
  const who = (browser: HttpBrowser) =>
    createSessions({ deps: fixture.deps, base }).find(browser.cookies.header(new URL(base)));
  const users = async () => (await fixture.database.q.selectFrom("users").selectAll().execute()).length;
  const sessions = async () => (await fixture.database.q.selectFrom("sessions").selectAll().execute()).length;
  /** Up to the moment the issuer sends the browser back; the answer is where to. */
  async function untilCallback(browser: HttpBrowser, email: string, returnTo = "/"): Promise<string> {
    const login = await browser.open(`${base}/login?switch=1&return_to=${encodeURIComponent(returnTo)}`);
    const atIssuer = await browser.submit(login);
    const form = atIssuer.forms[0]!;
    let url = form.action.href;
    let response = await browser.send(url, { method: "POST", body: new URLSearchParams({ login: email }) });
    for (;;) {
      url = new URL(response.headers.get("location")!, url).href;
      if (url.startsWith(base)) return url;
      response = await browser.send(url);
    }
  }
  async function refused(
    visit: LoadedPage,
    browser: HttpBrowser,
    status: number,
    before: { users: number; sessions: number },
  ): Promise<void> {
    assert.equal(visit.status, status, visit.text);
    assert.match(visit.text, /Sign-in failed/);
    assert.match(visit.headers.get("content-type") ?? "", /^text\/html/);
    assert.equal(visit.headers.get("cache-control"), "no-store");
    assert.equal(browser.cookies.get("atelier"), undefined);
    assert.deepEqual({ users: await users(), sessions: await sessions() }, before);
  }
  const counts = async () => ({ users: await users(), sessions: await sessions() });

  itOnce("the login page says what one signs in for (SIGN-1)", async () => {
    for (const [to, words] of [
      ["/", /to open your studios/],
      ["/studios/std_1/posts", /to open your studios/],
      ["/join/token", /to accept your invitation/],
      ["/consent/uid", /An application wants access to your studio/],
      ["/connect/token", /to connect an account/],
    ] as const) {
      const page = await createHttpBrowser().open(`${base}/login?return_to=${encodeURIComponent(to)}`);
      assert.match(page.text, words, to);
    }
  });

  it("goes from the login page to the provider and back to where one wanted to go (SIGN-1, SIGN-2, SIGN-8)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login?return_to=%2Fposts%3Fa%3D1`);
    assert.deepEqual(
      login.forms.map(({ buttons }) => buttons),
      [["Continue with Test issuer"], ["Continue with Test issuer"]],
    );
    assert.doesNotMatch(login.text, /<script|style=/);
    const arrived = await signInFromPage(browser, login, "ada@example.com");
    assert.equal(arrived.url.href, `${base}/posts?a=1`);
    const user = await who(browser);
    assert.deepEqual([user?.name, user?.email, user?.emailVerified], ["ada", "ada@example.com", true]);
  });

  it("takes name and address from the userinfo endpoint where the ID token has none", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const atIssuer = await browser.submit(login, {}, 1);
    await browser.submit(atIssuer, { login: "grace@example.com" });
    const user = await who(browser);
    assert.deepEqual([user?.name, user?.email, user?.emailVerified], ["grace", "grace@example.com", true]);
  });

  it("gives a session cookie for 14 days, new at every sign-in; the one before is dead on the server (W3)", async () => {
    const browser = await signIn(base, "ada@example.com");
    const first = browser.cookies.get("atelier")!;
    assert.deepEqual(first.attributes, { path: "/", "max-age": String(14 * 86_400), httponly: "", samesite: "Lax" });
    assert.match(first.value, /^[\w-]{43}$/);
    const stored = await fixture.database.q.selectFrom("sessions").select("token_hash").execute();
    assert.ok(stored.every(({ token_hash }) => !token_hash.includes(first.value)));
    const old = browser.cookies.copy();
    await signIn(base, "ada@example.com", browser);
    assert.notEqual(browser.cookies.get("atelier")!.value, first.value);
    assert.equal(await who(createHttpBrowser(old)), undefined);
    assert.equal((await who(browser))?.email, "ada@example.com");
  });

  it("a session is over 14 days after the sign-in (W3)", async () => {
    const browser = await signIn(base, "ada@example.com");
    fixture.clock.advance(days(14) - 1);
    assert.notEqual(await who(browser), undefined);
    fixture.clock.advance(1);
    assert.equal(await who(browser), undefined);
  });

  it("a planted cookie does not become a session (W3)", async () => {
    const browser = createHttpBrowser();
    browser.cookies.store(new URL(base), ["atelier=planted-by-someone-else; Path=/"]);
    await signIn(base, "ada@example.com", browser);
    assert.notEqual(browser.cookies.get("atelier")!.value, "planted-by-someone-else");
  });

  it("knows a person again by issuer and subject, with what the issuer says now (WORD-1)", async () => {
    issuer.setClaims("mary@example.com", { sub: "m-1", name: "Mary", email: "mary@example.com", email_verified: true });
    const first = await who(await signIn(base, "mary@example.com"));
    issuer.setClaims("mary@example.com", {
      sub: "m-1",
      name: "Mary J.",
      email: "mj@example.com",
      email_verified: false,
    });
    const second = await who(await signIn(base, "mary@example.com"));
    assert.equal(second?.id, first?.id);
    assert.deepEqual([second?.name, second?.email, second?.emailVerified], ["Mary J.", "mj@example.com", false]);
  });

  it("the same address with another subject, unverified, or at another issuer is someone else (A24)", async () => {
    const ada = await who(await signIn(base, "ada@example.com"));
    issuer.setClaims("new@example.com", {
      sub: "another",
      name: "Ada",
      email: "ada@example.com",
      email_verified: true,
    });
    const taken = await who(await signIn(base, "new@example.com"));
    issuer.setClaims("loose@example.com", {
      sub: "loose",
      name: "Ada",
      email: "ada@example.com",
      email_verified: false,
    });
    const unverified = await who(await signIn(base, "loose@example.com"));
    const browser = createHttpBrowser();
    const atOther = await browser.submit(await browser.open(`${base}/login`), {}, 1);
    await browser.submit(atOther, { login: "ada@example.com" });
    const elsewhere = await who(browser);
    assert.equal(new Set([ada?.id, taken?.id, unverified?.id, elsewhere?.id]).size, 4);
    assert.equal(unverified?.emailVerified, false);
  });

  it("ten first sign-ins of one person at once make one user (R6)", async () => {
    const before = await users();
    const browsers = await Promise.all(Array.from({ length: 10 }, () => signIn(base, "once@example.com")));
    const ids = await Promise.all(browsers.map(async (browser) => (await who(browser))?.id));
    assert.equal(new Set(ids).size, 1);
    assert.equal(await users(), before + 1);
  });

  it("two tabs can sign in at the same time, each to its own page", async () => {
    const browser = createHttpBrowser();
    const first = await untilCallback(browser, "ada@example.com", "/one");
    const second = await untilCallback(browser, "grace@example.com", "/two");
    assert.equal((await browser.open(first)).url.pathname, "/one");
    assert.equal((await browser.open(second)).url.pathname, "/two");
    assert.equal(browser.cookies.get("atelier-sign-in"), undefined);
  });

  it("a callback with missing, foreign, doubled or unknown state is refused, and nothing is stored (A14)", async () => {
    const before = await counts();
    const strange = [
      (url: URL) => url.searchParams.delete("state"),
      (url: URL) => url.searchParams.set("state", "x"),
      (url: URL) => url.searchParams.append("state", "x"),
      (url: URL) => (url.search = ""),
      (url: URL) => url.searchParams.delete("code"),
    ];
    for (const change of strange) {
      const browser = createHttpBrowser();
      const url = new URL(await untilCallback(browser, "stranger@example.com"));
      change(url);
      await refused(await browser.open(url.href), browser, 400, before);
    }
  });

  it("a callback that another browser began is refused (A14, A16)", async () => {
    const before = await counts();
    const attacker = createHttpBrowser();
    const victim = createHttpBrowser();
    await untilCallback(victim, "victim@example.com");
    await refused(await victim.open(await untilCallback(attacker, "attacker@example.com")), victim, 400, before);
  });

  it("a callback serves once, also for a browser that kept its cookies (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await untilCallback(browser, "ada@example.com");
    const kept = browser.cookies.copy();
    assert.equal((await browser.open(url)).status, 404); // the start page, which this test does not serve
    assert.notEqual(await who(browser), undefined);
    const before = await counts();
    assert.equal((await browser.open(url)).status, 400);
    const thief = createHttpBrowser(kept);
    await refused(await thief.open(url), thief, 400, { ...before, sessions: before.sessions });
  });

  it("a sign-in that took more than ten minutes is refused (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await untilCallback(browser, "stranger@example.com");
    const before = await counts();
    fixture.clock.advance(minutes(10));
    await refused(await browser.open(url), browser, 400, before);
  });

  it("an answer of one provider is refused at another's address (A14)", async () => {
    const browser = createHttpBrowser();
    const url = await untilCallback(browser, "stranger@example.com");
    await refused(await browser.open(url.replace("/callback/oidc", "/callback/oidc-2")), browser, 400, await counts());
    const unknown = await browser.open(`${base}/api/auth/callback/none?state=x&code=y`);
    assert.equal(unknown.status, 404);
  });

  it("the iss of the answer has to be the issuer's (A14)", async () => {
    for (const change of [
      (url: URL) => url.searchParams.set("iss", other.issuer),
      (url: URL) => url.searchParams.delete("iss"),
    ]) {
      const browser = createHttpBrowser();
      const url = new URL(await untilCallback(browser, "stranger@example.com"));
      change(url);
      await refused(await browser.open(url.href), browser, 400, await counts());
    }
  });

  const forgeries = {
    "another nonce": { claims: (claims: Record<string, unknown>) => ({ ...claims, nonce: "x" }) },
    "no nonce": { claims: ({ nonce: _, ...claims }: Record<string, unknown>) => claims },
    "another audience": { claims: (claims: Record<string, unknown>) => ({ ...claims, aud: "someone-else" }) },
    "another issuer": { claims: (claims: Record<string, unknown>) => ({ ...claims, iss: "https://evil.example" }) },
    "its time over": {
      claims: (claims: Record<string, unknown>) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }),
    },
    "no subject": { claims: ({ sub: _, ...claims }: Record<string, unknown>) => claims },
    "algorithm none": { signature: "none" },
    "HS256 under the public key": { signature: "hs256-public-key" },
    "the signature of a stranger": { signature: "foreign-key" },
    "a spoiled signature": { signature: "corrupted" },
  } as const;
  for (const [what, forgery] of Object.entries(forgeries)) {
    it(`an ID token with ${what} is refused (A14)`, async () => {
      const before = await counts();
      const browser = createHttpBrowser();
      issuer.setForgery(forgery);
      await refused(await browser.open(await untilCallback(browser, "stranger@example.com")), browser, 400, before);
    });
  }

  it("a sign-in that was cancelled at the provider ends on a page with the way to begin again", async () => {
    const browser = createHttpBrowser();
    issuer.denyNext();
    const visit = await browser.open(await untilCallback(browser, "stranger@example.com", "/join/abc"));
    await refused(visit, browser, 403, await counts());
    assert.match(visit.text, /was cancelled/);
    assert.match(visit.text, /href="\/login\?return_to=%2Fjoin%2Fabc&#38;switch=1"/);
    assert.doesNotMatch(visit.text, /today/);
  });

  it("keys that change in the middle of a sign-in, and right after one, do no harm (A15)", async () => {
    await signIn(base, "ada@example.com");
    const browser = createHttpBrowser();
    const url = await untilCallback(browser, "ada@example.com");
    issuer.rotateKeys();
    await browser.open(url);
    assert.equal((await who(browser))?.email, "ada@example.com");
    issuer.rotateKeys();
    await signIn(base, "ada@example.com");
  });

  it("a provider that is down is named on a page, before and after the redirect, and works again by itself (A15)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const url = await untilCallback(browser, "ada@example.com");
    await issuer.stop();
    const before = await counts();
    await refused(await browser.submit(login), browser, 502, before);
    const visit = await browser.open(url);
    await refused(visit, browser, 502, before);
    assert.match(visit.text, /Test issuer is not responding/);
    await issuer.restart();
    await signIn(base, "ada@example.com", browser);
    assert.equal((await who(browser))?.email, "ada@example.com");
  });

  itOnce("a provider that takes a minute is given up within ten seconds, and works again by itself (A15)", async () => {
    const browser = createHttpBrowser();
    const login = await browser.open(`${base}/login`);
    const url = await untilCallback(browser, "ada@example.com");
    issuer.setDelay(60_000);
    const before = await counts();
    const started = performance.now();
    const [atStart, atCallback] = await Promise.all([createHttpBrowser().submit(login), browser.open(url)]);
    const took = performance.now() - started;
    issuer.setDelay(0);
    assert.ok(took < 10_000, `${took} ms`);
    await refused(atStart, browser, 502, before);
    await refused(atCallback, browser, 502, before);
    await signIn(base, "ada@example.com", browser);
  });

  itOnce("what answers at an issuer's address, but not as one, is told like one that is down (A15)", async (t) => {
    const answers: Record<string, (res: ServerResponse) => void> = {
      "an error": (res) => res.writeHead(500).end(),
      "a redirect": (res) => res.writeHead(302, { location: issuer.issuer }).end(),
      "a page": (res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"),
      "no JSON": (res) => res.writeHead(200, { "content-type": "application/json" }).end("{"),
      "another issuer": (res) =>
        res
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ issuer: "https://evil.example" })),
      "half an issuer": (res) =>
        res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ issuer: strange })),
      "half an answer": (res) => res.writeHead(200, { "content-type": "application/json" }).write("{"),
    };
    let answer: (res: ServerResponse) => void = () => {};
    const imposter = createServer((_req, res) => answer(res)).listen(0, "127.0.0.1");
    await once(imposter, "listening");
    const strange = `http://127.0.0.1:${(imposter.address() as AddressInfo).port}`;
    const settings = { ...issuer.settings, issuer: strange };
    const service = await startSignInServer({ deps: fixture.deps, identityProviders: [settings] });
    t.after(async () => {
      await service.close();
      imposter.close();
      imposter.closeAllConnections();
    });
    for (const [what, one] of Object.entries(answers)) {
      answer = one;
      const browser = createHttpBrowser();
      const started = performance.now();
      const page = await browser.submit(await browser.open(`${service.base}/login`));
      assert.deepEqual([page.status, /is not responding/.test(page.text)], [502, true], what);
      assert.ok(performance.now() - started < 10_000, what);
    }
  });

  it("a provider that refuses our own credentials is the operator's matter, not the person's", async () => {
    const settings = { ...issuer.settings, clientSecret: "not the one" };
    await server.close();
    server = await startSignInServer({ deps: fixture.deps, base, identityProviders: [settings, other.settings] });
    const browser = createHttpBrowser();
    const page = await browser.open(await untilCallback(browser, "stranger@example.com"));
    await refused(page, browser, 502, await counts());
    assert.match(page.text, /rejected this server/);
    await server.close();
    server = await startSignInServer({
      deps: fixture.deps,
      base,
      identityProviders: [issuer.settings, other.settings],
      log,
    });
  });

  it("forms of other sites start nothing (W1, A16)", async () => {
    const foreign = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: base, "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      const response = await createHttpBrowser().send(`${base}/login`, {
        method: "POST",
        body: new URLSearchParams({ provider: "oidc" }),
        headers,
      });
      assert.equal(response.status, 403, JSON.stringify(headers));
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    const plain = await createHttpBrowser().send(`${base}/login`, {
      method: "POST",
      body: new URLSearchParams({ provider: "oidc" }),
    });
    assert.equal(plain.status, 303);
  });

  it("bad requests to the login page get a page and no flow", async () => {
    const send = (init: RequestInit) => createHttpBrowser().send(`${base}/login`, { method: "POST", ...init });
    assert.equal((await send({ body: new URLSearchParams({ provider: "nobody" }) })).status, 404);
    assert.equal((await send({ body: new URLSearchParams({}) })).status, 404);
    assert.equal((await send({ body: "{}", headers: { "content-type": "application/json" } })).status, 415);
    assert.equal((await send({ body: new URLSearchParams({ provider: "x".repeat(20_000) }) })).status, 413);
    assert.equal((await createHttpBrowser().send(`${base}/login`, { method: "DELETE" })).status, 404);
    assert.equal((await createHttpBrowser().send(`${base}/api/auth/callback/oidc`, { method: "POST" })).status, 404);
  });

  it("after signing in nobody is sent to another site (W5)", async () => {
    const browser = await signIn(base, "ada@example.com");
    for (const evil of [
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "/x%0d%0aa:b",
      "https://evil.example/",
      "/\t/evil.example",
    ]) {
      const response = await browser.send(`${base}/login?return_to=${encodeURIComponent(evil)}`);
      assert.deepEqual([response.status, response.headers.get("location")], [200, null], evil);
    }
    const good = await browser.send(`${base}/login?return_to=%2Fposts`);
    assert.deepEqual([good.status, good.headers.get("location")], [303, "/posts"]);
  });

  it("someone who is signed in sees as whom, and can use another account", async () => {
    const browser = await signIn(base, "ada@example.com");
    const page = await browser.open(`${base}/login`);
    assert.match(page.text, /ada@example\.com/);
    assert.match(page.text, /href="\/login\?switch=1"/);
    const other = await browser.open(`${base}/login?switch=1`);
    const response = await browser.send(other.forms[0]!.action.href, {
      method: "POST",
      body: new URLSearchParams(other.forms[0]!.fields),
    });
    assert.equal(new URL(response.headers.get("location")!).searchParams.get("prompt"), "login");
  });

  it("addresses come from settings, whatever the request calls us (SIGN-9)", async () => {
    const response = await createHttpBrowser().send(`${base}/login`, {
      method: "POST",
      body: new URLSearchParams({ provider: "oidc" }),
      headers: { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil.example" },
    });
    assert.equal(
      new URL(response.headers.get("location")!).searchParams.get("redirect_uri"),
      `${base}/api/auth/callback/oidc`,
    );
  });

  it("signing out ends the session on the server, from our own pages only (SIGN-7)", async () => {
    const browser = await signIn(base, "ada@example.com");
    for (const headers of [{}, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }] as Record<
      string,
      string
    >[]) {
      assert.equal((await browser.send(`${base}/api/sign-out`, { method: "POST", headers })).status, 403);
    }
    const kept = browser.cookies.copy();
    const gone = await browser.send(`${base}/api/sign-out`, { method: "POST", headers: { origin: base } });
    assert.equal(gone.status, 204);
    assert.equal(browser.cookies.get("atelier"), undefined);
    assert.equal(await who(createHttpBrowser(kept)), undefined);
    assert.equal(
      (await browser.send(`${base}/api/sign-out`, { method: "POST", headers: { origin: base } })).status,
      204,
    );
    assert.equal((await browser.send(`${base}/api/sign-out`, { headers: { origin: base } })).status, 404);
  });

  it("a sign-in begun before a restart is finished after it, and sessions live on (C5)", async () => {
    const person = await signIn(base, "ada@example.com");
    const browser = createHttpBrowser();
    const url = await untilCallback(browser, "grace@example.com");
    await server.close();
    server = await startSignInServer({
      deps: fixture.deps,
      base,
      identityProviders: [issuer.settings, other.settings],
      log,
    });
    await browser.open(url);
    assert.equal((await who(browser))?.email, "grace@example.com");
    assert.match((await person.open(`${base}/login`)).text, /ada@example\.com/);
  });

  it("hostile claims are kept as text", async () => {
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

  it("no log line holds a cookie, code, state or token (L4)", async () => {
    lines.length = 0;
    const browser = createHttpBrowser();
    const url = new URL(await untilCallback(browser, "ada@example.com"));
    const pending = browser.cookies.get("atelier-sign-in")!.value;
    await browser.open(url.href);
    issuer.setForgery({ signature: "none" });
    await browser.open(await untilCallback(browser, "ada@example.com"));
    const secrets = [
      url.searchParams.get("code")!,
      url.searchParams.get("state")!,
      pending,
      browser.cookies.get("atelier")!.value,
      issuer.clientSecret,
      "ada@example.com",
    ];
    for (const secret of secrets) assert.ok(!lines.join("").includes(secret));
  });

  it("pages forbid framing, storing and script", async () => {
    const page = await createHttpBrowser().open(`${base}/login`);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, new RegExp(`form-action 'self' ${issuer.issuer}`));
    assert.equal(page.headers.get("referrer-policy"), "same-origin");
    assert.equal(page.headers.get("cache-control"), "no-store");
  });

  it("people of a test and of an issuer are not mixed", async () => {
    const person = await newUser(fixture.deps, { email: "ada@example.com" });
    assert.notEqual((await who(await signIn(base, "ada@example.com")))?.id, person.user.id);
  });
});
