import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { it } from "node:test";
import { createSessions } from "#auth/sign-in.ts";
import { createHttpBrowser, signIn, type HttpBrowser } from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import { startSignInServer } from "../support/sign-in-server.ts";
import { useService } from "../support/oauth-fixture.ts";
import { findFreeBaseUrl, startService } from "../support/service.ts";

forOneEngine("dev issuer", (fixture) => {
  const service = useService(fixture);

  const findSignedInUser = async (browser: HttpBrowser) =>
    (await createSessions(service).find(browser.cookies.header(new URL(service.base))))?.user;
  const openEmailPage = async (browser: HttpBrowser) =>
    browser.submit(await browser.open(`${service.base}/login?switch=1`));

  it("signs in any email with one text field and one button, on pages without scripts (SIGN-3, SIGN-8)", async () => {
    const browser = createHttpBrowser();
    const page = await openEmailPage(browser);
    assert.equal(page.forms.length, 1);
    assert.deepEqual(page.forms[0]!.textFields, ["email"]);
    assert.deepEqual(page.forms[0]!.buttons, ["Sign in"]);
    assert.doesNotMatch(page.text, /<script|style=/);
    assert.equal(page.headers.get("cache-control"), "no-store");
    await browser.submit(page, { email: " Grace.Hopper@Example.com" });
    const user = await findSignedInUser(browser);
    assert.deepEqual(
      [user?.name, user?.email, user?.emailVerified],
      ["Grace Hopper", "grace.hopper@example.com", true],
    );
  });

  it("maps an email to the same user, regardless of case and after a restart on another port", async () => {
    const firstUser = await findSignedInUser(await signIn(service.base, "ada@example.com"));
    assert.equal((await findSignedInUser(await signIn(service.base, "ADA@example.com")))?.id, firstUser?.id);
    assert.equal((await findSignedInUser(await signIn(service.base, "zoë@exämple.com")))?.email, "zoë@exämple.com");
    const restartedServer = await startSignInServer({ deps: fixture.deps, base: await findFreeBaseUrl() });
    const browser = await signIn(restartedServer.base, "ada@example.com");
    assert.equal((await findSignedInUser(browser))?.id, firstUser?.id);
    await restartedServer.close();
  });

  it("shows the form again with an error for an invalid email", async () => {
    for (const email of ["", "ada", "a@b@c", '"><script>alert(1)</script>', "x".repeat(400)]) {
      const browser = createHttpBrowser();
      const page = await browser.submit(await openEmailPage(browser), { email });
      assert.equal(page.status, 400);
      assert.match(page.text, /Enter a valid email/);
      assert.doesNotMatch(page.text, /<script/);
      assert.equal(page.forms[0]!.fields["email"], email);
      await browser.submit(page, { email: "ada@example.com" });
      assert.equal((await findSignedInUser(browser))?.email, "ada@example.com");
    }
  });

  it("lists users who signed in with this browser before, and never signs one in automatically", async () => {
    const browser = await signIn(service.base, "ada@example.com");
    await signIn(service.base, "grace@example.com", browser);
    const page = await openEmailPage(browser);
    assert.deepEqual(
      page.forms.map(({ buttons }) => buttons[0]),
      ["Sign in", "Grace grace@example.com", "Ada ada@example.com"],
    );
    assert.deepEqual(
      page.forms.map(({ textFields }) => textFields.length),
      [1, 0, 0],
    );
    await browser.submit(page, {}, 2);
    assert.equal((await findSignedInUser(browser))?.email, "ada@example.com");
    browser.cookies.store(new URL(`${service.base}/dev-idp/`), ["atelier_dev_people=e30; Path=/dev-idp"]);
    assert.equal((await openEmailPage(browser)).forms.length, 1);
  });

  it("rejects a form from another site or from a browser that has not started sign-in (A16)", async () => {
    const browser = createHttpBrowser();
    const page = await openEmailPage(browser);
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

  it("rejects forwarded requests (SIGN-4)", async () => {
    for (const name of ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "via", "x-real-ip"]) {
      for (const path of [".well-known/openid-configuration", "auth", "sign-in/x", "token"]) {
        const { status } = await fetch(`${service.base}/dev-idp/${path}`, { headers: { [name]: "127.0.0.1" } });
        assert.equal(status, 403, `${name} ${path}`);
      }
    }
  });

  it("says that BASE_URL leads to a proxy, and which settings to change (SIGN-4)", async () => {
    const [proxyBase, serviceBase] = [await findFreeBaseUrl(), await findFreeBaseUrl()];
    const proxiedService = await startService(fixture.deps, {
      base: proxyBase,
      env: { PORT: new URL(serviceBase).port },
    });
    const proxy = createServer((req, res) => {
      const headers = { ...req.headers, "x-forwarded-for": "127.0.0.1" };
      const forwardedRequest = request(`${serviceBase}${req.url}`, { method: req.method, headers }, (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(res);
      });
      req.pipe(forwardedRequest);
    });
    proxy.listen(Number(new URL(proxyBase).port), "127.0.0.1");
    await once(proxy, "listening");
    try {
      const browser = createHttpBrowser();
      const failurePage = await browser.submit(await browser.open(`${proxyBase}/login`));
      assert.equal(failurePage.status, 502);
      assert.ok(failurePage.text.includes(`at BASE_URL (${proxyBase})`), failurePage.text);
      assert.match(failurePage.text, /not to that of a proxy.*OIDC_ISSUER/s);
      const signInPage = await browser.open(`${proxyBase}/dev-idp/sign-in/x`);
      assert.equal(signInPage.status, 403);
      assert.ok(signInPage.text.includes(`BASE_URL (${proxyBase}) leads to a proxy`), signInPage.text);
      const headers = { "x-forwarded-for": "127.0.0.1", host: new URL(serviceBase).host };
      const otherHost = await createHttpBrowser().send(`${serviceBase}/dev-idp/token`, { headers });
      assert.match(await otherHost.text(), /does not work behind a proxy.*Open http:/);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
      await proxiedService.close();
    }
  });

  it("accepts authorization requests only from the server's own client, with PKCE", async () => {
    const validParams = {
      client_id: "atelier",
      response_type: "code",
      scope: "openid",
      redirect_uri: `${service.base}/api/auth/callback/dev`,
    };
    const invalidOverrides: Record<string, string>[] = [
      { client_id: "unknown" },
      { redirect_uri: "https://evil.example/" },
      { redirect_uri: `${service.base}/elsewhere` },
    ];
    const send = (params: Record<string, string>) =>
      createHttpBrowser().send(`${service.base}/dev-idp/auth?${new URLSearchParams(params).toString()}`);
    for (const overrides of invalidOverrides) {
      const response = await send({ ...validParams, ...overrides });
      assert.deepEqual([response.status, response.headers.get("location")], [400, null]);
      assert.match(await response.text(), /Sign-in failed/);
    }
    const withoutPkce = await send(validParams);
    assert.equal(new URL(withoutPkce.headers.get("location")!).searchParams.get("error"), "invalid_request");
  });

  it("redirects a page requested on another loopback host to the base URL", async () => {
    const response = await createHttpBrowser().send(
      `http://127.0.0.1:${new URL(service.base).port}/login?return_to=/x`,
    );
    assert.deepEqual([response.status, response.headers.get("location")], [307, `${service.base}/login?return_to=/x`]);
  });

  it("is not mounted if an identity provider is configured", async () => {
    const settings = { id: "oidc", name: "One", issuer: "https://idp.example", clientId: "x", clientSecret: undefined };
    const configuredServer = await startSignInServer({ deps: fixture.deps, identityProviders: [settings] });
    assert.equal((await fetch(`${configuredServer.base}/dev-idp/.well-known/openid-configuration`)).status, 404);
    await configuredServer.close();
  });

  it("serves the sign-in page at the configured URL (VAR-LOGIN_URL)", async () => {
    const serviceBase = await findFreeBaseUrl();
    const movedService = await startService(fixture.deps, {
      base: serviceBase,
      env: { LOGIN_URL: `${serviceBase}/hello` },
    });
    const page = await createHttpBrowser().open(`${serviceBase}/hello?return_to=/x`);
    assert.equal(page.forms[0]!.action.pathname, "/hello");
    await movedService.close();
  });
});
