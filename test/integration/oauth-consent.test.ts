import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import { minutes } from "#lib/clock.ts";
import {
  createHttpBrowser,
  createCookieJar,
  signIn,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
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
import { startService, type RunningService } from "../support/service.ts";

const email = "owner@example.com";

forEachEngine("oauth consent", (fixture) => {
  let service: RunningService;
  let client: OAuthClient;
  let browser: HttpBrowser;
  before(async () => {
    service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" } });
    client = await registerClient(service.base, { client_name: "Helper" });
    ({ browser } = await connectClient(service.base, { client, email }));
    await createStudio(service.base, browser, "North & <Sons>");
  });
  after(() => service.close());

  const grants = async (): Promise<number> =>
    (await fixture.database.q.selectFrom("grants").select("id").execute()).length;
  const ask = (changed: Record<string, string> = {}, one: OAuthClient = client) => {
    const { url } = createAuthorization(service.base, one, changed);
    return openConsent(browser, url, email);
  };
  /** A POST of the consent form as it stands on the page, with anything about it changed. */
  const send = (
    page: LoadedPage,
    given: { fields?: Record<string, string>; headers?: Record<string, string>; by?: HttpBrowser; path?: string } = {},
  ): Promise<Response> =>
    (given.by ?? browser).send(`${service.base}${given.path ?? page.url.pathname}`, {
      method: "POST",
      body: new URLSearchParams({ ...page.forms[0]?.fields, decision: "approve", ...given.fields }),
      headers: { origin: new URL(service.base).origin, "sec-fetch-site": "same-origin", ...given.headers },
    });

  test("the page says who asks, where the answer goes, for whom, in which studio, and what for (AUTHZ-3)", async () => {
    const page = await ask();
    const text = visible(page);
    for (const said of [
      "Helper",
      "unverified name",
      "Sends access to client.example",
      email,
      "North &#38; &#60;Sons&#62;, as owner",
      "View and edit",
      "View only",
      "90 days",
      "AI clients",
    ])
      assert.ok(text.includes(said), `${said} in ${text}`);
    assert.deepEqual(page.forms[0]?.buttons, ["Approve", "Cancel"]);
    assert.match(page.text, /href="\/login\?switch=1&amp;return_to=%2Fconsent%2F/);
    assert.doesNotMatch(page.text, /<script|\son\w+=|style=/i);
  });

  test("the page lists what the tools can do for the role, and platforms only to owners and admins (AUTHZ-3)", async () => {
    const abilities = async () => {
      const lists = [...(await ask()).text.matchAll(/<ul id="(\w+)-abilities">([\s\S]*?)<\/ul>/g)];
      return new Map(lists.map(([, level = "", items = ""]) => [level, items]));
    };
    const { q } = fixture.database;
    const user = await q.selectFrom("users").select("id").where("email", "=", email).executeTakeFirstOrThrow();
    const setRole = (role: "owner" | "member") =>
      q.updateTable("memberships").set({ role }).where("user_id", "=", user.id).execute();
    const asOwner = await abilities();
    assert.match(asOwner.get("write") ?? "", /Start connecting a social account/);
    assert.match(asOwner.get("write") ?? "", /Create, edit and archive posts/);
    assert.match(asOwner.get("read") ?? "", /Read the studio’s activity/);
    assert.doesNotMatch(asOwner.get("read") ?? "", /connecting|edit|delete/i);
    for (const list of asOwner.values()) assert.doesNotMatch(list, /members/);

    await setRole("member");
    const asMember = await abilities();
    await setRole("owner");
    assert.match(asMember.get("write") ?? "", /Create, edit and archive posts/);
    for (const list of asMember.values()) assert.doesNotMatch(list, /Start connecting|Disconnect|activity/);
  });

  test("the page cannot be framed, kept, or made to send elsewhere (A17, W2)", async () => {
    const { headers } = await ask();
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /base-uri 'none'/);
    assert.match(policy, /form-action 'self' https:\/\/client\.example;/);
    assert.doesNotMatch(policy, /unsafe|script-src|\*/);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.match(headers.get("cache-control") ?? "", /no-store/);
    // Not no-referrer: a form page with it sends `Origin: null`, which the check below refuses.
    assert.equal(headers.get("referrer-policy"), "same-origin");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  });

  test("a program on this computer, and an app, come with a warning (AUTHZ-3, A17)", async () => {
    const loopback = await registerClient(service.base, { redirect_uris: ["http://localhost:1234/cb"] });
    const app = await registerClient(service.base, { redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] });
    const local = await ask({}, loopback);
    assert.match(local.text, /class="warning"[\s\S]*program on this computer/);
    assert.match(visible(local), /Sends access to localhost:1234/);
    const own = await ask({}, app);
    assert.match(own.text, /class="warning"[\s\S]*cursor:\/\//);
    assert.match(own.headers.get("content-security-policy") ?? "", /form-action 'self' cursor:;/);
    const web = await ask();
    assert.doesNotMatch(web.text, /class="warning"/);
    const told = await browser.submit(own, { decision: "approve" });
    assert.match(told.url.href, /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/);
  });

  test("Cancel tells the client, and nothing is granted (AUTHZ-3)", async () => {
    const before = await grants();
    const { url, state } = createAuthorization(service.base, client);
    const told = readCallback(
      await browser.submit(await openConsent(browser, url, email), { decision: "cancel" }),
      service.base,
    );
    assert.equal(told.get("error"), "access_denied");
    assert.equal(told.get("state"), state);
    assert.equal(told.get("code"), null);
    assert.equal(await grants(), before);
  });

  test("view only may be chosen, and is all there is where no more was asked (SCOPE-2)", async () => {
    const chosen = await connectClient(service.base, { client, browser, access: "read" });
    assert.equal(chosen.tokens.scope, "studio:read");
    const page = await ask({ scope: "studio:read" });
    assert.doesNotMatch(page.text, /value="write"/);
    // Nor by a form that says otherwise: the answer is cut to what was asked.
    const { url, verifier } = createAuthorization(service.base, client, { scope: "studio:read" });
    const told = readCallback(
      await browser.submit(await openConsent(browser, url, email), { decision: "approve", access: "write" }),
      service.base,
    );
    const { body } = await exchangeCode(service.base, { client, code: told.get("code") ?? "", verifier });
    assert.equal(body.scope, "studio:read");
  });

  test("someone without a studio is told so, with a link and no form for it, and may approve (AUTHZ-3)", async () => {
    const fresh = createOAuthBrowser(service.base);
    const page = await openConsent(fresh, createAuthorization(service.base, client).url, "nobody@example.com");
    assert.match(visible(page), /You have no studio yet/);
    assert.equal(page.forms.length, 1);
    assert.ok(readCallback(await fresh.submit(page, { decision: "approve" }), service.base).get("code"));
  });

  test("an earlier approval never answers, for the same client or another (AUTHZ-4, A18)", async () => {
    const other = await registerClient(service.base, { client_name: "Helper" });
    for (const one of [client, client, other]) {
      const page = await browser.open(createAuthorization(service.base, one).url);
      assert.match(page.url.pathname, /^\/consent\//);
      assert.equal(page.status, 200);
    }
  });

  test("an approval belongs to the browser that began it (A16)", async () => {
    const page = await ask();
    const before = await grants();
    // Someone else, signed in, is sent the link of a pending approval, or the address that resumes it.
    const victim = createOAuthBrowser(service.base);
    await connectClient(service.base, { client, email: "victim@example.com", browser: victim });
    const opened = await victim.open(page.url.href);
    assert.equal(opened.status, 404);
    assert.doesNotMatch(opened.text, /Approve|Helper/);
    assert.equal((await send(page, { by: victim })).status, 404);
    const resumed = await victim.open(`${service.base}/api/auth/oauth2/authorize/${page.url.pathname.split("/")[2]}`);
    assert.equal(resumed.status, 400);
    // Nor does a cookie that the attacker plants in part.
    const jar = victim.cookies.copy();
    jar.store(page.url, [`atelier_approval=${page.url.pathname.split("/")[2]}; path=${page.url.pathname}`]);
    assert.equal((await createOAuthBrowser(service.base, jar).open(page.url.href)).status, 404, "it is not signed");
    assert.equal((await browser.open(page.url.href)).status, 200);
    assert.equal(await grants(), before + 1, "the victim's own");
  });

  test("a form shown to one person is not good for the next one in the same browser (A16)", async () => {
    const shared = createOAuthBrowser(service.base);
    const page = await openConsent(shared, createAuthorization(service.base, client).url, "first@example.com");
    await connectClient(service.base, {
      client,
      browser: createOAuthBrowser(service.base),
      email: "second@example.com",
    });
    await signIn(service.base, "second@example.com", shared);
    assert.equal((await send(page, { by: shared })).status, 403);
    const again = await shared.open(page.url.href);
    assert.match(visible(again), /second@example\.com/);
  });

  test("without its own token, from elsewhere, or by GET, nothing is granted (A17, W1)", async () => {
    const page = await ask();
    const other = await ask();
    const before = await grants();
    const refused: Record<string, Parameters<typeof send>[1]> = {
      "no token": { fields: { token: "" } },
      "a made-up token": { fields: { token: "x.y.z" } },
      "another form's token": { fields: { token: other.forms[0]?.fields["token"] ?? "" } },
      "another site": { headers: { origin: "https://evil.example" } },
      "no origin at all": { headers: { origin: "null" } },
      "a site beside ours": { headers: { "sec-fetch-site": "same-site" } },
      "across sites": { headers: { "sec-fetch-site": "cross-site" } },
    };
    for (const [why, given] of Object.entries(refused)) {
      const response = await send(page, given);
      assert.equal(response.status, 403, why);
      assert.equal(response.headers.get("location"), null);
    }
    for (const [fields, status] of [
      [{ decision: "" }, 400],
      [{ decision: "approve", access: "" }, 400],
      [{ decision: "approve", access: "__proto__" }, 400],
      [{ decision: "approve", access: "constructor" }, 400],
    ] as const)
      assert.equal((await send(page, { fields })).status, status);
    const got = await browser.send(`${page.url.href}?decision=approve&token=${page.forms[0]?.fields["token"]}`);
    assert.equal(got.headers.get("location"), null);
    for (const method of ["PUT", "DELETE", "PATCH"])
      assert.equal((await browser.send(page.url.href, { method })).status, 404, method);
    const json = await send(page, { headers: { "content-type": "application/json" } });
    assert.equal(json.status, 415);
    assert.equal((await send(page, { fields: { more: "x".repeat(20_000) } })).status, 413);
    assert.equal((await send(page, { by: createOAuthBrowser(service.base) })).status, 403, "nobody signed in");
    assert.equal(await grants(), before);
    assert.equal((await send(page)).status, 303, "and the form is still good");
    assert.equal(await grants(), before + 1);
  });

  test("an approval is answered once: later, at the same time, or after Cancel (A17)", async () => {
    const page = await ask();
    const before = await grants();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(page)));
    assert.equal(answers.filter(({ status }) => status === 303).length, 1);
    assert.equal(answers.filter(({ status }) => status === 404).length, 9);
    assert.equal(await grants(), before + 1);
    assert.equal((await send(page)).status, 404);
    const cancelled = await ask();
    assert.equal((await send(cancelled, { fields: { decision: "cancel" } })).status, 303);
    assert.equal((await send(cancelled)).status, 404);
    assert.equal(await grants(), before + 1);
  });

  test("a code is given once, however often the way back is asked for (A17)", async () => {
    const page = await ask();
    const back = (await send(page)).headers.get("location") ?? "";
    const answers = await Promise.all(Array.from({ length: 10 }, () => browser.send(back)));
    const codes = answers.filter(({ headers }) => headers.get("location")?.includes("code="));
    assert.equal(codes.length, 1);
    assert.ok(answers.every(({ status }) => status === 303 || status === 400));
  });

  test("a page left open for half an hour is too old (A17)", async () => {
    const page = await ask();
    fixture.clock.advance(minutes(30));
    assert.equal((await send(page)).status, 403);
  });

  test("the cookies of an approval are bound to it and out of reach of scripts (W3)", async () => {
    const page = await ask();
    const uid = page.url.pathname.split("/")[2] ?? "";
    const mine = browser.cookies.all().filter(({ path }) => path.endsWith(`/${uid}`));
    const names = mine.map(({ name }) => name).toSorted();
    assert.deepEqual(names, ["atelier_approval", "atelier_approval.sig", "atelier_resume", "atelier_resume.sig"]);
    for (const { attributes } of mine) assert.ok("httponly" in attributes && attributes["samesite"] === "lax");
    assert.ok(!browser.cookies.all().some(({ name }) => name.startsWith("atelier_unused")));
  });

  test("cookies of an approval that a sister domain planted lead nobody into what someone else began (A16, W3)", async () => {
    const { url } = createAuthorization(service.base, client);
    const eve = createOAuthBrowser(service.base);
    const begun = new URL((await eve.send(url)).headers.get("location") ?? "", service.base);
    const path = begun.searchParams.get("return_to") ?? "";
    // A cookie for the whole domain can name a path, and so be taken for the library's; a `__Host-` one nobody else sets.
    const planted = eve.cookies.all().filter((one) => one.path !== "/");
    assert.equal(planted.length, 4);
    const victim = createHttpBrowser(createCookieJar([...browser.cookies.all(), ...planted]));
    const before = await grants();
    assert.equal((await victim.open(service.base + path)).status, 404);
    assert.equal((await send(await ask(), { by: victim, path })).status, 404);
    assert.equal(await grants(), before);
  });

  test("many approvals can be begun at once in one browser; what it keeps of them is bounded, and goes when they are answered (A16, W3)", async () => {
    const begin = async () => {
      const { url } = createAuthorization(service.base, client);
      return service.base + ((await browser.send(url)).headers.get("location") ?? "");
    };
    const kept = () => browser.cookies.all().filter(({ name }) => name.startsWith("atelier-approval-")).length;
    const [first = "", ...rest] = await Promise.all(Array.from({ length: 5 }, begin));
    const before = kept();
    assert.equal((await send(await browser.open(first))).status, 303);
    assert.equal(kept(), before - 1);
    for (const one of rest) assert.equal((await browser.open(one)).status, 200);
    for (let i = 0; i < 30; i++) await begin();
    assert.ok(kept() <= 20, `${kept()} cookies`);
    assert.equal((await browser.open(await begin())).status, 200);
  });

  test("behind https they are Secure, by name too, and addresses are https (W3)", async () => {
    const base = "https://atelier.example";
    const secured = await startService(fixture.deps, { config: { base, uploadPage: base, loginUrl: `${base}/login` } });
    try {
      const path = createAuthorization(secured.base, client, { resource: undefined }).url.slice(secured.base.length);
      const { headers } = await getAs("atelier.example", secured.base, path);
      assert.match(headers.location ?? "", /^https:\/\/atelier\.example\/login\?return_to=%2Fconsent%2F/);
      const cookies = headers["set-cookie"] ?? [];
      const [own, ...library] = cookies.toSorted();
      assert.match(
        own ?? "",
        /^__Host-atelier-approval-[\w-]+=1; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/,
      );
      assert.equal(library.length, 4);
      for (const cookie of library) assert.match(cookie, /^__Secure-atelier_.*; samesite=lax; secure; httponly$/);
      assert.match(String(headers["strict-transport-security"]), /max-age=/);
    } finally {
      await secured.close();
    }
  });

  const names: [name: string, shown: RegExp, hidden?: RegExp][] = [
    ["<script>alert(1)</script>", /&#60;script&#62;/, /<script>/],
    ['"><img src=x onerror=alert(1)>', /&#34;&#62;&#60;img/, /<img src=x/],
    ["Claude\u202egnp.exe", /Claudegnp\.exe/, /\u202e/],
    ["Cla\u0000ude\u0007\n\n  x", /Claude x/],
    ["\u200b\u200d\u2066", /<q>client\.example<\/q>/],
    ["x".repeat(10_000), new RegExp(`<q>${"x".repeat(60)}…</q>`), /x{61}/],
    ["😀".repeat(500), new RegExp(`<q>${"😀".repeat(60)}…</q>`)],
    ["Сlaude", /unverified name/], // the first letter is Cyrillic
    ["", /<q>client\.example<\/q>/],
    ["${7*7}{{7*7}}", /\$\{7\*7\}/, /<q>[^<]*49/],
  ];
  test("a name is text: escaped, short, without tricks; the host stands out whatever it says (A25, W4)", async () => {
    for (const [name, shown, hidden] of names) {
      const one = await registerClient(service.base, { client_name: name });
      const page = await ask({}, one);
      assert.match(page.text, shown, name);
      if (hidden) assert.doesNotMatch(page.text, hidden, name);
      assert.match(page.text, /Sends access to <strong>client\.example<\/strong>/);
      assert.match(page.text, /unverified name/);
    }
  });
});

/** `fetch` does not let a caller choose Host, which a proxy in front of us would pass on. */
function getAs(host: string, base: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${base}${path}`, { headers: { host } }, (answer) => resolve(answer.resume()))
      .on("error", reject)
      .end();
  });
}

/** What a person reads, on one line; escaped characters as they were sent. */
function visible(page: LoadedPage): string {
  return page.text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
}
