import { fc } from "../support/fuzz.ts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLog } from "#lib/log.ts";
import { forEachEngine } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import {
  readResponse,
  createAuthorization,
  connectClient,
  registerClient,
  obtainCode,
  endpointPaths,
  post,
  createOAuthBrowser,
  webRedirect,
  type OAuthResponse,
  type ObtainedCode,
  type OAuthClient,
} from "../support/oauth-client.ts";
import { startService, type RunningService } from "../support/service.ts";

/** Text that has broken someone's parser, address or database, and text that nobody thought of. */
const text = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\u202e",
    "%",
    "%zz",
    "%00",
    "../..",
    "__proto__",
    "constructor",
    "null",
  ),
  fc.constantFrom(
    "'; DROP TABLE grants; --",
    '"><script>',
    "\r\nLocation: https://evil.example/",
    "${jndi:ldap://x}",
    "[]",
  ),
  fc.constantFrom(
    "code",
    "none",
    "login",
    "S256",
    "plain",
    "query",
    "openid",
    "studio:read",
    "studio:write",
    webRedirect,
  ),
  fc.constantFrom(
    "https://evil.example/",
    "//evil.example",
    "javascript:alert(1)",
    "https://[::1",
    "http://localhost:1/",
  ),
  fc.constantFrom("x".repeat(43), "x".repeat(5000), "authorization_code", "refresh_token", "-1", "1e309", "true"),
  fc.string({ maxLength: 60, unit: "binary" }),
);

const anyJson = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }));

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const seconds = isLongRun ? 60 : 4;
const runs = {
  numRuns: isLongRun ? 5_000 : 150,
  interruptAfterTimeLimit: seconds * 1000,
  markInterruptAsFailure: false,
};

const names = {
  authorize: [
    ...["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
    ...[
      "resource",
      "prompt",
      "nonce",
      "max_age",
      "response_mode",
      "id_token_hint",
      "login_hint",
      "request",
      "request_uri",
    ],
    ...["claims", "acr_values", "registration", "ui_locales", "display"],
  ],
  token: [
    ...["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "client_secret", "resource", "scope"],
    ...["refresh_token", "client_assertion", "client_assertion_type", "username", "token"],
  ],
  register: [
    ...[
      "redirect_uris",
      "client_name",
      "token_endpoint_auth_method",
      "grant_types",
      "response_types",
      "scope",
      "logo_uri",
    ],
    ...["client_uri", "contacts", "application_type", "software_id", "jwks", "jwks_uri", "client_id", "client_secret"],
    ...["id_token_signed_response_alg", "subject_type", "sector_identifier_uri", "default_max_age", "__proto__"],
  ],
};

/** A few of these parameters, each with any value, some more than once. */
const parameters = (known: readonly string[]) =>
  fc.array(fc.tuple(fc.oneof(fc.constantFrom(...known), text), text), { maxLength: 6 });

forEachEngine("oauth, malformed requests", (fixture) => {
  let service: RunningService;
  let client: OAuthClient;
  let given: ObtainedCode;
  const failures: string[] = [];
  before(async () => {
    const log = createLog("error", { write: (line: string) => void failures.push(line) });
    service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" }, log });
    client = await registerClient(service.base);
    given = await obtainCode(service.base, { client });
  });
  after(async () => {
    await service.close();
    assert.deepEqual(failures, []);
  });

  const count = async () =>
    Promise.all(
      (["grants", "sessions", "users"] as const).map(
        async (table) => (await fixture.database.q.selectFrom(table).selectAll().execute()).length,
      ),
    );

  /** An error of RFC 6749, 7009, 7591 or 8707, told as JSON. */
  function assertError(answer: OAuthResponse): void {
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
    if (answer.status === 404) return;
    assert.match(String(answer.body?.error), /^[a-z_]+$/, answer.text);
  }

  test("authorize: an error at the client's own address, or a page of ours", async () => {
    const before = await count();
    const browser = given.browser;
    const property = fc.asyncProperty(parameters(names.authorize), fc.boolean(), async (params, replace) => {
      const url = new URL(createAuthorization(service.base, client).url);
      for (const [name, value] of params) url.searchParams[replace ? "set" : "append"](name, value);
      const response = await (replace ? browser : createOAuthBrowser(service.base)).send(url.href);
      await response.body?.cancel();
      assert.ok(response.status < 500, `${response.status} ${url.search}`);
      const location = response.headers.get("location");
      if (location === null) assert.ok(response.status >= 400, url.search);
      else assert.match(location, placesToGo(service.base), url.search);
    });
    await fc.assert(property, runs);
    assert.deepEqual(await count(), before);
  });

  test("token and revocation: an error of the RFC, and the code stays good", async () => {
    const before = await count();
    const property = fc.asyncProperty(
      parameters(names.token),
      fc.constantFrom(endpointPaths.token, endpointPaths.revoke),
      fc.option(text),
      fc.constantFrom(form, { "content-type": "application/x-www-form-urlencoded;charset=utf-8" }, json, {}),
      async (params, path, basic, headers) => {
        const body = new URLSearchParams({ grant_type: "authorization_code", client_id: client.id, code: given.code });
        for (const [name, value] of params) body.append(name, value);
        const auth = basic === null ? {} : { authorization: `Basic ${Buffer.from(basic).toString("base64")}` };
        const sent = { ...headers, ...auth } as Record<string, string>;
        const answer = await post(`${service.base}${path}`, body.toString(), sent);
        // RFC 7009 §2.2: a token that nobody knows is as good as revoked.
        if (path === endpointPaths.revoke && answer.status === 200) return;
        assertError(answer);
      },
    );
    await fc.assert(property, runs);
    assert.deepEqual(await count(), before);
    await connectClient(service.base, { client, browser: given.browser });
  });

  test("registration: an error of RFC 7591, or a client that can be used", async () => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...names.register), anyJson), { maxLength: 6 }),
      fc.boolean(),
      async (fields, keepUris) => {
        const body = Object.fromEntries(fields);
        const answer = await post(
          `${service.base}${endpointPaths.register}`,
          JSON.stringify(keepUris ? { ...body, redirect_uris: [webRedirect] } : body),
          json,
        );
        if (answer.status !== 201) return assertError(answer);
        assert.ok(!Object.values(answer.body as object).includes(null), answer.text);
        for (const redirectUri of answer.body.redirect_uris as string[]) {
          const one = { id: answer.body.client_id as string, redirectUri };
          const { status } = await createOAuthBrowser(service.base).send(createAuthorization(service.base, one).url);
          assert.equal(status, 303, answer.text);
        }
      },
    );
    await fc.assert(property, runs);
  });

  test("registration: bodies that are hardly JSON", async () => {
    const property = fc.asyncProperty(fc.oneof(text, fc.json()), async (body) => {
      const answer = await post(`${service.base}${endpointPaths.register}`, body, json);
      assertError(answer);
    });
    await fc.assert(property, { ...runs, numRuns: 60 });
  });

  test("consent, the way back, and the identity provider's callback: a page, and nobody is signed in", async () => {
    const before = await count();
    const segment = fc.oneof(text, fc.constantFrom("x".repeat(43), "dev", "%2e%2e", "%00", "%ff")).map(encodeSegment);
    const property = fc.asyncProperty(
      fc.constantFrom("/consent/", `${endpointPaths.authorize}/`, "/api/auth/callback/", "/login?return_to="),
      segment,
      parameters(["code", "state", "iss", "error", "token", "decision"]),
      fc.boolean(),
      async (path, last, params, asForm) => {
        const url = `${service.base}${path}${last}`;
        const body = new URLSearchParams(params as [string, string][]);
        const browser = asForm ? given.browser : createOAuthBrowser(service.base);
        const answer = await readResponse(
          asForm
            ? await browser.send(url, { method: "POST", body, headers: { origin: new URL(service.base).origin } })
            : await browser.send(`${url}${url.includes("?") ? "&" : "?"}${body.toString()}`),
        );
        assert.ok(
          answer.status < 500 || answer.status === 502,
          `${answer.status} ${url} ${body.toString()}\n${answer.text}`,
        );
        const location = answer.headers.get("location");
        if (location !== null) assert.match(location, placesToGo(service.base), url);
      },
    );
    await fc.assert(property, runs);
    assert.deepEqual(await count(), before);
  });
});

/** Our own pages, the development issuer among them, or the one address that the client registered. */
function placesToGo(base: string): RegExp {
  return new RegExp(`^(${base}/|/(?![/\\\\])|${webRedirect.replaceAll(".", "\\.")}([?#]|$))`);
}

/** As a client could put it into a path: what cannot be encoded is left out. */
function encodeSegment(value: string): string {
  return value.startsWith("%") ? value : encodeURIComponent(value.toWellFormed());
}
