import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { before, test } from "node:test";
import { minutes } from "#lib/clock.ts";
import {
  createHttpBrowser,
  createCookieJar,
  signIn,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forEachEngine, forOneEngine, type Fixture } from "../support/engines.ts";
import {
  createAuthorization,
  connectClient,
  createStudio,
  exchangeCode,
  registerClient,
  openConsent,
  readCallback,
  createOAuthBrowser,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { useService } from "../support/oauth-fixture.ts";

const email = "owner@example.com";

interface ConsentOverrides {
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  path?: string;
}

/** Submits the consent form of the page, with any part of the request overridden. */
function postConsent(
  browser: HttpBrowser,
  { url, forms: [form] }: LoadedPage,
  { fields, headers, path = url.pathname }: ConsentOverrides = {},
): Promise<Response> {
  return browser.send(`${url.origin}${path}`, {
    method: "POST",
    body: new URLSearchParams({ ...form?.fields, decision: "approve", ...fields }),
    headers: { origin: url.origin, "sec-fetch-site": "same-origin", ...headers },
  });
}

const countGrantRows = async ({ database }: Fixture): Promise<number> =>
  (await database.q.selectFrom("grants").select("id").execute()).length;

forOneEngine("oauth consent", (fixture) => {
  const service = useService(fixture);
  let client: OAuthClient;
  let browser: HttpBrowser;
  before(async () => {
    client = await registerClient(service.base, { client_name: "Helper" });
    ({ browser } = await connectClient(service.base, { client, email }));
    await createStudio(service.base, browser, "North & <Sons>");
  });

  const countGrants = (): Promise<number> => countGrantRows(fixture);
  const openConsentPage = (overrides: Record<string, string> = {}, oauthClient = client) => {
    const { url } = createAuthorization(service.base, oauthClient, overrides);
    return openConsent(browser, url, email);
  };
  const submitConsent = (
    page: LoadedPage,
    { browser: submitter = browser, ...overrides }: ConsentOverrides & { browser?: HttpBrowser } = {},
  ): Promise<Response> => postConsent(submitter, page, overrides);

  test("the page names the client, its redirect host, the user, the studio and the requested access (AUTHZ-3)", async () => {
    const page = await openConsentPage();
    const text = getVisibleText(page);
    for (const expectedText of [
      ...["Helper", "unverified name", email, "View and edit", "View only", "AI clients"],
      "If you approve, access goes to client.example",
      "North &#38; &#60;Sons&#62; (you’re an owner)",
      "Access ends after 30 days without use, and at the latest 90 days after you approve it.",
    ])
      assert.ok(text.includes(expectedText), `${expectedText} in ${text}`);
    assert.deepEqual(page.forms[0]?.buttons, ["Approve", "Cancel"]);
    assert.match(page.text, /class="proof unverified"><svg [^>]*aria-hidden/);
    assert.match(page.text, /href="\/login\?switch=1&amp;return_to=%2Fconsent%2F/);
    assert.doesNotMatch(page.text, /<script|\son\w+=|style=/i);
  });

  test("the page lists what the tools can do for the role; only owners and admins see platforms (AUTHZ-3)", async () => {
    const listAbilities = async () =>
      /<ul id="write-abilities">([\s\S]*?)<\/ul>/.exec((await openConsentPage()).text)?.[1] ?? "";
    const { q } = fixture.database;
    const user = await q.selectFrom("users").select("id").where("email", "=", email).executeTakeFirstOrThrow();
    const setRole = (role: "owner" | "member") =>
      q.updateTable("memberships").set({ role }).where("userId", "=", user.id).execute();
    assert.match(await listAbilities(), /Start connecting a social account/);
    await setRole("member");
    const asMember = await listAbilities();
    await setRole("owner");
    assert.match(asMember, /Create, edit, comment on, archive and delete posts/);
    assert.doesNotMatch(asMember, /Start connecting/);
  });

  test("the page cannot be framed, cached, or made to submit to another origin (A17, W2)", async () => {
    const { headers } = await openConsentPage();
    const policy = headers.get("content-security-policy") ?? "";
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy.includes(directive), policy);
    assert.match(policy, /form-action 'self' https:\/\/client\.example;/);
    assert.doesNotMatch(policy, /unsafe|script-src|\*/);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.match(headers.get("cache-control") ?? "", /no-store/);
    // Not no-referrer: a form page with it sends `Origin: null`, which the CSRF check rejects.
    assert.equal(headers.get("referrer-policy"), "same-origin");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  });

  test("warns about a program on this device and about an app (AUTHZ-3, A17)", async () => {
    const loopbackClient = await registerClient(service.base, { redirect_uris: ["http://localhost:1234/cb"] });
    const appClient = await registerClient(service.base, {
      redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    });
    const loopbackPage = await openConsentPage({}, loopbackClient);
    assert.match(loopbackPage.text, /class="warning"[\s\S]*program on this device/);
    assert.match(getVisibleText(loopbackPage), /If you approve, access goes to localhost:1234/);
    const appPage = await openConsentPage({}, appClient);
    assert.match(appPage.text, /class="warning"[\s\S]*cursor:\/\//);
    assert.match(appPage.headers.get("content-security-policy") ?? "", /form-action 'self' cursor:;/);
    const webPage = await openConsentPage();
    assert.doesNotMatch(webPage.text, /class="warning"/);
    const callback = await browser.submit(appPage, { decision: "approve" });
    assert.match(callback.url.href, /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/);
  });

  test("Cancel redirects to the client with access_denied and creates no grant (AUTHZ-3)", async () => {
    const before = await countGrants();
    const { url, state } = createAuthorization(service.base, client);
    const callbackPage = await browser.submit(await openConsent(browser, url, email), { decision: "cancel" });
    const params = readCallback(callbackPage, service.base);
    assert.deepEqual(
      ["error", "state", "code"].map((name) => params.get(name)),
      ["access_denied", state, null],
    );
    assert.equal(await countGrants(), before);
  });

  /** Approves a request for the scope with these fields of the form; returns the granted scope. */
  async function approve(scope: string | undefined, fields: Record<string, string>): Promise<string> {
    const { url, verifier } = createAuthorization(service.base, client, { scope });
    const page = await openConsent(browser, url, email);
    const callbackPage = await browser.submit(page, { decision: "approve", ...fields });
    const code = readCallback(callbackPage, service.base).get("code") ?? "";
    return (await exchangeCode(service.base, { client, code, verifier })).body.scope as string;
  }

  test("the user may choose view-only access, and has no other choice if the client requested nothing else (SCOPE-2)", async () => {
    assert.equal(await approve(undefined, { access: "read" }), "studio:read");
    assert.doesNotMatch((await openConsentPage({ scope: "studio:read" })).text, /value="write"/);
    // A forged form cannot widen the access: the grant is limited to the requested scope.
    assert.equal(await approve("studio:read", { access: "write" }), "studio:read");
  });

  test("publishing without asking is offered only if requested, is not preselected, and requires access to edit (SCOPE-2, PUB-3)", async () => {
    for (const scope of ["", "studio:read studio:write", "studio:read studio:publish"])
      assert.doesNotMatch((await openConsentPage(scope === "" ? {} : { scope })).text, /Publish without asking/, scope);
    const scope = "studio:read studio:write studio:publish";
    const page = await openConsentPage({ scope });
    assert.match(getVisibleText(page), /Publish without asking/);
    assert.doesNotMatch(page.text, /<input type="checkbox"[^>]*checked/);
    assert.equal(await approve(scope, { access: "write", publish: "on" }), scope);
    assert.equal(await approve(scope, { access: "read", publish: "on" }), "studio:read");
  });

  test("shows a notice to a user without a studio, who may still approve (AUTHZ-3)", async () => {
    const newUserBrowser = createOAuthBrowser(service.base);
    const { url } = createAuthorization(service.base, client);
    const page = await openConsent(newUserBrowser, url, "newcomer@example.com");
    assert.match(getVisibleText(page), /You have no studio yet/);
    assert.equal(page.forms.length, 1);
    assert.ok(readCallback(await newUserBrowser.submit(page, { decision: "approve" }), service.base).get("code"));
  });

  test("every authorization shows the consent page, even for a client that has a grant (AUTHZ-4, A18)", async () => {
    const sameNameClient = await registerClient(service.base, { client_name: "Helper" });
    for (const oauthClient of [client, client, sameNameClient]) {
      const page = await browser.open(createAuthorization(service.base, oauthClient).url);
      assert.match(page.url.pathname, /^\/consent\//);
      assert.equal(page.status, 200);
    }
  });

  test("only the browser that started a consent can continue it (A16)", async () => {
    const page = await openConsentPage();
    const uid = page.url.pathname.split("/")[2] ?? "";
    const before = await countGrants();
    // Another signed-in user receives the link to a pending consent, or the URL that resumes it.
    const victim = createOAuthBrowser(service.base);
    await connectClient(service.base, { client, email: "victim@example.com", browser: victim });
    const openedPage = await victim.open(page.url.href);
    assert.equal(openedPage.status, 404);
    assert.doesNotMatch(openedPage.text, /Approve|Helper/);
    assert.equal((await submitConsent(page, { browser: victim })).status, 404);
    assert.equal((await victim.open(`${service.base}/api/auth/oauth2/authorize/${uid}`)).status, 400);
    // Unsigned cookies that the attacker plants do not help either.
    const jar = victim.cookies.copy();
    jar.store(page.url, [`atelier_approval=${uid}; path=${page.url.pathname}`, `atelier-approval-${uid}=1; path=/`]);
    assert.equal((await createOAuthBrowser(service.base, jar).open(page.url.href)).status, 404);
    assert.equal((await browser.open(page.url.href)).status, 200);
    assert.equal(await countGrants(), before + 1, "only the grant that the victim approved");
  });

  test("a form shown to one user is rejected for the next user of the same browser (A16)", async () => {
    const sharedBrowser = createOAuthBrowser(service.base);
    const page = await openConsent(sharedBrowser, createAuthorization(service.base, client).url, "first@example.com");
    await signIn(service.base, "second@example.com", sharedBrowser);
    assert.equal((await submitConsent(page, { browser: sharedBrowser })).status, 403);
    const reopenedPage = await sharedBrowser.open(page.url.href);
    assert.match(getVisibleText(reopenedPage), /second@example\.com/);
  });

  test("shows the page again if the user's active studio is no longer the one it shows (AUTHZ-3)", async () => {
    const page = await openConsentPage();
    const before = await countGrants();
    await createStudio(service.base, browser, "South");
    const response = await submitConsent(page);
    assert.deepEqual([response.status, response.headers.get("location")], [303, page.url.pathname]);
    assert.equal(await countGrants(), before);
    const reopenedPage = await browser.open(page.url.href);
    assert.match(getVisibleText(reopenedPage), /South \(you’re an owner\)/);
    await submitConsent(reopenedPage);
    assert.equal(await countGrants(), before + 1);
  });

  test("creates no grant without the token of the form, from another origin, or by GET (A17, W1)", async () => {
    const page = await openConsentPage();
    const otherPage = await openConsentPage();
    const before = await countGrants();
    const forgedRequests = {
      "no token": { fields: { token: "" } },
      "an invalid token": { fields: { token: "x.y.z" } },
      "another form's token": { fields: { token: otherPage.forms[0]?.fields["token"] ?? "" } },
      "another site": { headers: { origin: "https://evil.example" } },
      "a null origin": { headers: { origin: "null" } },
      "a same-site request": { headers: { "sec-fetch-site": "same-site" } },
      "a cross-site request": { headers: { "sec-fetch-site": "cross-site" } },
    };
    for (const [name, overrides] of Object.entries(forgedRequests)) {
      const response = await submitConsent(page, overrides);
      assert.equal(response.status, 403, name);
      assert.equal(response.headers.get("location"), null);
    }
    for (const fields of [{ decision: "" }, { access: "" }, { access: "__proto__" }, { access: "constructor" }])
      assert.equal((await submitConsent(page, { fields: fields as Record<string, string> })).status, 400);
    const getResponse = await browser.send(`${page.url.href}?decision=approve&token=${page.forms[0]?.fields["token"]}`);
    assert.equal(getResponse.headers.get("location"), null);
    for (const method of ["PUT", "DELETE", "PATCH"])
      assert.equal((await browser.send(page.url.href, { method })).status, 404, method);
    assert.equal((await submitConsent(page, { headers: { "content-type": "application/json" } })).status, 415);
    assert.equal((await submitConsent(page, { fields: { more: "x".repeat(20_000) } })).status, 413);
    assert.equal((await submitConsent(page, { browser: createOAuthBrowser(service.base) })).status, 403, "signed out");
    assert.equal(await countGrants(), before);
    assert.equal((await submitConsent(page)).status, 303, "the form is still valid");
    assert.equal(await countGrants(), before + 1);
  });

  test("rejects a form that was open for half an hour (A17)", async () => {
    const page = await openConsentPage();
    fixture.clock.advance(minutes(30));
    assert.equal((await submitConsent(page)).status, 403);
  });

  test("the cookies of a consent are limited to its path and hidden from scripts (W3)", async () => {
    const page = await openConsentPage();
    const uid = page.url.pathname.split("/")[2] ?? "";
    const consentCookies = browser.cookies.all().filter(({ path }) => path.endsWith(`/${uid}`));
    const names = consentCookies.map(({ name }) => name).toSorted();
    assert.deepEqual(names, ["atelier_approval", "atelier_approval.sig", "atelier_resume", "atelier_resume.sig"]);
    for (const { attributes } of consentCookies)
      assert.ok("httponly" in attributes && attributes["samesite"] === "lax");
    assert.ok(!browser.cookies.all().some(({ name }) => name.startsWith("atelier_unused")));
  });

  test("cookies planted by a sibling domain cannot make a user continue a consent of the attacker (A16, W3)", async () => {
    const { url } = createAuthorization(service.base, client);
    const attacker = createOAuthBrowser(service.base);
    const loginUrl = new URL((await attacker.send(url)).headers.get("location") ?? "", service.base);
    const path = loginUrl.searchParams.get("return_to") ?? "";
    // A sibling domain can set a cookie with a path, like those of the OAuth library, but no `__Host-` cookie.
    const plantedCookies = attacker.cookies.all().filter(({ path }) => path !== "/");
    assert.equal(plantedCookies.length, 4);
    const victim = createHttpBrowser(createCookieJar([...browser.cookies.all(), ...plantedCookies]));
    const before = await countGrants();
    assert.equal((await victim.open(service.base + path)).status, 404);
    assert.equal((await submitConsent(await openConsentPage(), { browser: victim, path })).status, 404);
    assert.equal(await countGrants(), before);
  });

  test("a browser can have several consents open; their cookies are limited, and removed after the decision (A16, W3)", async () => {
    const startConsent = async () => {
      const { url } = createAuthorization(service.base, client);
      return service.base + ((await browser.send(url)).headers.get("location") ?? "");
    };
    const countCookies = () => browser.cookies.all().filter(({ name }) => name.startsWith("atelier-approval-")).length;
    const [firstUrl = "", ...otherUrls] = await Promise.all(Array.from({ length: 5 }, startConsent));
    const before = countCookies();
    assert.equal((await submitConsent(await browser.open(firstUrl))).status, 303);
    assert.equal(countCookies(), before - 1);
    for (const url of otherUrls) assert.equal((await browser.open(url)).status, 200);
    for (let i = 0; i < 30; i++) await startConsent();
    assert.ok(countCookies() <= 20, `${countCookies()} cookies`);
    assert.equal((await browser.open(await startConsent())).status, 200);
  });

  const httpsBase = "https://atelier.example";
  const httpsService = useService(fixture, {
    config: { base: httpsBase, uploadPage: httpsBase, loginUrl: `${httpsBase}/login` },
  });

  test("with an https base URL, cookies are Secure with a prefix and redirects use https (W3)", async () => {
    const path = createAuthorization(httpsService.base, client, { resource: undefined }).url.slice(
      httpsService.base.length,
    );
    const { headers } = await getWithHost("atelier.example", httpsService.base, path);
    assert.match(headers.location ?? "", /^https:\/\/atelier\.example\/login\?return_to=%2Fconsent%2F/);
    const [ownCookie, ...libraryCookies] = (headers["set-cookie"] ?? []).toSorted();
    assert.match(
      ownCookie ?? "",
      /^__Host-atelier-approval-[\w-]+=1; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(libraryCookies.length, 4);
    for (const cookie of libraryCookies) assert.match(cookie, /^__Secure-atelier_.*; samesite=lax; secure; httponly$/);
    assert.match(String(headers["strict-transport-security"]), /max-age=/);
  });

  const clientNames: [name: string, shown: RegExp, hidden?: RegExp][] = [
    ["<script>alert(1)</script>", /&#60;script&#62;/, /<script>/],
    ['"><img src=x onerror=alert(1)>', /&#34;&#62;&#60;img/, /<img src=x/],
    ["Claude\u202egnp.exe", /Claudegnp\.exe/, /\u202e/],
    ["Cla\u0000ude\u0007\n\n  x", /Claude x/],
    ["\u200b\u200d\u2066", /<q>client\.example<\/q>/],
    // Letters and symbols without a shape.
    ["\u3164\u115f\uffa0\u2800\u034f", /<q>client\.example<\/q>/],
    ["x".repeat(10_000), new RegExp(`<q>${"x".repeat(60)}…</q>`), /x{61}/],
    ["😀".repeat(500), new RegExp(`<q>${"😀".repeat(60)}…</q>`)],
    ["Сlaude", /unverified name/], // the first letter is Cyrillic
    ["", /<q>client\.example<\/q>/],
    ["${7*7}{{7*7}}", /\$\{7\*7\}/, /<q>[^<]*49/],
  ];
  test("escapes, shortens and cleans the client name, and always shows the redirect host (A25, W4)", async () => {
    for (const [name, shown, hidden] of clientNames) {
      const namedClient = await registerClient(service.base, { client_name: name });
      const page = await openConsentPage({}, namedClient);
      assert.match(page.text, shown, name);
      if (hidden) assert.doesNotMatch(page.text, hidden, name);
      assert.match(page.text, /If you approve, access goes to <strong>client\.example<\/strong>/);
      assert.match(page.text, /unverified name/);
    }
  });
});

forEachEngine("oauth consent, repeated requests", (fixture) => {
  const service = useService(fixture);
  let client: OAuthClient;
  let browser: HttpBrowser;
  before(async () => {
    client = await registerClient(service.base);
    ({ browser } = await connectClient(service.base, { client, email }));
  });

  const openConsentPage = () => openConsent(browser, createAuthorization(service.base, client).url, email);

  test("accepts one decision per consent, and rejects repeated, concurrent and later ones (A17)", async () => {
    const page = await openConsentPage();
    const before = await countGrantRows(fixture);
    const responses = await Promise.all(Array.from({ length: 10 }, () => postConsent(browser, page)));
    assert.equal(responses.filter(({ status }) => status === 303).length, 1);
    assert.equal(responses.filter(({ status }) => status === 404).length, 9);
    assert.equal(await countGrantRows(fixture), before + 1);
    assert.equal((await postConsent(browser, page)).status, 404);
    const canceledPage = await openConsentPage();
    assert.equal((await postConsent(browser, canceledPage, { fields: { decision: "cancel" } })).status, 303);
    assert.equal((await postConsent(browser, canceledPage)).status, 404);
    assert.equal(await countGrantRows(fixture), before + 1);
  });

  test("issues one code, however often the resume URL is requested (A17)", async () => {
    const page = await openConsentPage();
    const resumeUrl = (await postConsent(browser, page)).headers.get("location") ?? "";
    const responses = await Promise.all(Array.from({ length: 10 }, () => browser.send(resumeUrl)));
    const codeRedirects = responses.filter(({ headers }) => headers.get("location")?.includes("code="));
    assert.equal(codeRedirects.length, 1);
    assert.ok(responses.every(({ status }) => status === 303 || status === 400));
  });
});

/** Sends a Host header as a reverse proxy would; `fetch` does not allow setting it. */
function getWithHost(host: string, base: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${base}${path}`, { headers: { host } }, (response) => resolve(response.resume()))
      .on("error", reject)
      .end();
  });
}

/** The text of the page on one line, without tags; character references stay encoded. */
function getVisibleText(page: LoadedPage): string {
  return page.text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
}
