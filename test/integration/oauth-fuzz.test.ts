import { fc } from "../support/fuzz.ts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLog } from "#lib/log.ts";
import { forOneEngine } from "../support/engines.ts";
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
import { useService, withoutRateLimits } from "../support/oauth-fixture.ts";

/** Strings that break parsers, URLs or databases, and random ones. */
const hostileText = fc.oneof(
  fc.constantFrom("", " ", "\0", "a\0b", "\ud800", "\u202e", "%", "%zz", "%00", "../..", "__proto__", "constructor"),
  fc.constantFrom("'; DROP TABLE grants; --", '"><script>', "\r\nLocation: https://evil.example/", "${jndi:ldap://x}"),
  fc.constantFrom("code", "none", "login", "S256", "plain", "query", "openid", "studio:read", webRedirect),
  fc.constantFrom(
    "https://evil.example/",
    "//evil.example",
    "javascript:alert(1)",
    "https://[::1",
    "http://localhost:1/",
  ),
  fc.constantFrom(
    "x".repeat(43),
    "x".repeat(5000),
    "authorization_code",
    "refresh_token",
    "-1",
    "1e309",
    "true",
    "null",
  ),
  fc.string({ maxLength: 60, unit: "binary" }),
);

const anyJson = fc.oneof(hostileText, fc.array(hostileText, { maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }));

const jsonHeaders = { "content-type": "application/json" };
const formHeaders = { "content-type": "application/x-www-form-urlencoded" };
const fuzzOptions = { numRuns: isLongRun ? 5_000 : 100 };

const parameterNames = {
  authorize: [
    ...["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"],
    ...["resource", "prompt", "nonce", "max_age", "response_mode", "id_token_hint", "login_hint", "request"],
    ...["request_uri", "claims", "acr_values", "registration", "ui_locales", "display"],
  ],
  token: [
    ...["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "client_secret", "resource", "scope"],
    ...["refresh_token", "client_assertion", "client_assertion_type", "username", "token"],
  ],
  register: [
    ...["redirect_uris", "client_name", "token_endpoint_auth_method", "grant_types", "response_types", "scope"],
    ...["logo_uri", "client_uri", "contacts", "application_type", "software_id", "jwks", "jwks_uri", "client_id"],
    ...["client_secret", "id_token_signed_response_alg", "subject_type", "sector_identifier_uri", "default_max_age"],
    "__proto__",
  ],
};

/** Random metadata of a client, half of the time with a valid redirect URI. */
const clientMetadata = fc
  .tuple(fc.array(fc.tuple(fc.constantFrom(...parameterNames.register), anyJson), { maxLength: 6 }), fc.boolean())
  .map(([fields, hasValidUris]) =>
    JSON.stringify({ ...Object.fromEntries(fields), ...(hasValidUris ? { redirect_uris: [webRedirect] } : {}) }),
  );

/** Up to six parameters with these or hostile names, and hostile values; names can repeat. */
const arbitraryParameters = (commonNames: readonly string[]) =>
  fc.array(fc.tuple(fc.oneof(fc.constantFrom(...commonNames), hostileText), hostileText), { maxLength: 6 });

forOneEngine("oauth, malformed requests", (fixture) => {
  const loggedErrors: string[] = [];
  const log = createLog("error", { write: (line: string) => void loggedErrors.push(line) });
  const service = useService(fixture, { ...withoutRateLimits, log });
  let client: OAuthClient;
  let obtainedCode: ObtainedCode;
  before(async () => {
    client = await registerClient(service.base);
    obtainedCode = await obtainCode(service.base, { client });
  });
  after(() => assert.deepEqual(loggedErrors, []));

  const countRows = async () =>
    Promise.all(
      (["grants", "sessions", "users"] as const).map(
        async (table) => (await fixture.database.q.selectFrom(table).selectAll().execute()).length,
      ),
    );

  /** Asserts that the response is an error of RFC 6749, 7009, 7591 or 8707, or a 404. */
  function assertError(response: OAuthResponse): void {
    assert.ok(response.status >= 400 && response.status < 500, `${response.status} ${response.text}`);
    if (response.status === 404) return;
    assert.match(String(response.body?.error), /^[a-z_]+$/, response.text);
  }

  test("authorize: redirects only to the client's redirect URI or the server's own pages", async () => {
    const rowsBefore = await countRows();
    const browser = obtainedCode.browser;
    const property = fc.asyncProperty(
      arbitraryParameters(parameterNames.authorize),
      fc.boolean(),
      fc.boolean(),
      async (params, shouldReplace, isSignedIn) => {
        const url = new URL(createAuthorization(service.base, client).url);
        for (const [name, value] of params) url.searchParams[shouldReplace ? "set" : "append"](name, value);
        const response = await (isSignedIn ? browser : createOAuthBrowser(service.base)).send(url.href);
        await response.body?.cancel();
        assert.ok(response.status < 500, `${response.status} ${url.search}`);
        const location = response.headers.get("location");
        if (location === null) assert.ok(response.status >= 400, url.search);
        else assert.match(location, createAllowedRedirectPattern(service.base), url.search);
      },
    );
    await fc.assert(property, fuzzOptions);
    assert.deepEqual(await countRows(), rowsBefore);
  });

  test("token and revocation: respond with an error that the RFCs define, and create no grant", async () => {
    const rowsBefore = await countRows();
    const property = fc.asyncProperty(
      arbitraryParameters(parameterNames.token),
      fc.constantFrom(endpointPaths.token, endpointPaths.revoke),
      fc.option(hostileText),
      fc.constantFrom(
        formHeaders,
        { "content-type": "application/x-www-form-urlencoded;charset=utf-8" },
        jsonHeaders,
        {},
      ),
      async (params, path, basicCredentials, headers) => {
        const body = new URLSearchParams({
          grant_type: "authorization_code",
          client_id: client.id,
          code: obtainedCode.code,
        });
        for (const [name, value] of params) body.append(name, value);
        const auth =
          basicCredentials === null
            ? {}
            : { authorization: `Basic ${Buffer.from(basicCredentials).toString("base64")}` };
        const allHeaders = { ...headers, ...auth } as Record<string, string>;
        const response = await post(`${service.base}${path}`, body.toString(), allHeaders);
        // RFC 7009 §2.2: revoking an unknown token succeeds.
        if (path === endpointPaths.revoke && response.status === 200) return;
        assertError(response);
      },
    );
    await fc.assert(property, fuzzOptions);
    assert.deepEqual(await countRows(), rowsBefore);
    await connectClient(service.base, { client, browser: obtainedCode.browser });
  });

  test("registration: responds with an error of RFC 7591, or with a usable client", async () => {
    const property = fc.asyncProperty(
      fc.oneof({ weight: 2, arbitrary: clientMetadata }, { weight: 1, arbitrary: fc.oneof(hostileText, fc.json()) }),
      async (body) => {
        const response = await post(`${service.base}${endpointPaths.register}`, body, jsonHeaders);
        if (response.status !== 201) return assertError(response);
        assert.ok(!Object.values(response.body as object).includes(null), response.text);
        for (const redirectUri of response.body.redirect_uris as string[]) {
          const registeredClient = { id: response.body.client_id as string, redirectUri };
          const { status } = await createOAuthBrowser(service.base).send(
            createAuthorization(service.base, registeredClient).url,
          );
          assert.equal(status, 303, response.text);
        }
      },
    );
    await fc.assert(property, fuzzOptions);
  });

  test("consent, resume and callback: redirect only to allowed URLs, and sign no user in", async () => {
    const rowsBefore = await countRows();
    const segment = fc
      .oneof(hostileText, fc.constantFrom("x".repeat(43), "dev", "%2e%2e", "%00", "%ff"))
      .map(encodeSegment);
    const property = fc.asyncProperty(
      fc.constantFrom("/consent/", `${endpointPaths.authorize}/`, "/api/auth/callback/", "/login?return_to="),
      segment,
      arbitraryParameters(["code", "state", "iss", "error", "token", "decision"]),
      fc.boolean(),
      fc.boolean(),
      async (path, lastSegment, params, isForm, isSignedIn) => {
        const url = `${service.base}${path}${lastSegment}`;
        const body = new URLSearchParams(params as [string, string][]);
        const browser = isSignedIn ? obtainedCode.browser : createOAuthBrowser(service.base);
        const response = await readResponse(
          isForm
            ? await browser.send(url, { method: "POST", body, headers: { origin: new URL(service.base).origin } })
            : await browser.send(`${url}${url.includes("?") ? "&" : "?"}${body.toString()}`),
        );
        assert.ok(
          response.status < 500 || response.status === 502,
          `${response.status} ${url} ${body.toString()}\n${response.text}`,
        );
        const location = response.headers.get("location");
        if (location !== null) assert.match(location, createAllowedRedirectPattern(service.base), url);
      },
    );
    await fc.assert(property, fuzzOptions);
    assert.deepEqual(await countRows(), rowsBefore);
  });
});

/** Matches the server's own pages, including the dev issuer, and the redirect URI that the client registered. */
function createAllowedRedirectPattern(base: string): RegExp {
  return new RegExp(`^(${base}/|/(?![/\\\\])|${webRedirect.replaceAll(".", "\\.")}([?#]|$))`);
}

/** Encodes the value as a path segment; values that start with % are sent unchanged. */
function encodeSegment(value: string): string {
  return value.startsWith("%") ? value : encodeURIComponent(value.toWellFormed());
}
