import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { isPublicAddress } from "#lib/ip-address.ts";
import { signIn } from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  requestToken,
  createAuthorization,
  connectClient,
  registerClient,
  openConsent,
  readCallback,
  refreshTokens,
  createOAuthBrowser,
  webRedirect,
} from "../support/oauth-client.ts";
import { withoutRateLimits } from "../support/oauth-fixture.ts";
import { findFreeBaseUrl, startService, type RunningService, type ServiceOptions } from "../support/service.ts";
import { startWebHost, type WebHost } from "../support/web-host.ts";

forOneEngine("oauth client documents", (fixture) => {
  let documentHost: WebHost;
  let service: RunningService;
  before(async () => {
    documentHost = await startWebHost(["client.test"]);
    service = await startService(fixture.deps, { ...withoutRateLimits, fetchDocument: documentHost.createFetch() });
  });
  after(async () => {
    await service.close();
    await documentHost.close();
  });

  const createDocument = (path: string, overrides: Record<string, unknown> = {}) => ({
    client_id: documentHost.url(path),
    client_name: "Documented",
    redirect_uris: [webRedirect],
    token_endpoint_auth_method: "none",
    ...overrides,
  });
  const getClient = (path: string, redirectUri = webRedirect) => ({ id: documentHost.url(path), redirectUri });
  /** Serves a document and returns its client. */
  const serveClient = (path: string, overrides: Record<string, unknown> = {}, redirectUri?: string) => {
    documentHost.serve(path, createDocument(path, overrides));
    return getClient(path, redirectUri);
  };
  /** Starts another service, which the test closes at its end. */
  const startOther = async (t: TestContext, options: ServiceOptions): Promise<string> => {
    const otherService = await startService(fixture.deps, { ...withoutRateLimits, ...options });
    t.after(() => otherService.close());
    return otherService.base;
  };
  /** Requests authorization for this client id, as a browser that is not signed in. */
  const requestAuthorization = (id: string, base = service.base) =>
    createOAuthBrowser(base).send(createAuthorization(base, { id, redirectUri: webRedirect }).url);

  test("a client with a valid document is shown as verified by its host, and obtains and refreshes tokens (REG-4, A20)", async () => {
    const client = serveClient("/valid.json");
    const browser = createOAuthBrowser(service.base);
    const page = await openConsent(browser, createAuthorization(service.base, client).url, "doc@example.com");
    assert.match(page.text, /verified: client\.test:\d+</);
    assert.doesNotMatch(page.text, /unverified/);
    assert.match(page.text, /If you approve, access goes to <strong>client\.example<\/strong>/);
    const { tokens } = await connectClient(service.base, { client, browser });
    assert.equal((await refreshTokens(service.base, client, tokens.refresh_token)).status, 200);
    const grants = fixture.database.q.selectFrom("grants").select("clientVerified").where("clientId", "=", client.id);
    assert.deepEqual(await grants.execute(), [{ clientVerified: true }]);
  });

  test("accepts missing and additional fields, and loopback redirects on any port (REG-4)", async () => {
    const { token_endpoint_auth_method: _, ...bareDocument } = createDocument("/bare.json");
    const grantTypes = ["authorization_code", "urn:x"];
    documentHost.serve("/bare.json", { ...bareDocument, scope: "claudeai", grant_types: grantTypes });
    await connectClient(service.base, { client: getClient("/bare.json") });
    const redirects = ["http://127.0.0.1:33418/", "http://127.0.0.1/callback", "http://localhost/callback"];
    const metadata = { redirect_uris: redirects, client_uri: "https://x.example" };
    for (const uri of ["http://127.0.0.1:51000/callback", "http://localhost:51001/callback", "http://127.0.0.1:9/"]) {
      const { tokens } = await connectClient(service.base, { client: serveClient("/native.json", metadata, uri) });
      assert.ok(tokens.refresh_token);
    }
  });

  test("treats a client whose document declares private_key_jwt as public: ignores assertions and fetches no keys (REG-4, A22)", async () => {
    const keys = { token_endpoint_auth_signing_alg: "RS256", jwks_uri: documentHost.url("/keys.json") };
    const client = serveClient("/signing.json", { token_endpoint_auth_method: "private_key_jwt", ...keys });
    const { tokens } = await connectClient(service.base, { client });
    const assertion = {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: "not.a.signature",
    };
    const refresh = (params: Record<string, string | undefined>) =>
      refreshTokens(service.base, client, tokens.refresh_token, params);
    assert.equal((await refresh({ ...assertion, client_id: undefined })).body.error, "invalid_request");
    assert.equal((await refresh(assertion)).status, 200);
    assert.equal(documentHost.requestCounts.get("/keys.json"), undefined);
  });

  const writeIntervalMs = 200; // a whole document would take half an hour
  const invalidDocuments: Record<string, (path: string) => Parameters<WebHost["serve"]>[1]> = {
    "a redirect": () => (_req, res) => void res.writeHead(302, { location: documentHost.url("/valid.json") }).end(),
    "a redirect to loopback": () => (_req, res) => void res.writeHead(301, { location: "http://127.0.0.1/" }).end(),
    "five megabytes": (path) => createDocument(path, { padding: "x".repeat(5 * 1024 * 1024) }),
    "five megabytes without a length": () => (_req, res) => {
      for (let i = 0; i < 80; i++) res.write("x".repeat(64 * 1024));
      res.end();
    },
    "a slow response": () => (_req, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => res.write(" "), writeIntervalMs);
      res.on("close", () => clearInterval(timer));
    },
    "no response": () => () => {},
    "another client's id": () => createDocument("/valid.json"),
    "no id": (path) => createDocument(path, { client_id: undefined }),
    "a secret": (path) => createDocument(path, { client_secret: "x".repeat(43) }),
    "an auth method with a shared secret": (path) =>
      createDocument(path, { token_endpoint_auth_method: "client_secret_basic" }),
    "a javascript redirect URI": (path) => createDocument(path, { redirect_uris: ["javascript:alert(1)"] }),
    "one invalid redirect URI of two": (path) =>
      createDocument(path, { redirect_uris: [webRedirect, "myapp://callback"] }),
    "no redirect URI": (path) => createDocument(path, { redirect_uris: [] }),
    "a list": () => [],
    HTML: () => (_req, res) => void res.end("<html>"),
    "an empty body": () => (_req, res) => void res.end(),
    "not found": () => (_req, res) => void res.writeHead(404).end("{}"),
    "an unusual status": () => (_req, res) => void res.writeHead(299).end("{}"),
    "a truncated body": () => (_req, res) => {
      res.writeHead(200, { "content-length": "100" }).write("{", () => res.destroy());
    },
  };
  test("shows an error page for an invalid document, even if its response never ends (REG-4, A20)", async (t) => {
    const endlessNames = ["a slow response", "no response"];
    const impatientBase = await startOther(t, { fetchDocument: documentHost.createFetch({ timeoutMs: 300 }) });
    await Promise.all(
      Object.entries(invalidDocuments).map(async ([name, createResponse], i) => {
        documentHost.serve(`/bad-${i}.json`, createResponse(`/bad-${i}.json`));
        const base = endlessNames.includes(name) ? impatientBase : service.base;
        const response = await requestAuthorization(documentHost.url(`/bad-${i}.json`), base);
        assert.equal(response.status, 400, `${name}: ${await response.text()}`);
        assert.equal(response.headers.get("location"), null, name);
        assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      }),
    );
  });

  test("before sign-in, the server shows errors of a client with a document on its own page and does not redirect (A1, A23)", async () => {
    const { url } = createAuthorization(service.base, serveClient("/early.json"), { response_type: "token" });
    const signedOutResponse = await createOAuthBrowser(service.base).send(url);
    assert.deepEqual([signedOutResponse.status, signedOutResponse.headers.get("location")], [400, null]);
    assert.match(await signedOutResponse.text(), /unsupported_response_type/);
    const browser = await signIn(service.base, "early@example.com", createOAuthBrowser(service.base));
    const location = new URL((await browser.send(url)).headers.get("location") ?? "");
    assert.equal(`${location.origin}${location.pathname}`, webRedirect);
    assert.match(location.hash, /error=unsupported_response_type/);
  });

  test("fetches a document once per request, and closes the connection after a few KB (A20)", async () => {
    let sentBytes = 0;
    const connectionClosed = Promise.withResolvers<void>();
    documentHost.serve("/endless.json", (_req, res) => {
      const timer = setInterval(() => {
        sentBytes += 2048;
        res.write(" ".repeat(2048));
      }, 20);
      res.on("close", () => {
        clearInterval(timer);
        connectionClosed.resolve();
      });
    });
    const countBefore = documentHost.connectionCount;
    assert.equal((await requestAuthorization(documentHost.url("/endless.json"))).status, 400);
    await connectionClosed.promise;
    assert.equal(documentHost.connectionCount, countBefore + 1);
    assert.ok(sentBytes > 10 * 1024 && sentBytes < 64 * 1024, String(sentBytes));
  });

  test("the token endpoint responds with invalid_client if the document cannot be fetched (A20)", async () => {
    documentHost.serve("/error.json", (_req, res) => void res.writeHead(500).end());
    for (const id of [
      documentHost.url("/error.json"),
      documentHost.url("/never.json"),
      "https://[::1]/x",
      "https://client.test/\0",
    ]) {
      const { status, body } = await requestToken(service.base, { id, redirectUri: webRedirect }, codeRequest);
      assert.ok([400, 401].includes(status), id);
      assert.equal(body.error, "invalid_client", id);
    }
  });

  test("never connects to IP addresses that are not public (A19, A20)", async (t) => {
    const addresses: Record<string, string[]> = { "mixed.test": ["93.184.216.34", "127.0.0.1"] };
    const base = await startOther(t, {
      fetchDocument: documentHost.createFetch({
        isAllowed: isPublicAddress,
        resolve: async (name) => addresses[name] ?? ["127.0.0.1"],
      }),
    });
    const { port } = new URL(documentHost.url("/"));
    const countBefore = documentHost.connectionCount;
    // The test of isPublicAddress has every notation.
    for (const host of ["client.test", "mixed.test", "localhost", "2130706433", "[::ffff:7f00:1]"]) {
      const response = await requestAuthorization(`https://${host}:${port}/valid.json`, base);
      assert.deepEqual([response.status, response.headers.get("location")], [400, null], host);
    }
    assert.equal(documentHost.connectionCount, countBefore);
  });

  test("fetches nothing for ids that are not a plain https URL (A20)", async () => {
    const countBefore = documentHost.connectionCount;
    const validId = documentHost.url("/valid.json");
    for (const id of [
      validId.replace("https:", "http:"),
      validId.replace("https://", "https://user@"),
      validId.replace("https://", "https://user:pass@"),
      validId.replace("/valid", "/x/../valid"),
      validId.replace("/valid", "/./valid"),
      validId.replace("/valid", "/%2e%2e/valid"),
      `${validId}#x`,
      ` ${validId}`,
      validId.replace("/valid", "\\valid"),
      `${validId}\n`,
      "https://",
      "https:valid.json",
    ])
      assert.equal((await requestAuthorization(id)).status, 400, id);
    assert.equal(documentHost.connectionCount, countBefore);
  });

  test("shows an error page if the DNS lookup does not end (A20)", async (t) => {
    const fetchDocument = documentHost.createFetch({ timeoutMs: 300, resolve: () => new Promise(() => {}) });
    const base = await startOther(t, { fetchDocument });
    assert.equal((await requestAuthorization(documentHost.url("/valid.json"), base)).status, 400);
  });

  test("a consent started on one instance can be submitted on another, which fetches the document again (C5, A20)", async (t) => {
    const client = serveClient("/two.json");
    const base = await findFreeBaseUrl();
    const options = { ...withoutRateLimits, base, fetchDocument: documentHost.createFetch() };
    const firstService = await startService(fixture.deps, options);
    const browser = createOAuthBrowser(base);
    const { url } = createAuthorization(base, client);
    const page = await openConsent(browser, url, "two@example.com");
    const pendingPage = await openConsent(browser, url, "two@example.com");
    await firstService.close();
    const secondService = await startService(fixture.deps, options);
    assert.match((await browser.open(page.url.href)).text, /proof verified/);
    assert.ok(readCallback(await browser.submit(page, { decision: "approve" }), base).get("code"));
    await secondService.close(); // it keeps the document in memory
    await startOther(t, options);
    documentHost.serve("/two.json", (_req, res) => void res.writeHead(404).end());
    const errorPage = await browser.open(pendingPage.url.href);
    assert.equal(errorPage.status, 502);
    assert.match(errorPage.text, /client\.test:\d+ didn’t return it/);
  });

  test("the error page for a failed fetch names the host and the setting CLIENT_DOCUMENTS (REG-4)", async (t) => {
    const base = await startOther(t, {
      fetchDocument: documentHost.createFetch({ resolve: () => Promise.reject(new Error("ENOTFOUND")) }),
    });
    const page = await (await requestAuthorization("https://codex.example/client.json", base)).text();
    assert.match(page, /This server couldn’t reach codex\.example to read it/);
    assert.match(page, /allow outgoing HTTPS connections to codex\.example, or to set CLIENT_DOCUMENTS=off/);
    const missingPage = await (await requestAuthorization(documentHost.url("/missing.json"))).text();
    assert.match(missingPage, /client\.test:\d+ didn’t return it/);
    assert.match(missingPage, /CLIENT_DOCUMENTS=off/);
  });

  const codeRequest = { grant_type: "authorization_code", code: "x" };

  test("with CLIENT_DOCUMENTS=off, the server does not advertise, fetch or accept documents; registration works (VAR-CLIENT_DOCUMENTS, A20)", async (t) => {
    const client = serveClient("/off.json");
    const base = await startOther(t, {
      env: { ...withoutRateLimits.env, CLIENT_DOCUMENTS: "off" },
      fetchDocument: documentHost.createFetch(),
    });
    const countBefore = documentHost.connectionCount;
    for (const path of ["oauth-authorization-server", "oauth-authorization-server/mcp", "openid-configuration"]) {
      const metadata = (await (await fetch(`${base}/.well-known/${path}`)).json()) as Record<string, unknown>;
      assert.equal("client_id_metadata_document_supported" in metadata, false, path);
      assert.equal(metadata["registration_endpoint"], `${base}/api/auth/mcp/register`);
    }
    const response = await requestAuthorization(client.id, base);
    assert.deepEqual([response.status, response.headers.get("location")], [400, null]);
    const page = await response.text();
    assert.match(page, /a document at client\.test:\d+\. This server does not read such documents/);
    assert.match(page, /CLIENT_DOCUMENTS=on/);
    const { status, body } = await requestToken(base, client, codeRequest);
    assert.deepEqual([status, body.error], [401, "invalid_client"]);
    assert.equal(documentHost.connectionCount, countBefore);
    await connectClient(base, { client: await registerClient(base) });
    const unknownClientPage = await (await requestAuthorization("no-such-client", base)).text();
    assert.doesNotMatch(unknownClientPage, /CLIENT_DOCUMENTS/);
  });

  test("responds 429 to an IP address that makes the server fetch too many documents (A20, A26)", async (t) => {
    const base = await startOther(t, { env: {}, fetchDocument: documentHost.createFetch() });
    const requestMissing = (name: string) => requestAuthorization(documentHost.url(`/none-${name}.json`), base);
    for (let i = 0; i < 60; i++) assert.equal((await requestMissing(String(i))).status, 400);
    const rejected = await requestMissing("60");
    assert.equal(rejected.status, 429);
    assert.doesNotMatch(
      await rejected.text(),
      /invalid request|server_error/,
      "the page does not blame the application",
    );
    const token = await requestToken(base, getClient("/none.json"), codeRequest);
    assert.equal(token.status, 429);
    assert.ok(Number(token.headers.get("retry-after")) > 0);
  });
});
