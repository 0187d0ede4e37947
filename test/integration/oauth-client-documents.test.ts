import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isPublicAddress } from "#lib/ip-address.ts";
import { signIn } from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
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
import { findFreeBaseUrl, startService, type RunningService } from "../support/service.ts";
import { startWebHost, type WebHost } from "../support/web-host.ts";

const quiet = { env: { RATE_LIMITS: "off" } };

forEachEngine("oauth client documents", (fixture) => {
  let documents: WebHost;
  let service: RunningService;
  before(async () => {
    documents = await startWebHost(["client.test"]);
    service = await startService(fixture.deps, { ...quiet, fetchDocument: documents.createFetch() });
  });
  after(async () => {
    await service.close();
    await documents.close();
  });

  const document = (path: string, more: Record<string, unknown> = {}) => ({
    client_id: documents.url(path),
    client_name: "Documented",
    redirect_uris: [webRedirect],
    token_endpoint_auth_method: "none",
    ...more,
  });
  const clientAt = (path: string, redirectUri = webRedirect) => ({ id: documents.url(path), redirectUri });
  /** What a person sees who is sent to us by the client with this id. */
  const ask = (id: string, base = service.base) =>
    createOAuthBrowser(base).send(createAuthorization(base, { id, redirectUri: webRedirect }).url);

  test("a good document is a client: verified by its host, through tokens and refresh (REG-4, A20)", async () => {
    documents.serve("/good.json", document("/good.json"));
    const client = clientAt("/good.json");
    const browser = createOAuthBrowser(service.base);
    const page = await openConsent(browser, createAuthorization(service.base, client).url, "doc@example.com");
    assert.match(page.text, /class="badge verified">verified: client\.test:\d+</);
    assert.doesNotMatch(page.text, /unverified/);
    assert.match(page.text, /Sends access to <strong>client\.example<\/strong>/);
    const { tokens } = await connectClient(service.base, { client, browser });
    assert.equal((await refreshTokens(service.base, client, tokens.refresh_token)).status, 200);
    const grants = await fixture.database.q
      .selectFrom("grants")
      .select("client_verified")
      .where("client_id", "=", client.id)
      .execute();
    assert.deepEqual(
      grants.map(({ client_verified: verified }) => verified),
      [1],
    );
  });

  test("what real documents leave out or add does no harm; loopback is good on any port (REG-4)", async () => {
    const { token_endpoint_auth_method: _, ...bare } = document("/bare.json");
    documents.serve("/bare.json", { ...bare, scope: "claudeai", grant_types: ["authorization_code", "urn:x"] });
    await connectClient(service.base, { client: clientAt("/bare.json") });
    const redirects = ["http://127.0.0.1:33418/", "http://127.0.0.1/callback", "http://localhost/callback"];
    documents.serve(
      "/native.json",
      document("/native.json", { redirect_uris: redirects, client_uri: "https://x.example" }),
    );
    for (const uri of ["http://127.0.0.1:51000/callback", "http://localhost:51001/callback", "http://127.0.0.1:9/"]) {
      const { tokens } = await connectClient(service.base, { client: clientAt("/native.json", uri) });
      assert.ok(tokens.refresh_token);
    }
  });

  const slowly = 200; // ms between two bytes; the whole would take half an hour
  const bad: Record<string, (path: string) => Parameters<WebHost["serve"]>[1]> = {
    "a redirect": () => (_req, res) => void res.writeHead(302, { location: documents.url("/good.json") }).end(),
    "a redirect inwards": () => (_req, res) => void res.writeHead(301, { location: "http://127.0.0.1/" }).end(),
    "five megabytes": (path) => document(path, { padding: "x".repeat(5 * 1024 * 1024) }),
    "five megabytes without a length": () => (_req, res) => {
      for (let i = 0; i < 80; i++) res.write("x".repeat(64 * 1024));
      res.end();
    },
    "a byte now and then": () => (_req, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => res.write(" "), slowly);
      res.on("close", () => clearInterval(timer));
    },
    silence: () => () => {},
    "another client's id": () => document("/good.json"),
    "no id": (path) => document(path, { client_id: undefined }),
    "a secret": (path) => document(path, { client_secret: "x".repeat(43) }),
    "a shared secret's method": (path) => document(path, { token_endpoint_auth_method: "client_secret_basic" }),
    "a script to go back to": (path) => document(path, { redirect_uris: ["javascript:alert(1)"] }),
    "a browser to start": (path) => document(path, { redirect_uris: ["microsoft-edge:https://evil.example/"] }),
    "a scheme of no known client": (path) => document(path, { redirect_uris: [webRedirect, "myapp://callback"] }),
    "plain http to go back to": (path) => document(path, { redirect_uris: ["http://client.example/"] }),
    "nowhere to go back to": (path) => document(path, { redirect_uris: [] }),
    "a list": () => [],
    "no JSON": () => (_req, res) => void res.end("<html>"),
    nothing: () => (_req, res) => void res.end(),
    "not found": () => (_req, res) => void res.writeHead(404).end("{}"),
    "a strange status": () => (_req, res) => void res.writeHead(299).end("{}"),
    "half of what it promised": () => (_req, res) => {
      res.writeHead(200, { "content-length": "100" }).write("{");
      setTimeout(() => res.destroy(), 50);
    },
  };
  // Waiting takes its time, and no database takes part in it.
  // What is slow and touches no data is seen once.
  const slowTest = (name: string, run: () => Promise<void>): void => {
    if (fixture.engine === "sqlite") test(name, run);
  };
  slowTest("a document that is not one is refused on a page, within 5 s (REG-4, A20)", async () => {
    await Promise.all(
      Object.entries(bad).map(async ([why, make], i) => {
        documents.serve(`/bad-${i}.json`, make(`/bad-${i}.json`));
        const started = performance.now();
        const response = await ask(documents.url(`/bad-${i}.json`));
        assert.ok(performance.now() - started < 5000, `${why}: ${performance.now() - started} ms`);
        assert.equal(response.status, 400, `${why}: ${await response.text()}`);
        assert.equal(response.headers.get("location"), null, why);
        assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      }),
    );
  });

  test("before sign-in, errors of a documented client are shown on our page, not redirected (A1, A23)", async () => {
    documents.serve("/early.json", document("/early.json"));
    const { url } = createAuthorization(service.base, clientAt("/early.json"), { response_type: "token" });
    const early = await createOAuthBrowser(service.base).send(url);
    assert.deepEqual([early.status, early.headers.get("location")], [400, null]);
    assert.match(await early.text(), /unsupported_response_type/);
    const browser = await signIn(service.base, "early@example.com", createOAuthBrowser(service.base));
    const location = new URL((await browser.send(url)).headers.get("location") ?? "");
    assert.equal(`${location.origin}${location.pathname}`, webRedirect);
    assert.match(location.hash, /error=unsupported_response_type/);
  });

  test("one fetch a request, and we hang up after a few KB (A20)", async () => {
    let sent = 0;
    let hungUp: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (hungUp = resolve));
    documents.serve("/endless.json", (_req, res) => {
      const timer = setInterval(() => {
        sent += 2048;
        res.write(" ".repeat(2048));
      }, 20);
      res.on("close", () => {
        clearInterval(timer);
        hungUp?.();
      });
    });
    const before = documents.connections;
    assert.equal((await ask(documents.url("/endless.json"))).status, 400);
    await ended;
    assert.equal(documents.connections, before + 1);
    assert.ok(sent > 10 * 1024 && sent < 64 * 1024, String(sent));
  });

  test("the token endpoint says invalid_client (A20)", async () => {
    documents.serve("/gone.json", (_req, res) => void res.writeHead(500).end());
    for (const id of [
      documents.url("/gone.json"),
      documents.url("/never.json"),
      "https://[::1]/x",
      "https://client.test/\0",
    ]) {
      const { status, body } = await requestToken(
        service.base,
        { id, redirectUri: webRedirect },
        { grant_type: "authorization_code", code: "x" },
      );
      assert.ok([400, 401].includes(status), id);
      assert.equal(body.error, "invalid_client", id);
    }
  });

  test("addresses that are not a public host's are never asked (A19, A20)", async () => {
    const real = isPublicAddress;
    const inside = await startService(fixture.deps, {
      ...quiet,
      fetchDocument: documents.createFetch({
        isAllowed: real,
        resolve: async (name) => ({ "mixed.test": ["93.184.216.34", "127.0.0.1"] })[name] ?? ["127.0.0.1"],
      }),
    });
    const { port } = new URL(documents.url("/"));
    const before = documents.connections;
    try {
      for (const host of [
        "client.test", // its name leads to 127.0.0.1
        "mixed.test",
        "localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
      ]) {
        const response = await ask(`https://${host}:${port}/good.json`, inside.base);
        assert.equal(response.status, 400, host);
        assert.equal(response.headers.get("location"), null, host);
      }
      assert.equal(documents.connections, before);
    } finally {
      await inside.close();
    }
  });

  test("ids that are not a plain https address are no documents (A20)", async () => {
    const before = documents.connections;
    const good = documents.url("/good.json");
    for (const id of [
      good.replace("https:", "http:"),
      good.replace("https://", "https://user@"),
      good.replace("https://", "https://user:pass@"),
      good.replace("/good", "/x/../good"),
      good.replace("/good", "/./good"),
      good.replace("/good", "/%2e%2e/good"),
      `${good}#x`,
      ` ${good}`,
      good.replace("/good", "\\good"),
      `${good}\n`,
      "https://",
      "https:good.json",
    ])
      assert.equal((await ask(id)).status, 400, id);
    assert.equal(documents.connections, before);
  });

  slowTest("a name that nobody answers for is given up within 5 s (A20)", async () => {
    const waiting = await startService(fixture.deps, {
      ...quiet,
      fetchDocument: documents.createFetch({ resolve: () => new Promise(() => {}) }),
    });
    try {
      const started = performance.now();
      assert.equal((await ask(documents.url("/good.json"), waiting.base)).status, 400);
      assert.ok(performance.now() - started < 5000);
    } finally {
      await waiting.close();
    }
  });

  test("an approval begun at one instance is answered at another, which reads the document again (C5, A20)", async () => {
    documents.serve("/two.json", document("/two.json"));
    const client = clientAt("/two.json");
    const base = await findFreeBaseUrl();
    const options = { ...quiet, base, fetchDocument: documents.createFetch() };
    const first = await startService(fixture.deps, options);
    const browser = createOAuthBrowser(base);
    const { url } = createAuthorization(base, client);
    const page = await openConsent(browser, url, "two@example.com");
    await first.close();
    const second = await startService(fixture.deps, options);
    try {
      assert.match((await browser.open(page.url.href)).text, /badge verified/);
      assert.ok(readCallback(await browser.submit(page, { decision: "approve" }), base).get("code"));
    } finally {
      await second.close();
    }
    // And where the document is gone by then, a page says so.
    const third = await startService(fixture.deps, options);
    const waiting = await openConsent(browser, url, "two@example.com");
    await third.close();
    documents.serve("/two.json", (_req, res) => void res.writeHead(404).end());
    const fourth = await startService(fixture.deps, options);
    try {
      const gone = await browser.open(waiting.url.href);
      assert.equal(gone.status, 502);
      assert.match(gone.text, /client\.test:\d+ did not return it/);
    } finally {
      await fourth.close();
    }
  });

  test("a failed fetch names the host that could not be reached, and the operator's setting (REG-4)", async () => {
    const offline = await startService(fixture.deps, {
      ...quiet,
      fetchDocument: documents.createFetch({ resolve: () => Promise.reject(new Error("ENOTFOUND")) }),
    });
    try {
      const page = await (await ask("https://codex.example/client.json", offline.base)).text();
      assert.match(page, /This server could not reach codex\.example to read it/);
      assert.match(page, /allow outgoing HTTPS connections to codex\.example, or set CLIENT_DOCUMENTS=off/);
    } finally {
      await offline.close();
    }
    const missing = await (await ask(documents.url("/missing.json"))).text();
    assert.match(missing, /client\.test:\d+ did not return it/);
    assert.match(missing, /CLIENT_DOCUMENTS=off/);
  });

  test("off: documents are not advertised, fetched or accepted; registration works (VAR-CLIENT_DOCUMENTS, A20)", async () => {
    documents.serve("/off.json", document("/off.json"));
    const off = await startService(fixture.deps, {
      env: { ...quiet.env, CLIENT_DOCUMENTS: "off" },
      fetchDocument: documents.createFetch(),
    });
    const connections = documents.connections;
    try {
      for (const path of ["oauth-authorization-server", "oauth-authorization-server/mcp", "openid-configuration"]) {
        const metadata = (await (await fetch(`${off.base}/.well-known/${path}`)).json()) as Record<string, unknown>;
        assert.equal("client_id_metadata_document_supported" in metadata, false, path);
        assert.equal(metadata["registration_endpoint"], `${off.base}/api/auth/mcp/register`);
      }
      const response = await ask(documents.url("/off.json"), off.base);
      assert.equal(response.status, 400);
      assert.equal(response.headers.get("location"), null);
      const page = await response.text();
      assert.match(page, /a document at client\.test:\d+\. This server does not read such documents/);
      assert.match(page, /CLIENT_DOCUMENTS=on/);
      const { status, body } = await requestToken(off.base, clientAt("/off.json"), {
        grant_type: "authorization_code",
        code: "x",
      });
      assert.deepEqual([status, body.error], [401, "invalid_client"]);
      assert.equal(documents.connections, connections);
      await connectClient(off.base, { client: await registerClient(off.base) });
      const unknown = await (await ask("no-such-client", off.base)).text();
      assert.doesNotMatch(unknown, /CLIENT_DOCUMENTS/);
    } finally {
      await off.close();
    }
  });

  test("how many documents one address makes us fetch is limited, with 429 (A20, A26)", async () => {
    const limited = await startService(fixture.deps, { fetchDocument: documents.createFetch() });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 62; i++) statuses.push((await ask(documents.url(`/none-${i}.json`), limited.base)).status);
      assert.deepEqual([...new Set(statuses.slice(0, 60))], [400]);
      assert.deepEqual(statuses.slice(60), [429, 429]);
      const token = await requestToken(limited.base, clientAt("/none.json"), {
        grant_type: "authorization_code",
        code: "x",
      });
      assert.equal(token.status, 429);
      assert.ok(Number(token.headers.get("retry-after")) > 0);
    } finally {
      await limited.close();
    }
  });
});
