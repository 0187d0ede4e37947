import assert from "node:assert/strict";
import { test } from "node:test";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { hours } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  createAuthorization,
  connectClient,
  registerClient,
  openConsent,
  endpointPaths,
  post,
  readCallback,
  refreshTokens,
  sendRegistration,
  revokeToken,
  createOAuthBrowser,
  webRedirect,
} from "../support/oauth-client.ts";
import { useService } from "../support/oauth-fixture.ts";

/** What most clients send. */
const publicClient = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** Registration requests from real clients, taken from their source code and from bug reports of other servers. */
const realClients: Record<string, Record<string, unknown>> = {
  Claude: {
    ...publicClient,
    client_name: "Claude",
    scope: "studio:read studio:write",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  "Claude, confidential": {
    ...publicClient,
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    token_endpoint_auth_method: "client_secret_post",
    scope: "claudeai",
    client_name: "claudeai",
    client_uri: "https://claude.ai",
  },
  "Claude Code": {
    ...publicClient,
    client_name: "Claude Code (atelier)",
    redirect_uris: ["http://localhost:54212/callback"],
  },
  ChatGPT: {
    ...publicClient,
    client_name: "ChatGPT",
    redirect_uris: [
      "https://chatgpt.com/connector/oauth/OUbdUMlL15Ct",
      "https://chatgpt.com/connector_platform_oauth_redirect",
    ],
  },
  Cursor: {
    ...publicClient,
    client_name: "Cursor",
    redirect_uris: [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
  },
  "VS Code": {
    ...publicClient,
    client_name: "Visual Studio Code",
    client_uri: "https://code.visualstudio.com",
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    redirect_uris: [
      "https://insiders.vscode.dev/redirect",
      "https://vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1:33418/",
    ],
    scope: "studio:read studio:write offline_access",
    application_type: "native",
  },
  Inspector: {
    ...publicClient,
    redirect_uris: ["http://localhost:6274/oauth/callback"],
    client_name: "MCP Inspector",
    client_uri: "https://github.com/modelcontextprotocol/inspector",
    scope: "",
  },
  "mcp-remote": {
    ...publicClient,
    redirect_uris: ["http://localhost:3334/oauth/callback"],
    client_name: "MCP CLI Proxy",
    client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
    software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
    software_version: "0.1.29",
    scope: "openid email profile",
  },
};

const minimalMetadata = { redirect_uris: [webRedirect] };

const toRecord = (names: readonly string[], value: unknown) => Object.fromEntries(names.map((name) => [name, value]));

forOneEngine("oauth registration", (fixture) => {
  const service = useService(fixture);
  const purge = () => createPurgeJob(fixture.deps)(untilDone);

  for (const [name, payload] of Object.entries(realClients)) {
    test(`${name} registers with its real metadata, and obtains tokens (REG-1, A3)`, async () => {
      const { status, text, body } = await sendRegistration(service.base, payload);
      assert.equal(status, 201, text);
      assert.deepEqual(body.redirect_uris, payload["redirect_uris"]);
      assert.equal(body.token_endpoint_auth_method, payload["token_endpoint_auth_method"]);
      for (const redirectUri of body.redirect_uris as string[]) {
        const client = { id: body.client_id, secret: body.client_secret, redirectUri };
        const { tokens } = await connectClient(service.base, {
          client,
          authorizationParams: { scope: payload["scope"] as string },
        });
        assert.match(tokens.scope, /studio:read studio:write/);
        assert.equal((await refreshTokens(service.base, client, tokens.refresh_token)).status, 200);
      }
    });
  }

  const acceptedMetadata: Record<string, Record<string, unknown>> = {
    "only redirect URIs": minimalMetadata,
    "nulls and empty strings": {
      ...minimalMetadata,
      ...toRecord(["client_name", "logo_uri", "policy_uri", "scope", "contacts", "application_type"], null),
      ...toRecord(["grant_types", "response_types", "token_endpoint_auth_method", "software_id", "jwks"], null),
      ...toRecord(["client_uri", "tos_uri", "jwks_uri"], ""),
    },
    "unsupported grant and response types": {
      ...minimalMetadata,
      grant_types: ["implicit", "password", "client_credentials"],
      response_types: ["token", "id_token"],
    },
    "invalid links and contacts": {
      ...minimalMetadata,
      client_uri: "http://localhost/",
      logo_uri: "javascript:alert(1)",
      contacts: ["not an email"],
    },
    "contacts that can’t be converted to text": { ...minimalMetadata, contacts: [{ toString: 1 }] },
    "a software statement, keys and unknown metadata": {
      ...minimalMetadata,
      software_statement: "a.b.c",
      jwks_uri: "https://client.example/jwks",
      sector_identifier_uri: "https://client.example/sector",
      initiate_login_uri: "https://client.example/login",
      client_id: "chosen-by-client",
      unknown: { deep: [1] },
    },
  };
  for (const [name, payload] of Object.entries(acceptedMetadata)) {
    test(`registration accepts ${name}, and fills in defaults (REG-1, A3)`, async () => {
      const { status, headers, text, body } = await sendRegistration(service.base, payload);
      assert.equal(status, 201, text);
      assert.match(headers.get("cache-control") ?? "", /no-store/);
      assert.ok(!Object.values(body as object).includes(null), text);
      assert.notEqual(body.client_id, "chosen-by-client");
      assert.equal(typeof body.client_id_issued_at, "number");
      // RFC 7591 §3.2.1: a secret has an expiry time; 0 means never.
      assert.equal(body.client_secret_expires_at, 0);
      assert.ok(body.client_secret.length >= 43);
      assert.deepEqual(body.grant_types, ["authorization_code", "refresh_token"]);
      assert.deepEqual(body.response_types, ["code"]);
      assert.equal(body.token_endpoint_auth_method, "client_secret_basic");
      for (const name of ["jwks_uri", "sector_identifier_uri", "software_statement", "unknown", "logo_uri"])
        assert.ok(!(name in body), name);
    });
  }

  async function assertUrisRejected(redirectUris: unknown, message: string): Promise<void> {
    const { status, text, body } = await sendRegistration(service.base, { redirect_uris: redirectUris });
    assert.deepEqual([status, body.error], [400, "invalid_redirect_uri"], `${message}: ${text}`);
  }

  const tooManyUris = Array.from({ length: 200 }, (_, i) => `${webRedirect}/${i}`);
  const rejectedUris: Record<string, unknown> = {
    "a script": ["javascript:alert(1)"],
    "a script in capitals": ["JavaScript:alert(1)"],
    "a script after a space": [" javascript:alert(1)"],
    "a script with a tab inside": ["java\tscript:alert(1)"],
    data: ["data:text/html,x"],
    "a file": ["file:///etc/passwd"],
    "a blob": ["blob:https://client.example/x"],
    "plain http to a public host": ["http://client.example/callback"],
    "plain http to a name that only looks like loopback": ["http://localhost.evil.example/callback"],
    "plain http to a name that contains an IP address": ["http://127.0.0.1.nip.io/callback"],
    "plain http to the local network": ["http://192.168.1.1/callback"],
    "one invalid of two": [webRedirect, "http://client.example/callback"],
    "an empty list": [],
    "two hundred URIs": tooManyUris,
    "a string": webRedirect,
    null: null,
    numbers: [1, 2],
    "nested lists": [[webRedirect]],
    "an object": { 0: webRedirect },
    "a relative URI": ["/callback"],
    "an empty URI": [""],
    "a fragment": [`${webRedirect}#x`],
    "an empty fragment": [`${webRedirect}#`],
    "user info": ["https://client.example@evil.example/callback"],
    "a host that adds a CSP directive": ["https://client.example;sandbox/callback"],
    "a wildcard host": ["https://*/callback"],
    "a list of hosts": ["https://client.example,evil.example/callback"],
    "an error parameter": [`${webRedirect}?error=x`],
    "an error description parameter": [`${webRedirect}?a=b&error_description=Call+us`],
    "a line break": [`${webRedirect}\r\nx: y`],
    "a backslash": ["https://client.example\\@evil.example/"],
    "3000 characters": [`${webRedirect}?${"x".repeat(3000)}`],
  };
  test("rejects invalid and unsafe redirect URIs (REG-2, A3)", async () => {
    for (const [name, redirectUris] of Object.entries(rejectedUris)) await assertUrisRejected(redirectUris, name);
  });

  const allowedSchemes = [
    ...["cursor://anysphere.cursor-mcp/oauth/callback", "vscode://saoudrizwan.claude-dev/mcp-auth/callback"],
    ...["vscode-insiders://x/callback", "claude://claude.ai/callback", "warp://mcp/oauth2callback", "zed://callback"],
    ...["com.example.app:/callback", "com.raycast:/oauth", "social.my-app://callback", "COM.Example.App:/callback"],
  ];
  test("accepts private-use schemes of known clients and reverse domain names (REG-2)", async () => {
    for (const redirectUri of allowedSchemes) {
      const { status, text } = await sendRegistration(service.base, { redirect_uris: [redirectUri] });
      assert.equal(status, 201, `${redirectUri}: ${text}`);
    }
    const app = await registerClient(service.base, { redirect_uris: ["com.example.app:/callback"] });
    assert.ok((await connectClient(service.base, { client: app })).tokens.access_token);
  });

  const rejectedSchemes = [
    ...["microsoft-edge:https://evil.example/", "shell:startup", "ms-settings:x", "ms-msdt:/id", "search-ms:query=x"],
    ...["intent://x#Intent;end", "about:blank", "view-source:https://x.example/", "chrome://settings", "mailto:a@b.c"],
    ...["ftp://client.example/", "ws://client.example/", "wss://client.example/", "tel:1", "itms-apps://x", "ssh://x"],
    ...["x-apple.systempreferences:x", "microsoft.windows.camera:", "windows.photos:x", "com.apple.tv://x"],
    ...["myapp://callback", "constructor:x", "__proto__:x", "hasownproperty://x", "vscode-evil://x", "cursor2://x"],
    ...[".com.example:/x", "com.:/x", "com..example:/x", "vscode+x://y", "1com.example:/x"],
  ];
  test("rejects all other redirect schemes (REG-2, A3)", async () => {
    for (const redirectUri of rejectedSchemes) {
      await assertUrisRejected([redirectUri], redirectUri);
      await assertUrisRejected([webRedirect, redirectUri], redirectUri);
    }
  });

  test("every endpoint names the reason if a client was registered with a scheme that is no longer allowed (A3)", async () => {
    const { client, browser, tokens } = await connectClient(service.base, { email: "old@example.com" });
    const page = await openConsent(browser, createAuthorization(service.base, client).url, "old@example.com");
    const metadata = await fixture.deps.oauthClients.find(client.id);
    const redirectUri = "microsoft-edge:https://evil.example/";
    await fixture.deps.oauthClients.put(client.id, { ...metadata, redirect_uris: [redirectUri] }, fixture.clock());

    for (const anyBrowser of [createOAuthBrowser(service.base), browser]) {
      const response = await anyBrowser.send(createAuthorization(service.base, { ...client, redirectUri }).url);
      const text = await response.text();
      assert.deepEqual([response.status, response.headers.get("location")], [400, null], text);
      assert.match(text, /the redirect scheme microsoft-edge is not allowed/);
    }
    const responses = [
      await refreshTokens(service.base, client, tokens.refresh_token),
      await revokeToken(service.base, client, tokens.refresh_token),
    ];
    for (const { status, text, body } of responses) {
      assert.equal(status, 400, text);
      assert.match(body.error_description, /redirect scheme microsoft-edge is not allowed/);
    }
    const submittedPage = await browser.submit(page, { decision: "approve" });
    assert.equal(submittedPage.status, 502);
    assert.match(submittedPage.text, /connect again/);
  });

  const json = { "content-type": "application/json" };
  const rejectedBodies: Record<string, [body: string | URLSearchParams, headers?: Record<string, string>]> = {
    null: ["null"],
    "a list": ["[]"],
    "a string": ['"x"'],
    "truncated JSON": ['{"redirect_uris":['],
    "an empty body": [""],
    "two megabytes": [JSON.stringify({ ...minimalMetadata, client_name: "x".repeat(2 * 1024 * 1024) })],
    "fifty thousand nested lists": ["[".repeat(50_000)],
    "a form": [
      new URLSearchParams({ redirect_uris: webRedirect }),
      { "content-type": "application/x-www-form-urlencoded" },
    ],
    "a name that is not a string": [JSON.stringify({ ...minimalMetadata, client_name: { toString: 1 } })],
    "an unsupported auth method": [
      JSON.stringify({ ...minimalMetadata, token_endpoint_auth_method: "private_key_jwt" }),
    ],
    "a __proto__ key": ['{"__proto__":{"redirect_uris":["https://client.example/"]}}'],
  };
  test("rejects a body that is not client metadata with an error of RFC 7591 (A3)", async () => {
    for (const [name, [body, headers = json]] of Object.entries(rejectedBodies)) {
      const response = await post(`${service.base}${endpointPaths.register}`, body, headers);
      assert.equal(response.status, 400, `${name}: ${response.text}`);
      assert.match(response.body.error, /^invalid_(redirect_uri|client_metadata)$/, `${name}: ${response.text}`);
    }
  });

  test("has no endpoint to read, change or delete a registration (REG-1)", async () => {
    const { id } = await registerClient(service.base);
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      for (const path of [endpointPaths.register, `${endpointPaths.register}/${id}`]) {
        const { status } = await fetch(`${service.base}${path}`, { method });
        assert.ok(status >= 400 && status < 500, `${method} ${path} ${status}`);
      }
    }
    assert.equal((await fetch(createAuthorization(service.base, { id, redirectUri: webRedirect }).url)).status, 200);
  });

  test("keeps an unused client while a user has its first consent page open (A26, REG-5)", async () => {
    const client = await registerClient(service.base);
    fixture.clock.advance(hours(24) - 1);
    const browser = createOAuthBrowser(service.base);
    const { url } = createAuthorization(service.base, client);
    const page = await openConsent(browser, url, "ada@example.com");
    fixture.clock.advance(hours(0.5) - 2);
    await purge();
    const callbackPage = await browser.submit(page, { decision: "approve" });
    assert.ok(readCallback(callbackPage, service.base).get("code"));

    const abandonedClient = await registerClient(service.base);
    fixture.clock.advance(hours(24) - 1);
    await createOAuthBrowser(service.base).send(createAuthorization(service.base, abandonedClient).url);
    fixture.clock.advance(hours(1) + 1);
    await purge();
    const storedClient = await fixture.deps.oauthClients.find(abandonedClient.id);
    assert.equal(storedClient, undefined, "deleted an hour after the abandoned authorization");
  });
});
