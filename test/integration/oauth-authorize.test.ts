import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signIn, type HttpBrowser } from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  requestToken,
  createAuthorization,
  connectClient,
  exchangeCode,
  registerClient,
  obtainCode,
  openConsent,
  endpointPaths,
  readCallback,
  createOAuthBrowser,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { startService, type RunningService } from "../support/service.ts";

forEachEngine("oauth authorize", (fixture) => {
  let service: RunningService;
  let web: OAuthClient;
  let native: OAuthClient;
  let signedIn: HttpBrowser;
  const operated: OAuthClient = { id: "operated", redirectUri: "https://operated.example/callback" };
  before(async () => {
    const clients = [
      { client_id: operated.id, redirect_uris: [operated.redirectUri], token_endpoint_auth_method: "none" as const },
    ];
    service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" }, clients });
    signedIn = await signIn(service.base, "signed-in@example.com", createOAuthBrowser(service.base));
    web = await registerClient(service.base);
    native = await registerClient(service.base, {
      redirect_uris: ["http://127.0.0.1:8080/callback", "http://localhost/callback", "http://[::1]:1/callback"],
    });
  });
  after(() => service.close());

  /** Sends one request without following the response; without a browser of its own, before sign-in. */
  const ask = (
    client: OAuthClient,
    changed: Record<string, string | undefined>,
    more = "",
    browser = createOAuthBrowser(service.base),
  ) => browser.send(`${createAuthorization(service.base, client, changed).url}${more}`);

  const assertLocalPage = async (response: Response, why: string): Promise<string> => {
    const text = await response.text();
    assert.equal(response.headers.get("location"), null, why);
    assert.equal(response.status, 400, `${why}: ${text}`);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(response.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    assert.match(response.headers.get("cache-control") ?? "", /no-store/);
    return text;
  };

  test("nobody signed in: to the login url, the identity provider, and back to the same step (AUTHZ-2)", async () => {
    const browser = createOAuthBrowser(service.base);
    const { url } = createAuthorization(service.base, web);
    const login = await browser.open(url);
    assert.equal(login.url.pathname, "/login");
    const consent = await openConsent(createOAuthBrowser(service.base, browser.cookies), url, "way@example.com");
    assert.ok(consent.redirects.some((one) => one.includes("/api/auth/callback/")));
    const again = await createOAuthBrowser(service.base, browser.cookies).open(url);
    assert.match(again.url.pathname, /^\/consent\//, "signed in already: straight to the consent page");
  });

  const strangeRedirects: Record<string, string> = {
    "a slash more": "https://client.example/callback/",
    "a slash less": "https://client.example",
    "another case of the path": "https://client.example/Callback",
    "another case of the host": "https://Client.Example/callback",
    "an added query": "https://client.example/callback?x=1",
    "an empty query": "https://client.example/callback?",
    "a fragment": "https://client.example/callback#x",
    "an empty fragment": "https://client.example/callback#",
    "dots encoded": "https://client.example/%2e%2e/callback",
    dots: "https://client.example/x/../callback",
    "a person": "https://client.example@evil.example/callback",
    "the host as a person": "https://user@client.example/callback",
    "another port": "https://client.example:8443/callback",
    "the default port": "https://client.example:443/callback",
    "plain http": "http://client.example/callback",
    "another host": "https://evil.example/callback",
    "a longer host": "https://client.example.evil.example/callback",
    "a dot after the host": "https://client.example./callback",
    "a tab": "https://client.example/call\tback",
    "a line break": "https://client.example/callback\r\nSet-Cookie: a=b",
    "a space in front": " https://client.example/callback",
    "a NUL": "https://client.example/callback\0",
    "no scheme": "//client.example/callback",
    "a backslash": "https:\\\\client.example\\callback",
    "a script": "javascript:alert(1)",
    "a list": "https://client.example/callback https://evil.example/",
  };
  test("a redirect address that is not exactly a registered one gets a page, never a Location (A1)", async () => {
    for (const [name, uri] of Object.entries(strangeRedirects)) {
      await assertLocalPage(await ask(web, { redirect_uri: uri }), name);
      // Nor does another fault of the same request lead there.
      await assertLocalPage(await ask(web, { redirect_uri: uri, response_type: "token" }), name);
      await assertLocalPage(await ask(web, { redirect_uri: uri, prompt: "none" }), name);
    }
    await assertLocalPage(await ask(native, { redirect_uri: undefined }), "none of three");
  });

  test("loopback redirects are good on any port, with the same path and host (REG-2, A2)", async () => {
    const good = ["http://127.0.0.1:8080/callback", "http://127.0.0.1:51234/callback", "http://127.0.0.1/callback"];
    for (const uri of [...good, "http://localhost:51234/callback", "http://[::1]:51234/callback"])
      assert.equal((await ask(native, { redirect_uri: uri })).status, 303, uri);
    for (const uri of [
      "http://127.0.0.1:51234/other",
      "http://127.0.0.1:51234/callback/",
      "http://127.0.0.1:51234/callback?x",
      "http://127.0.0.1:51234",
      "https://127.0.0.1:51234/callback",
      "http://127.0.0.2:51234/callback",
      "http://localhost.evil.example:51234/callback",
      "http://127.0.0.1.nip.io:51234/callback",
      "http://localhost:51234@evil.example/callback",
      "http://user@localhost:51234/callback",
      "http://0.0.0.0:51234/callback",
      "http://2130706433:51234/callback",
      "http://127.0.0.1:99999/callback",
      "http://127.0.0.1:x/callback",
    ])
      await assertLocalPage(await ask(native, { redirect_uri: uri }), uri);
    // The port that was used is the one the code is bound to.
    const { code, verifier } = await obtainCode(service.base, {
      client: native,
      authorizationParams: { redirect_uri: "http://127.0.0.1:51234/callback" },
    });
    const other = await exchangeCode(service.base, { client: native, code, verifier });
    assert.equal(other.body.error, "invalid_grant");
    const same = await exchangeCode(service.base, {
      client: { ...native, redirectUri: "http://127.0.0.1:51234/callback" },
      code,
      verifier,
    });
    assert.equal(same.status, 200);
  });

  test("a client that nobody knows gets a page (A1)", async () => {
    for (const id of ["unknown", "", "x\0y", "\ud800", "a".repeat(5000), "__proto__", "constructor", "' OR 1=1 --"])
      await assertLocalPage(await ask({ ...web, id }, {}), id);
    await assertLocalPage(await ask(web, { client_id: undefined }), "none");
  });

  test("without a proper S256 challenge nothing goes on (AUTHZ-1, A4)", async () => {
    const challenge = "a".repeat(43);
    const faults: Record<string, Record<string, string | undefined>> = {
      absent: { code_challenge: undefined, code_challenge_method: undefined },
      "no method": { code_challenge_method: undefined },
      "no challenge": { code_challenge: undefined },
      plain: { code_challenge: challenge, code_challenge_method: "plain" },
      "another case": { code_challenge_method: "s256" },
      S512: { code_challenge_method: "S512" },
      "42 characters": { code_challenge: challenge.slice(1) },
      "129 characters": { code_challenge: "a".repeat(129) },
      "other characters": { code_challenge: `${challenge.slice(1)}=` },
      empty: { code_challenge: "", code_challenge_method: "" },
    };
    for (const [name, changed] of Object.entries(faults)) {
      assert.match(await assertLocalPage(await ask(web, changed), name), /\(invalid_request: /, name);
      const told = await ask(web, changed, "", signedIn);
      const { searchParams, origin } = new URL(told.headers.get("location") ?? "");
      assert.equal(origin, "https://client.example", name);
      assert.equal(searchParams.get("error"), "invalid_request", name);
      assert.equal(searchParams.get("code"), null);
    }
  });

  const unsupported = (): [changed: Record<string, string>, error: string][] => [
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "id_token", nonce: "n", scope: "openid" }, "unsupported_response_type"],
    [{ response_type: "code id_token", nonce: "n", scope: "openid" }, "unsupported_response_type"],
    [{ response_type: "none" }, "unsupported_response_type"],
    [{ response_type: "" }, "invalid_request"],
    [{ response_mode: "form_post" }, "unsupported_response_mode"],
    [{ response_mode: "fragment" }, "unsupported_response_mode"],
    [{ response_mode: "web_message" }, "unsupported_response_mode"],
    [{ request: "a.b.c" }, "request_not_supported"],
    [{ request_uri: "https://evil.example/r" }, "request_uri_not_supported"],
    [{ registration: "{}" }, "registration_not_supported"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ resource: `${service.base}/mcp#x` }, "invalid_target"],
    [{ resource: `${service.base}/other` }, "invalid_target"],
    [{ resource: "not a uri" }, "invalid_target"],
    [{ scope: 'studio:read "' }, "invalid_scope"],
    [{ prompt: "whatever" }, "invalid_request"],
    [{ prompt: "none login" }, "invalid_request"],
    [{ prompt: "none" }, "login_required"],
    [{ max_age: "-1", scope: "openid studio:read" }, "invalid_request"],
    [{ id_token_hint: "x.y.z", scope: "openid studio:read" }, "invalid_request"],
  ];

  /** Clients that get their errors by redirect, and where. */
  const redirected: Record<string, [who: () => [client: OAuthClient, browser?: HttpBrowser], to: string]> = {
    "a self-registered client once the user is signed in": [() => [web, signedIn], "https://client.example/callback"],
    "a self-registered client on loopback": [() => [native], "http://127.0.0.1:8080/callback"],
    "a client of the operator": [() => [operated], "https://operated.example/callback"],
  };
  for (const [name, [who, to]] of Object.entries(redirected)) {
    test(`redirects errors to ${name}, with iss and state, and issues nothing (A23)`, async () => {
      const [client, browser] = who();
      for (const [changed, error] of unsupported()) {
        const response = await ask(client, { ...changed, state: "s t&a=t#e" }, "", browser);
        assert.equal(response.status, 303, JSON.stringify(changed));
        const location = new URL(response.headers.get("location") ?? "");
        // Where the response would have been in a fragment, the error may be; never a code or a token.
        const params = new URLSearchParams(location.hash ? location.hash.slice(1) : location.search);
        assert.equal(`${location.origin}${location.pathname}`, to);
        assert.equal(params.get("error"), error, JSON.stringify(changed));
        assert.equal(params.get("iss"), service.base);
        assert.equal(params.get("state"), "s t&a=t#e");
        for (const name of ["code", "access_token", "id_token"]) assert.equal(params.get(name), null);
      }
    });
  }

  test("before sign-in, errors of a self-registered client are shown on our page, not redirected (A1, A23)", async () => {
    const app = await registerClient(service.base, { redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] });
    const localName = await registerClient(service.base, { redirect_uris: ["com.example.app://localhost/callback"] });
    for (const client of [web, app, localName]) {
      for (const [changed, error] of unsupported()) {
        const text = await assertLocalPage(await ask(client, changed), JSON.stringify(changed));
        assert.match(text, new RegExp(`\\(${error}[:)]`), JSON.stringify(changed));
        assert.doesNotMatch(text, /client\.example|cursor:|com\.example/);
      }
    }
    const forged = signedIn.cookies.all().map(({ name }) => `${name}=forged`);
    const url = createAuthorization(service.base, web, { prompt: "none" }).url;
    await assertLocalPage(await fetch(url, { redirect: "manual", headers: { cookie: forged.join("; ") } }), "forged");
  });

  test("a parameter that is there twice is refused, and never decides where the answer goes (A21)", async () => {
    const evil = encodeURIComponent("https://evil.example/");
    await assertLocalPage(await ask(web, {}, `&client_id=${evil}`), "client_id");
    await assertLocalPage(await ask(native, {}, `&redirect_uri=${evil}`), "redirect_uri");
    await assertLocalPage(await ask(web, {}, `&redirect_uri=${evil}`), "redirect_uri, before sign-in");
    // A client with one redirect URI gets the error there, whatever the request contains.
    const told = (await ask(web, {}, `&redirect_uri=${evil}`, signedIn)).headers.get("location");
    assert.match(told ?? "", /^https:\/\/client\.example\/callback\?error=invalid_request&/);
    for (const name of ["state", "scope", "code_challenge", "response_type", "prompt", "nonce"]) {
      const response = await ask(web, { [name]: "x" }, `&${name}=y`, signedIn);
      const location = response.headers.get("location");
      const answer = location === null ? undefined : new URL(location).searchParams;
      assert.ok(answer?.get("error") === "invalid_request", `${name} ${location}`);
    }
  });

  test("only GET begins an authorization (AUTHZ-1)", async () => {
    const { url } = createAuthorization(service.base, web);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await fetch(url, { method, redirect: "manual" });
      assert.equal(response.headers.get("location"), null, method);
      assert.ok(response.status >= 400 && response.status < 500, `${method} ${response.status}`);
    }
  });

  test("nothing of ours asked for means both; openid and offline_access may be asked for beside (SCOPE-1)", async () => {
    const both = "studio:read studio:write";
    const asked: [scope: string | undefined, given: string][] = [
      [undefined, both],
      ["", both],
      [" ", both],
      ["claudeai", both],
      ["openid email profile", both],
      ["offline_access", both],
      ["openid offline_access", both],
      ["studio:read", "studio:read"],
      ["openid studio:read offline_access", "studio:read"],
      ["studio:write", "studio:write"],
      ["studio:read studio:write unknown", both],
    ];
    const { browser } = await connectClient(service.base, { email: "scopes@example.com" });
    for (const [scope, given] of asked) {
      for (const prompt of [undefined, "consent"]) {
        const { tokens } = await connectClient(service.base, {
          client: web,
          browser,
          authorizationParams: { scope, prompt },
        });
        assert.equal(tokens.scope, given, String(scope));
        assert.equal(tokens.token_type, "Bearer");
        assert.equal(tokens.expires_in, 3600);
        assert.ok(tokens.refresh_token);
        assert.equal(tokens.id_token !== undefined, scope?.includes("openid") ?? false, String(scope));
      }
    }
  });

  test("prompt=none never goes through, login and consent and both always ask (AUTHZ-4)", async () => {
    const { browser } = await connectClient(service.base, { client: web, email: "prompts@example.com" });
    const none = readCallback(
      await browser.open(createAuthorization(service.base, web, { prompt: "none" }).url),
      service.base,
    );
    assert.equal(none.get("error"), "login_required");
    for (const prompt of ["login", "consent", "login consent", "consent login", "select_account"]) {
      const page = await browser.open(createAuthorization(service.base, web, { prompt }).url);
      assert.match(page.url.pathname, /^\/consent\//, prompt);
    }
  });

  test("what is OpenID Connect's alone is ignored where openid is not asked for", async () => {
    const { browser } = await connectClient(service.base, { client: web, email: "appauth@example.com" });
    const ask = { nonce: "n", max_age: "-1", acr_values: "a", claims_locales: "de", id_token_hint: "x.y.z" };
    const { tokens } = await connectClient(service.base, { client: web, browser, authorizationParams: ask });
    assert.deepEqual([tokens.scope, tokens.id_token], ["studio:read studio:write", undefined]);
  });

  test("the token endpoint knows two grants, and nothing else gives a token (A23)", async () => {
    const secret = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_post" });
    for (const grant of [
      "password",
      "client_credentials",
      "implicit",
      "urn:ietf:params:oauth:grant-type:device_code",
      "",
    ]) {
      const params = { grant_type: grant, username: "u", password: "p", scope: "studio:read" };
      const { status, body } = await requestToken(service.base, secret, params);
      assert.equal(status, 400, grant);
      assert.equal(body.error, grant === "" ? "invalid_request" : "unsupported_grant_type", grant);
    }
    for (const path of ["/introspect", "/userinfo", "/par", "/device", "/logout"])
      assert.equal((await fetch(`${service.base}/api/auth/oauth2${path}`, { method: "POST" })).status >= 400, true);
  });

  test("the page that says no carries nothing that runs (A17, W2)", async () => {
    const state = '"><script>alert(1)</script>';
    const response = await ask(
      { ...web, id: "<script>alert(1)</script>" },
      { state, redirect_uri: "javascript:alert(1)" },
    );
    const text = await response.text();
    assert.doesNotMatch(text, /<script/i);
    assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'self'/);
    assert.equal(endpointPaths.authorize.startsWith("/api/auth/"), true);
  });
});
