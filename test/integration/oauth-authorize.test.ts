import assert from "node:assert/strict";
import { before, test } from "node:test";
import { signIn, type HttpBrowser } from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  requestToken,
  createAuthorization,
  connectClient,
  exchangeCode,
  registerClient,
  obtainCode,
  openConsent,
  readCallback,
  createOAuthBrowser,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { useService, withoutRateLimits } from "../support/oauth-fixture.ts";

const operatorClient: OAuthClient = { id: "operated", redirectUri: "https://operated.example/callback" };

forOneEngine("oauth authorize", (fixture) => {
  const clients = [
    {
      client_id: operatorClient.id,
      redirect_uris: [operatorClient.redirectUri],
      token_endpoint_auth_method: "none" as const,
    },
  ];
  const service = useService(fixture, { ...withoutRateLimits, clients });
  let webClient: OAuthClient;
  let nativeClient: OAuthClient;
  let signedInBrowser: HttpBrowser;
  before(async () => {
    signedInBrowser = await signIn(service.base, "signed-in@example.com", createOAuthBrowser(service.base));
    webClient = await registerClient(service.base);
    nativeClient = await registerClient(service.base, {
      redirect_uris: ["http://127.0.0.1:8080/callback", "http://localhost/callback", "http://[::1]:1/callback"],
    });
  });

  /** Sends an authorization request without following redirects; the default browser is not signed in. */
  const requestAuthorization = (
    client: OAuthClient,
    overrides: Record<string, string | undefined>,
    extraQuery = "",
    browser = createOAuthBrowser(service.base),
  ) => browser.send(`${createAuthorization(service.base, client, overrides).url}${extraQuery}`);

  const assertErrorPage = async (response: Response, message: string): Promise<string> => {
    const text = await response.text();
    assert.equal(response.headers.get("location"), null, message);
    assert.equal(response.status, 400, `${message}: ${text}`);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(response.headers.get("cache-control") ?? "", /no-store/);
    assert.doesNotMatch(text, /<script/i);
    return text;
  };

  test("redirects a signed-out user to sign-in, then back to the same authorization (AUTHZ-2)", async () => {
    const browser = createOAuthBrowser(service.base);
    const { url } = createAuthorization(service.base, webClient);
    const login = await browser.open(url);
    assert.equal(login.url.pathname, "/login");
    const consent = await openConsent(createOAuthBrowser(service.base, browser.cookies), url, "ada@example.com");
    assert.ok(consent.visitedUrls.some((visitedUrl) => visitedUrl.includes("/api/auth/callback/")));
    const signedInPage = await createOAuthBrowser(service.base, browser.cookies).open(url);
    assert.match(signedInPage.url.pathname, /^\/consent\//, "a signed-in user gets the consent page directly");
  });

  const similarPaths = ["/callback/", "", "/Callback", "/callback?x=1", "/callback?", "/callback#x", "/callback#"];
  const oddPaths = ["/%2e%2e/callback", "/x/../callback", "/call\tback", "/callback\r\nSet-Cookie: a=b", "/callback\0"];
  const similarHosts = ["Client.Example", "user@client.example", "client.example:8443", "client.example:443"];
  const otherHosts = ["client.example@evil.example", "client.example.", "client.example.evil.example", "evil.example"];
  const unregisteredRedirects = [
    ...[...similarPaths, ...oddPaths].map((path) => `https://client.example${path}`),
    ...[...similarHosts, ...otherHosts].map((host) => `https://${host}/callback`),
    ...["http://client.example/callback", "//client.example/callback", " https://client.example/callback"],
    ...["https:\\\\client.example\\callback", "javascript:alert(1)"],
    "https://client.example/callback https://evil.example/",
  ];

  test("shows an error page for an unregistered redirect URI and never redirects (A1)", async () => {
    // With a second error in the request, the server does not redirect to the unregistered URI either.
    for (const uri of unregisteredRedirects)
      for (const overrides of [{}, { response_type: "token" }, { prompt: "none" }])
        await assertErrorPage(await requestAuthorization(webClient, { redirect_uri: uri, ...overrides }), uri);
    await assertErrorPage(
      await requestAuthorization(nativeClient, { redirect_uri: undefined }),
      "no redirect URI for a client with three",
    );
  });

  test("accepts loopback redirects on any port, with the same path and host (REG-2, A2)", async () => {
    const ipv4Redirects = [
      "http://127.0.0.1:8080/callback",
      "http://127.0.0.1:51234/callback",
      "http://127.0.0.1/callback",
    ];
    for (const uri of [...ipv4Redirects, "http://localhost:51234/callback", "http://[::1]:51234/callback"])
      assert.equal((await requestAuthorization(nativeClient, { redirect_uri: uri })).status, 303, uri);
    const otherPaths = ["/other", "/callback/", "/callback?x", ""].map((path) => `http://127.0.0.1:51234${path}`);
    const lookalikes = [
      "127.0.0.2",
      "localhost.evil.example",
      "127.0.0.1.nip.io",
      "user@localhost",
      "0.0.0.0",
      "2130706433",
    ];
    for (const uri of [
      ...otherPaths,
      ...lookalikes.map((host) => `http://${host}:51234/callback`),
      ...["https://127.0.0.1:51234/callback", "http://localhost:51234@evil.example/callback"],
      ...["http://127.0.0.1:99999/callback", "http://127.0.0.1:x/callback"],
    ])
      await assertErrorPage(await requestAuthorization(nativeClient, { redirect_uri: uri }), uri);
    // The code is bound to the port of the authorization request.
    const redirectUri = "http://127.0.0.1:51234/callback";
    const obtainedCode = await obtainCode(service.base, {
      client: nativeClient,
      authorizationParams: { redirect_uri: redirectUri },
    });
    assert.equal((await exchangeCode(service.base, obtainedCode)).body.error, "invalid_grant");
    const samePort = await exchangeCode(service.base, { ...obtainedCode, client: { ...nativeClient, redirectUri } });
    assert.equal(samePort.status, 200);
  });

  test("shows an error page without scripts for an unknown client (A1, A17, W2)", async () => {
    const script = '"><script>alert(1)</script>';
    const state = { state: script };
    for (const id of ["unknown", "", "x\0y", "\ud800", "a".repeat(5000), "__proto__", "' OR 1=1 --", script])
      await assertErrorPage(await requestAuthorization({ ...webClient, id }, state), id);
    await assertErrorPage(await requestAuthorization(webClient, { client_id: undefined }), "no client_id");
  });

  test("rejects a request without a valid S256 challenge (AUTHZ-1, A4)", async () => {
    const challenge = "a".repeat(43);
    const invalidChallenges = {
      absent: { code_challenge: undefined, code_challenge_method: undefined },
      "no method": { code_challenge_method: undefined },
      "no challenge": { code_challenge: undefined },
      plain: { code_challenge: challenge, code_challenge_method: "plain" },
      "lowercase method": { code_challenge_method: "s256" },
      S512: { code_challenge_method: "S512" },
      "42 characters": { code_challenge: challenge.slice(1) },
      "129 characters": { code_challenge: "a".repeat(129) },
      "other characters": { code_challenge: `${challenge.slice(1)}=` },
      empty: { code_challenge: "", code_challenge_method: "" },
    };
    for (const [name, overrides] of Object.entries(invalidChallenges)) {
      const text = await assertErrorPage(await requestAuthorization(webClient, overrides), name);
      assert.match(text, /\(invalid_request: /, name);
      const errorResponse = await requestAuthorization(webClient, overrides, "", signedInBrowser);
      const { searchParams, origin } = new URL(errorResponse.headers.get("location") ?? "");
      assert.equal(origin, "https://client.example", name);
      assert.equal(searchParams.get("error"), "invalid_request", name);
      assert.equal(searchParams.get("code"), null);
    }
  });

  const listUnsupportedRequests = (): [overrides: Record<string, string>, error: string][] => [
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
    [{ prompt: "unknown" }, "invalid_request"],
    [{ prompt: "none login" }, "invalid_request"],
    [{ prompt: "none" }, "login_required"],
    [{ max_age: "-1", scope: "openid studio:read" }, "invalid_request"],
    [{ id_token_hint: "x.y.z", scope: "openid studio:read" }, "invalid_request"],
  ];

  /** Clients that receive errors by redirect, with their redirect URI. */
  const redirectedClients: Record<
    string,
    [getClient: () => [client: OAuthClient, browser?: HttpBrowser], redirectUri: string]
  > = {
    "a self-registered client once the user is signed in": [
      () => [webClient, signedInBrowser],
      "https://client.example/callback",
    ],
    "a self-registered client on loopback": [() => [nativeClient], "http://127.0.0.1:8080/callback"],
    "an operator's client": [() => [operatorClient], "https://operated.example/callback"],
  };
  for (const [name, [getClient, redirectUri]] of Object.entries(redirectedClients)) {
    test(`redirects errors to ${name}, with iss and state, and issues no code or token (A23)`, async () => {
      const [client, browser] = getClient();
      for (const [overrides, error] of listUnsupportedRequests()) {
        const response = await requestAuthorization(client, { ...overrides, state: "s t&a=t#e" }, "", browser);
        assert.equal(response.status, 303, JSON.stringify(overrides));
        const location = new URL(response.headers.get("location") ?? "");
        // For a response type that uses the fragment, the error is in the fragment.
        const params = new URLSearchParams(location.hash ? location.hash.slice(1) : location.search);
        assert.equal(`${location.origin}${location.pathname}`, redirectUri);
        assert.equal(params.get("error"), error, JSON.stringify(overrides));
        assert.equal(params.get("iss"), service.base);
        assert.equal(params.get("state"), "s t&a=t#e");
        for (const name of ["code", "access_token", "id_token"]) assert.equal(params.get(name), null);
      }
    });
  }

  test("before sign-in, the server shows errors of a self-registered client on its own page and does not redirect (A1, A23)", async () => {
    const appClient = await registerClient(service.base, {
      redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    });
    const localhostSchemeClient = await registerClient(service.base, {
      redirect_uris: ["com.example.app://localhost/callback"],
    });
    for (const client of [webClient, appClient, localhostSchemeClient]) {
      for (const [overrides, error] of listUnsupportedRequests()) {
        const text = await assertErrorPage(await requestAuthorization(client, overrides), JSON.stringify(overrides));
        assert.match(text, new RegExp(`\\(${error}[:)]`), JSON.stringify(overrides));
        assert.doesNotMatch(text, /client\.example|cursor:|com\.example/);
      }
    }
    const forgedCookies = signedInBrowser.cookies.all().map(({ name }) => `${name}=forged`);
    const url = createAuthorization(service.base, webClient, { prompt: "none" }).url;
    await assertErrorPage(
      await fetch(url, { redirect: "manual", headers: { cookie: forgedCookies.join("; ") } }),
      "forged",
    );
  });

  test("rejects a repeated parameter, and never redirects to a repeated redirect URI (A21)", async () => {
    const evilUrl = encodeURIComponent("https://evil.example/");
    await assertErrorPage(await requestAuthorization(webClient, {}, `&client_id=${evilUrl}`), "client_id");
    await assertErrorPage(await requestAuthorization(nativeClient, {}, `&redirect_uri=${evilUrl}`), "redirect_uri");
    await assertErrorPage(await requestAuthorization(webClient, {}, `&redirect_uri=${evilUrl}`), "before sign-in");
    // If the client has only one redirect URI, the server redirects the error there.
    const redirectLocation = (
      await requestAuthorization(webClient, {}, `&redirect_uri=${evilUrl}`, signedInBrowser)
    ).headers.get("location");
    assert.match(redirectLocation ?? "", /^https:\/\/client\.example\/callback\?error=invalid_request&/);
    for (const name of ["state", "scope", "code_challenge", "response_type", "prompt", "nonce"]) {
      const response = await requestAuthorization(webClient, { [name]: "x" }, `&${name}=y`, signedInBrowser);
      const location = response.headers.get("location");
      const errorParams = location === null ? undefined : new URL(location).searchParams;
      assert.ok(errorParams?.get("error") === "invalid_request", `${name} ${location}`);
    }
  });

  test("shows an error page for a query with thousands of parameters, which the library takes long to parse (X4)", async () => {
    await assertErrorPage(await requestAuthorization(webClient, {}, "&a".repeat(7000)), "many parameters");
    const { status } = await requestAuthorization(webClient, {}, "&a".repeat(80));
    assert.equal(status, 303, "unknown parameters are ignored (RFC 6749 §3.1)");
  });

  test("grants both studio scopes if the client requests neither, with or without openid and offline_access (SCOPE-1)", async () => {
    const bothScopes = "studio:read studio:write";
    const requests: [scope: string | undefined, grantedScope: string][] = [
      [undefined, bothScopes],
      ["", bothScopes],
      [" ", bothScopes],
      ["claudeai", bothScopes],
      ["openid email profile", bothScopes],
      ["offline_access", bothScopes],
      ["openid offline_access", bothScopes],
      ["studio:read", "studio:read"],
      ["openid studio:read offline_access", "studio:read"],
      ["studio:write", "studio:write"],
      ["studio:read studio:write unknown", bothScopes],
    ];
    const { browser } = await connectClient(service.base, { email: "scopes@example.com" });
    for (const [scope, grantedScope] of requests) {
      const { tokens } = await connectClient(service.base, {
        client: webClient,
        browser,
        authorizationParams: { scope, prompt: "consent" },
      });
      assert.deepEqual([tokens.scope, tokens.token_type], [grantedScope, "Bearer"], scope);
      assert.ok(tokens.refresh_token);
      assert.equal(tokens.id_token !== undefined, scope?.includes("openid") ?? false, scope);
    }
  });

  test("prompt=none always fails; login, consent and both always show the consent page (AUTHZ-4)", async () => {
    const { browser } = await connectClient(service.base, { client: webClient, email: "prompts@example.com" });
    const callbackParams = readCallback(
      await browser.open(createAuthorization(service.base, webClient, { prompt: "none" }).url),
      service.base,
    );
    assert.equal(callbackParams.get("error"), "login_required");
    for (const prompt of ["login", "consent", "login consent", "consent login", "select_account"]) {
      const page = await browser.open(createAuthorization(service.base, webClient, { prompt }).url);
      assert.match(page.url.pathname, /^\/consent\//, prompt);
    }
  });

  test("ignores OpenID Connect parameters if the client does not request the openid scope", async () => {
    const { browser } = await connectClient(service.base, { client: webClient, email: "appauth@example.com" });
    const authorizationParams = { nonce: "n", max_age: "-1", acr_values: "a", id_token_hint: "x.y.z" };
    const { tokens } = await connectClient(service.base, { client: webClient, browser, authorizationParams });
    assert.deepEqual([tokens.scope, tokens.id_token], ["studio:read studio:write", undefined]);
  });

  test("the token endpoint accepts two grant types, and no other endpoint issues tokens (A23)", async () => {
    const confidentialClient = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_post" });
    for (const grant of [
      "password",
      "client_credentials",
      "implicit",
      "urn:ietf:params:oauth:grant-type:device_code",
      "",
    ]) {
      const params = { grant_type: grant, username: "u", password: "p", scope: "studio:read" };
      const { status, body } = await requestToken(service.base, confidentialClient, params);
      assert.equal(status, 400, grant);
      assert.equal(body.error, grant === "" ? "invalid_request" : "unsupported_grant_type", grant);
    }
    for (const path of ["/introspect", "/userinfo", "/par", "/device", "/logout"])
      assert.equal((await fetch(`${service.base}/api/auth/oauth2${path}`, { method: "POST" })).status >= 400, true);
  });
});
