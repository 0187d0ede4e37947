import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, it } from "node:test";
import { createSessions } from "#auth/sign-in.ts";
import { createHttpBrowser, signIn, signInFromPage, type HttpBrowser } from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl, startService } from "../support/service.ts";

forEachEngine("the development issuer", (fixture) => {
  let server: SignInServer;
  let base: string;

  before(async () => {
    server = await startSignInServer({ deps: fixture.deps });
    ({ base } = server);
  });
  after(() => server.close());

  const who = (browser: HttpBrowser) =>
    createSessions({ deps: fixture.deps, base }).find(browser.cookies.header(new URL(base)));
  const askedBy = async (browser: HttpBrowser) => browser.submit(await browser.open(`${base}/login?switch=1`));

  it("signs anyone in with one text field and one button, on pages without script (SIGN-3, SIGN-8)", async () => {
    const browser = createHttpBrowser();
    const page = await askedBy(browser);
    assert.equal(page.forms.length, 1);
    assert.deepEqual(page.forms[0]!.textFields, ["email"]);
    assert.deepEqual(page.forms[0]!.buttons, ["Sign in"]);
    assert.doesNotMatch(page.text, /<script|style=/);
    assert.equal(page.headers.get("cache-control"), "no-store");
    await browser.submit(page, { email: " Grace.Hopper@Example.com" });
    const user = await who(browser);
    assert.deepEqual(
      [user?.name, user?.email, user?.emailVerified],
      ["Grace Hopper", "grace.hopper@example.com", true],
    );
  });

  it("an address is one person, whatever its case, today and after a restart at another port", async () => {
    const first = await who(await signIn(base, "ada@example.com"));
    assert.equal((await who(await signIn(base, "ADA@example.com")))?.id, first?.id);
    const elsewhere = await startSignInServer({ deps: fixture.deps, base: await findFreeBaseUrl() });
    const browser = await signIn(elsewhere.base, "ada@example.com");
    assert.equal((await who(browser))?.id, first?.id);
    await elsewhere.close();
  });

  it("addresses in other scripts sign in too", async () => {
    assert.equal((await who(await signIn(base, "zoë@exämple.com")))?.email, "zoë@exämple.com");
  });

  it("what is no address is asked for again, with the reason", async () => {
    for (const typed of ["", "ada", "a@b@c", '"><script>alert(1)</script>', "x".repeat(400)]) {
      const browser = createHttpBrowser();
      const page = await browser.submit(await askedBy(browser), { email: typed });
      assert.equal(page.status, 400);
      assert.match(page.text, /Enter a valid email/);
      assert.doesNotMatch(page.text, /<script/);
      assert.equal(page.forms[0]!.fields["email"], typed);
      await browser.submit(page, { email: "ada@example.com" });
      assert.equal((await who(browser))?.email, "ada@example.com");
    }
  });

  it("remembers who used it on this browser, and asks every time", async () => {
    const browser = await signIn(base, "ada@example.com");
    await signIn(base, "grace@example.com", browser);
    const page = await askedBy(browser);
    assert.deepEqual(
      page.forms.map(({ buttons }) => buttons[0]),
      ["Sign in", "Grace grace@example.com", "Ada ada@example.com"],
    );
    assert.deepEqual(
      page.forms.map(({ textFields }) => textFields.length),
      [1, 0, 0],
    );
    await browser.submit(page, {}, 2);
    assert.equal((await who(browser))?.email, "ada@example.com");
    browser.cookies.store(new URL(`${base}/dev-idp/`), ["atelier_dev_people=e30; Path=/dev-idp"]);
    assert.equal((await askedBy(browser)).forms.length, 1);
  });

  it("takes no form of another site, and none of a browser that is not signing in (A16)", async () => {
    const browser = createHttpBrowser();
    const page = await askedBy(browser);
    const action = page.forms[0]!.action.href;
    const body = new URLSearchParams({ email: "ada@example.com" });
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }] as Record<
      string,
      string
    >[]) {
      assert.equal((await browser.send(action, { method: "POST", body, headers })).status, 403);
    }
    assert.equal((await createHttpBrowser().send(action, { method: "POST", body })).status, 400);
    assert.equal((await createHttpBrowser().open(action)).status, 400);
  });

  it("answers this machine only: no request that was forwarded (SIGN-4)", async () => {
    for (const name of ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "via", "x-real-ip"]) {
      for (const path of [
        "/dev-idp/.well-known/openid-configuration",
        "/dev-idp/auth",
        "/dev-idp/sign-in/x",
        "/dev-idp/token",
      ]) {
        assert.equal(
          (await createHttpBrowser().send(base + path, { headers: { [name]: "127.0.0.1" } })).status,
          403,
          `${name} ${path}`,
        );
      }
    }
  });

  it("its addresses come from settings, whatever the request calls us (SIGN-9)", async () => {
    const other = `127.0.0.1:${new URL(base).port}`;
    const document = await new Promise<string>((resolve, reject) => {
      const req = request(`http://${other}/dev-idp/.well-known/openid-configuration`, (res) => {
        let text = "";
        res.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => resolve(text));
      });
      req.on("error", reject).end();
    });
    const metadata = JSON.parse(document) as Record<string, unknown>;
    assert.equal(metadata["issuer"], `${base}/dev-idp`);
    for (const [name, value] of Object.entries(metadata)) {
      if (typeof value === "string" && value.startsWith("http"))
        assert.ok(value.startsWith(`${base}/dev-idp`), `${name}: ${value}`);
    }
    assert.ok(!document.includes(other));
  });

  it("serves our own sign-in only, with PKCE", async () => {
    const good = {
      client_id: "atelier",
      response_type: "code",
      scope: "openid",
      redirect_uri: `${base}/api/auth/callback/dev`,
    };
    const wrong: Record<string, string>[] = [
      { client_id: "someone" },
      { redirect_uri: "https://evil.example/" },
      { redirect_uri: `${base}/elsewhere` },
    ];
    for (const change of wrong) {
      const response = await createHttpBrowser().send(
        `${base}/dev-idp/auth?${new URLSearchParams({ ...good, ...change }).toString()}`,
      );
      assert.deepEqual([response.status, response.headers.get("location")], [400, null]);
      assert.match(await response.text(), /The sign-in failed/);
    }
    const bare = await createHttpBrowser().send(`${base}/dev-idp/auth?${new URLSearchParams(good).toString()}`);
    assert.equal(new URL(bare.headers.get("location")!).searchParams.get("error"), "invalid_request");
  });

  it("two tabs can choose two people at the same time", async () => {
    const browser = createHttpBrowser();
    const first = await askedBy(browser);
    const second = await askedBy(browser);
    await browser.submit(first, { email: "one@example.com" });
    assert.equal((await who(browser))?.email, "one@example.com");
    await browser.submit(second, { email: "two@example.com" });
    assert.equal((await who(browser))?.email, "two@example.com");
  });

  it("a page asked for under another name of this machine is sent to ours", async () => {
    const response = await createHttpBrowser().send(`http://127.0.0.1:${new URL(base).port}/login?return_to=/x`);
    assert.deepEqual([response.status, response.headers.get("location")], [307, `${base}/login?return_to=/x`]);
  });

  it("is not there where a provider is configured", async () => {
    const settings = { id: "oidc", name: "One", issuer: "https://idp.example", clientId: "x", clientSecret: undefined };
    const configured = await startSignInServer({ deps: fixture.deps, identityProviders: [settings] });
    assert.equal(
      (await createHttpBrowser().send(`${configured.base}/dev-idp/.well-known/openid-configuration`)).status,
      404,
    );
    await configured.close();
  });

  it("the sign-in page is where settings say (VAR-LOGIN_URL)", async () => {
    const at = await findFreeBaseUrl();
    const moved = await startService(fixture.deps, { base: at, env: { LOGIN_URL: `${at}/hello` } });
    const page = await createHttpBrowser().open(`${at}/hello?return_to=/x`);
    assert.equal(page.forms[0]!.action.pathname, "/hello");
    await moved.close();
  });

  it("leads back to where one wanted to go", async () => {
    const browser = createHttpBrowser();
    const arrived = await signInFromPage(
      browser,
      await browser.open(`${base}/login?return_to=/consent/abc`),
      "ada@example.com",
    );
    assert.equal(arrived.url.href, `${base}/consent/abc`);
  });
});
