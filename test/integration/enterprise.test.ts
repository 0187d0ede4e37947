import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readEnterpriseIssuers } from "#auth/enterprise-issuers.ts";
import { allowClient, listClients, revokeClient } from "#domain/access/clients.ts";
import { removeMember } from "#domain/studios/members.ts";
import type { Caller } from "#domain/caller.ts";
import { hours, minutes } from "#lib/clock.ts";
import { createLog } from "#lib/log.ts";
import { forEachEngine } from "../support/engines.ts";
import { signInFromPage, createHttpBrowser } from "../support/http-browser.ts";
import { callModern } from "../support/mcp.ts";
import { listTools, requestToken, revokeToken, webRedirect, type OAuthResponse } from "../support/oauth-client.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { findFreeBaseUrl, startService, type RunningService, type ServiceOptions } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { newMember, newStudio, newUser } from "../support/users.ts";

/** Subjects are emails, as at the test issuer. */
const adaId = "ada@acme.com";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const profile = "urn:ietf:params:oauth:grant-profile:id-jag";
const extension = "io.modelcontextprotocol/enterprise-managed-authorization";
const assistant = { id: "assistant", secret: "a secret of the assistant, long enough", redirectUri: webRedirect };
const editor = { id: "editor", redirectUri: webRedirect };
const clients = [
  {
    client_id: assistant.id,
    client_secret: assistant.secret,
    token_endpoint_auth_method: "client_secret_post" as const,
  },
  { client_id: editor.id, token_endpoint_auth_method: "none" as const },
].map((client) => ({ ...client, client_name: `The ${client.client_id}`, redirect_uris: [webRedirect] }));

type Claims = Record<string, unknown>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function writeIssuersFile(content: unknown): string {
  const path = join(createTempFolder().path, "issuers.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

forEachEngine("enterprise-managed authorization", (fixture) => {
  /** Users sign in at this issuer. */
  let company: TestIssuer;
  /** Users sign in elsewhere, and link their accounts at this one. */
  let partner: TestIssuer;
  let service: RunningService;
  let base: string;
  let options: ServiceOptions;
  let ada: Caller;
  const logLines: string[] = [];

  before(async () => {
    base = await findFreeBaseUrl();
    company = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
    partner = await startIssuer({ redirectUris: [`${base}/api/auth/callback/company-2`] });
    const path = writeIssuersFile([
      { issuer: company.issuer, domains: ["acme.com"], client_ids: ["assistant", "editor"] },
      {
        issuer: partner.issuer,
        name: "Partner",
        domains: ["partner.com"],
        client_ids: ["assistant"],
        link: { client_id: partner.clientId, client_secret: partner.clientSecret },
      },
    ]);
    const identityProviders = [company.settings];
    options = {
      base,
      clients,
      config: { identityProviders, areRateLimitsEnabled: false },
      enterprise: { issuers: readEnterpriseIssuers(path, identityProviders), fetchUrl: (url) => fetch(url) },
      log: createLog("info", { write: (line) => void logLines.push(line) }),
    };
    service = await startService(fixture.deps, options);
    ada = await newStudio(fixture.deps, await newUser(fixture.deps, identify(adaId, adaId)));
  });
  after(async () => {
    await service.close();
    await company.close();
    await partner.close();
  });

  const identify = (subject: string, email: string) => ({ issuer: company.issuer, subject, name: subject, email });
  let assertionCount = 0;
  const seconds = (): number => Math.floor(fixture.clock() / 1000);
  const claim = (changes: Claims = {}): Claims => ({
    iss: company.issuer,
    sub: adaId,
    aud: base,
    resource: `${base}/mcp`,
    client_id: assistant.id,
    jti: `assertion-${++assertionCount}`,
    iat: seconds(),
    exp: seconds() + 300,
    scope: "studio:read studio:write",
    ...changes,
  });
  const header = { typ: "oauth-id-jag+jwt" };
  const assertFor = (changes: Claims = {}, issuer = company): string => issuer.signToken(header, claim(changes));
  const send = (
    assertion: string | undefined,
    params: Record<string, string> = {},
    client: typeof editor = assistant,
  ) => requestToken(base, client, { grant_type: grantType, assertion, ...params });
  async function getToken(...input: Parameters<typeof send>): Promise<string> {
    const { status, text, body } = await send(...input);
    assert.equal(status, 200, `${text} ${logLines.findLast((line) => line.includes("failed")) ?? ""}`);
    return body.access_token as string;
  }
  const getStatus = async (token: string): Promise<number> => (await listTools(base, token)).status;
  const listOwn = async (caller: Caller) =>
    (await listClients(fixture.deps, caller, { mine: true, limit: 50 })).clients.map(
      ({ id, clientId, issuer, revokedAt, ...rest }) => ({
        id,
        clientId,
        issuer,
        isRevoked: revokedAt !== null,
        scopes: rest.scopes.join(" "),
        isBlocked: rest.isBlocked,
      }),
    );
  async function assertRejected(response: OAuthResponse, reason: RegExp, error = "invalid_grant"): Promise<void> {
    assert.equal(response.body?.error, error, response.text);
    assert.ok([400, 401].includes(response.status), String(response.status));
    const line = logLines.findLast((text) => text.includes("assertion rejected")) ?? "";
    assert.match((JSON.parse(line) as { reason: string }).reason, reason);
  }

  test("an assertion gives a short token for an existing user, without a consent page or a refresh token (ENT-1)", async () => {
    const response = await send(assertFor({ scope: "studio:read studio:write studio:publish email" }));
    assert.equal(response.status, 200, response.text);
    const { access_token: token, ...rest } = response.body;
    assert.deepEqual(rest, { token_type: "Bearer", expires_in: 600, scope: "studio:read studio:write" });
    assert.equal(await getStatus(token), 200);
    assert.equal(await getStatus(await getToken(assertFor({ client_id: "editor" }), {}, editor)), 200);

    const [editorGrant, grant] = await listOwn(ada);
    assert.equal(editorGrant?.issuer, company.issuer);
    assert.deepEqual(grant, {
      id: grant?.id,
      clientId: assistant.id,
      issuer: company.issuer,
      isRevoked: false,
      scopes: "studio:read studio:write",
      isBlocked: false,
    });
    const activity = await fixture.database.q.selectFrom("activity").select(["action", "userId", "detail"]).execute();
    assert.deepEqual(
      activity
        .filter(({ action }) => action === "client.connected")
        .map(({ userId, detail }) => ({ userId, detail: JSON.parse(detail) as unknown })),
      Array.from({ length: 2 }, () => ({
        userId: ada.user.id,
        detail: { scopes: ["studio:read", "studio:write"], issuer: company.issuer },
      })),
    );
    fixture.clock.advance(minutes(11));
    assert.equal(await getStatus(token), 401, "after ten minutes");
    assert.equal(await getStatus(await getToken(assertFor())), 200);
    assert.equal((await listOwn(ada)).length, 2, "later assertions use the same grant");
  });

  test("the scopes are those that both the assertion and the request name, and never studio:publish (ENT-1)", async () => {
    const getScope = async (scope: string | undefined, requested?: string): Promise<unknown> =>
      (await send(assertFor({ scope }), requested === undefined ? {} : { scope: requested })).body.scope;
    assert.equal(await getScope("studio:read studio:write", "studio:read"), "studio:read");
    assert.equal(await getScope("studio:read", "studio:read studio:write studio:publish"), "studio:read");
    assert.equal(await getScope(undefined), "studio:read studio:write");
    assert.equal(await getScope("studio:write studio:publish", "studio:publish studio:write"), "studio:write");
    const [, grant] = await listOwn(ada);
    assert.equal(grant?.scopes, "studio:write", "the page shows what the newest assertion gave");
  });

  test("hostile assertions are rejected with a log line that says why, and change nothing (ENT-2, A13, A24)", async () => {
    const member = async (subject: string, email: string, changes: object = {}) =>
      newMember(fixture.deps, ada, "member", await newUser(fixture.deps, { ...identify(subject, email), ...changes }));
    await member("disabled", "disabled@acme.com");
    const disabled = await fixture.database.q
      .selectFrom("users")
      .select("id")
      .where("subject", "=", "disabled")
      .execute();
    await fixture.deps.users.setDisabled(disabled[0]!.id, fixture.clock());
    await member("outside", "outside@evil.example");
    await member("unverified", "unverified@acme.com", { emailVerified: false });
    await newUser(fixture.deps, identify("homeless", "homeless@acme.com"));
    const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const forge = (head: Claims, claims: Claims, createSignature: (input: string) => string): string => {
      const input = `${encode(head)}.${encode(claims)}`;
      return `${input}.${createSignature(input)}`;
    };
    const signForeign = (input: string): string =>
      sign("sha256", Buffer.from(input), { key: foreign.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url");
    const es256 = { alg: "ES256", ...header };
    const signed = assertFor();
    const used = assertFor();
    await getToken(used);
    const [head = "", , signature = ""] = signed.split(".");
    const expired = { iat: seconds() - 400, exp: seconds() - 100 };

    const hostile: [name: string, assertion: string | undefined, reason: RegExp][] = [
      ["nothing", undefined, /no assertion/],
      ["no JWT", "not.a-jwt", /not a JWT/],
      ["a megabyte", `${"a".repeat(20_000)}.b.c`, /no assertion/],
      ["another type", company.signToken({ typ: "JWT" }, claim()), /typ/],
      ["no type", company.signToken({}, claim()), /typ/],
      ["an ID token", company.signToken({ typ: "JWT" }, { ...claim(), aud: "assistant" }), /typ|aud/],
      ["no signature", forge({ alg: "none", ...header }, claim(), () => ""), /alg/],
      [
        "a symmetric signature with the public key",
        forge({ alg: "HS256", kid: "1", ...header }, claim(), (input) =>
          createHmac("sha256", foreign.publicKey.export({ type: "spki", format: "pem" }))
            .update(input)
            .digest("base64url"),
        ),
        /alg/,
      ],
      ["an unknown key", forge({ ...es256, kid: "unknown" }, claim(), signForeign), /key/],
      ["a key of the attacker under a known id", forge({ ...es256, kid: "1" }, claim(), signForeign), /signature/],
      [
        "a key in the header",
        forge({ ...es256, kid: "1", jwk: foreign.publicKey.export({ format: "jwk" }) }, claim(), signForeign),
        /signature/,
      ],
      [
        "a URL of keys in the header",
        forge({ ...es256, kid: "1", jku: "https://evil.example" }, claim(), signForeign),
        /signature/,
      ],
      ["changed claims", `${head}.${encode(claim({ sub: "outside" }))}.${signature}`, /signature/],
      ["a critical header that we do not know", company.signToken({ ...header, crit: ["x"], x: 1 }, claim()), /x/],
      ["an unknown issuer", assertFor({ iss: "https://evil.example" }), /ENTERPRISE_ISSUERS/],
      ["no issuer", assertFor({ iss: undefined }), /ENTERPRISE_ISSUERS/],
      ["the name of another issuer", assertFor({ iss: partner.issuer }), /signature/],
      ["another issuer’s user", assertFor({ iss: partner.issuer, sub: adaId }, partner), /linked this subject/],
      ["another audience", assertFor({ aud: "https://other.example" }), /aud/],
      ["the resource as audience", assertFor({ aud: `${base}/mcp` }), /aud/],
      ["several audiences", assertFor({ aud: [base, "https://other.example"] }), /several audiences/],
      ["no audience", assertFor({ aud: undefined }), /aud/],
      ["an expired one", assertFor(expired), /exp/],
      ["no expiry", assertFor({ exp: undefined }), /exp/],
      ["an expiry that is no number", assertFor({ exp: "never" }), /exp/],
      ["one from the future", assertFor({ iat: seconds() + 600, exp: seconds() + 900 }), /iat/],
      ["one that is not valid yet", assertFor({ nbf: seconds() + 600 }), /nbf/],
      ["no time of issue", assertFor({ iat: undefined }), /iat/],
      ["an old one that never expires", assertFor({ iat: seconds() - 7200, exp: seconds() + 1e9 }), /iat/],
      ["no id", assertFor({ jti: undefined }), /jti/],
      ["an empty id", assertFor({ jti: "" }), /jti/],
      ["an id that is no text", assertFor({ jti: { $ne: 1 } }), /jti/],
      ["a replay", used, /used before/],
      ["another client’s", assertFor({ client_id: "editor" }), /another client/],
      ["no client", assertFor({ client_id: undefined }), /another client/],
      ["another resource", assertFor({ resource: "https://other.example/mcp" }), /resource/],
      ["another resource beside ours", assertFor({ resource: [`${base}/mcp`, "https://other.example"] }), /resource/],
      ["no resource", assertFor({ resource: undefined }), /resource/],
      ["only studio:publish", assertFor({ scope: "studio:publish" }), /scopes/],
      ["a scope that is no text", assertFor({ scope: ["studio:read"] }), /scope/],
      ["an email of another domain", assertFor({ email: "ada@evil.example" }), /domain/],
      ["an email of a subdomain", assertFor({ email: "ada@mail.acme.com" }), /domain/],
      ["only Ada’s email", assertFor({ sub: "another-subject", email: "ada@acme.com" }), /signed in with this subject/],
      ["no subject", assertFor({ sub: undefined }), /sub/],
      ["a subject in another case", assertFor({ sub: "Ada@acme.com" }), /signed in with this subject/],
      ["a user outside the domains", assertFor({ sub: "outside" }), /domain of the issuer/],
      ["a user with an unverified email", assertFor({ sub: "unverified" }), /domain of the issuer/],
      ["a disabled user", assertFor({ sub: "disabled" }), /disabled/],
      ["a user without a studio", assertFor({ sub: "homeless" }), /not a member/],
    ];
    const count = async () => {
      const { q } = fixture.database;
      const tables = ["users", "memberships", "grants", "linkedIdentities"] as const;
      return Promise.all(tables.map(async (table) => (await q.selectFrom(table).selectAll().execute()).length));
    };
    const rowsBefore = await count();
    for (const [name, assertion, reason] of hostile) {
      await assertRejected(await send(assertion), reason).catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
      if (assertion !== undefined && assertion.length > 20)
        assert.ok(!logLines.some((line) => line.includes(assertion.slice(-20))), `${name} is not in the log`);
    }
    assert.deepEqual(await count(), rowsBefore);

    const unlisted = assertFor({ iss: partner.issuer, client_id: "editor" }, partner);
    await assertRejected(await send(unlisted, {}, editor), /may not name this client/);
    const unknownClient = { id: "unknown", redirectUri: webRedirect };
    await assertRejected(await send(assertFor(), {}, unknownClient), /client/, "invalid_client");
    await assertRejected(await send(assertFor(), { client_secret: "guessed" }), /./, "invalid_client");
    assert.equal((await send(assertFor(), { resource: "https://other.example" })).body.error, "invalid_target");
  });

  test("an assertion is accepted once, on all instances together (ENT-2, A5)", async () => {
    const assertion = assertFor();
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(assertion)));
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...Array.from({ length: 7 }, () => 400)],
    );
    const rejected = assertFor({ sub: "unknown-subject", jti: "reused" });
    await assertRejected(await send(rejected), /subject/);
    await getToken(assertFor({ jti: "reused" }));
    const now = fixture.clock();
    const records = await fixture.database.q
      .selectFrom("oauthRecords")
      .select("expiresAt")
      .where("model", "=", "Assertion")
      .execute();
    assert.ok(
      records.some(({ expiresAt }) => expiresAt > now + hours(1)),
      "ids are kept for longer than assertions are valid",
    );
  });

  test("a revoked client gets no access from assertions until the user allows it again (ENT-3)", async () => {
    const token = await getToken(assertFor());
    const grant = (await listOwn(ada)).find(({ clientId, isRevoked }) => clientId === assistant.id && !isRevoked)!;
    await revokeClient(fixture.deps, ada, { grantId: grant.id });
    assert.equal(await getStatus(token), 401);
    await assertRejected(await send(assertFor()), /not allowed it again/);
    const isBlocked = async () => (await listOwn(ada)).find(({ id }) => id === grant.id)?.isBlocked;
    assert.equal(await isBlocked(), true);
    await allowClient(fixture.deps, ada, { grantId: grant.id });
    assert.equal(await isBlocked(), false);
    const newToken = await getToken(assertFor());
    assert.equal(await getStatus(newToken), 200);

    assert.equal((await revokeToken(base, assistant, newToken)).status, 200);
    assert.equal(await getStatus(newToken), 401, "the client gave its access back");
    assert.equal(await getStatus(await getToken(assertFor())), 200, "which does not keep it from connecting again");
  });

  test("access ends with the membership, and SIGN_IN_ALLOW applies to assertions (ENT-3)", async (t) => {
    const leaver = await newMember(
      fixture.deps,
      ada,
      "member",
      await newUser(fixture.deps, identify("leaver", "l@acme.com")),
    );
    const token = await getToken(assertFor({ sub: "leaver" }));
    await removeMember(fixture.deps, ada, { userId: leaver.user.id });
    assert.equal(await getStatus(token), 403);
    await assertRejected(await send(assertFor({ sub: "leaver" })), /not a member/);

    await service.close();
    t.after(async () => void (service = await startService(fixture.deps, options)));
    service = await startService(fixture.deps, {
      ...options,
      config: { ...options.config, signInAllow: ["@other.example"] },
    });
    await assertRejected(await send(assertFor()), /may not sign in/);
    await service.close();
  });

  test("a user links an account at an issuer where users do not sign in, and can unlink it (ENT-4)", async () => {
    const assertPartner = (sub: string) => assertFor({ iss: partner.issuer, sub }, partner);
    await assertRejected(await send(assertPartner("ada@partner.com")), /linked this subject/);

    const browser = createHttpBrowser();
    const page = await signInFromPage(browser, await browser.open(`${base}/link`), "ada@acme.com");
    assert.match(page.text, /Link Partner/);
    const outsider = await signInFromPage(browser, page, "ada@gmail.com");
    assert.match(outsider.text, /no verified email in the domains/);
    const linkedPage = await signInFromPage(browser, await browser.open(`${base}/link`), "ada@partner.com");
    assert.match(linkedPage.text, /linked as <strong>ada@partner\.com/);
    const token = await getToken(assertPartner("ada@partner.com"));
    assert.equal(await getStatus(token), 200);
    await assertRejected(await send(assertPartner("ada@gmail.com")), /linked this subject/);

    const eve = createHttpBrowser();
    const evePage = await signInFromPage(eve, await eve.open(`${base}/link`), "eve@acme.com");
    assert.match(
      (await signInFromPage(eve, evePage, "ada@partner.com")).text,
      /Another user of this server has linked/,
    );
    const forged = await eve.send(`${base}/link`, {
      method: "POST",
      body: new URLSearchParams({ provider: "company-2" }),
    });
    assert.equal(forged.status, 403, "without the form’s token");
    const asSignIn = await eve.send(`${base}/login`, {
      method: "POST",
      body: new URLSearchParams({ provider: "company-2" }),
    });
    assert.equal(asSignIn.status, 404, "it is no sign-in provider");

    await browser.submit(linkedPage);
    assert.equal(await getStatus(token), 401, "unlinking ends the access that the issuer gave");
    await assertRejected(await send(assertPartner("ada@partner.com")), /linked this subject/);
  });

  test("an account is linked only to the user who started it, in their browser (ENT-4, A16)", async () => {
    const mallory = createHttpBrowser();
    const page = await signInFromPage(mallory, await mallory.open(`${base}/link`), "mallory@acme.com");
    const issuerPage = await mallory.submit(page);
    const victim = createHttpBrowser();
    await signInFromPage(victim, await victim.open(`${base}/link`), "victim@acme.com");
    // The victim’s browser is led to the rest of Mallory’s flow, with the cookies of the issuer.
    const form = issuerPage.forms[0]!;
    let response = await mallory.send(form.action.href, {
      method: "POST",
      body: new URLSearchParams({ login: "m@partner.com" }),
    });
    let url = new URL(response.headers.get("location")!, form.action).href;
    while (!url.startsWith(base)) {
      response = await mallory.send(url);
      url = new URL(response.headers.get("location")!, url).href;
    }
    assert.equal((await victim.open(url)).status, 400);
    assert.deepEqual(await fixture.database.q.selectFrom("linkedIdentities").selectAll().execute(), []);
  });

  test("keys are fetched again for a new key, and their failure is not the client’s fault (ENT-2)", async (t) => {
    await service.close();
    t.after(async () => {
      await service.close();
      service = await startService(fixture.deps, options);
    });
    const issuers = options.enterprise!.issuers;
    let isDown = true;
    const fetchUrl = async (url: string) => (isDown ? Promise.reject(new Error("unreachable")) : fetch(url));
    service = await startService(fixture.deps, { ...options, enterprise: { issuers, fetchUrl } });
    const assertion = assertFor();
    const { status, body } = await send(assertion);
    assert.deepEqual([status >= 500, body.error], [true, "temporarily_unavailable"]);
    isDown = false;
    await getToken(assertion);
  });

  test("metadata and capabilities name the grant type only if issuers are configured (ENT-1)", async (t) => {
    const readMetadata = async (url: string) =>
      (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<
        string,
        string[] | undefined
      >;
    const discover = async (token: string): Promise<string> =>
      (await callModern({ url: `${base}/mcp`, token }, "server/discover")).text;
    const metadata = await readMetadata(base);
    assert.ok(metadata["grant_types_supported"]?.includes(grantType));
    assert.deepEqual(metadata["authorization_grant_profiles_supported"], [profile]);
    const token = await getToken(assertFor());
    assert.match(await discover(token), new RegExp(extension));

    const plain = await startService(fixture.deps, { clients, config: { areRateLimitsEnabled: false } });
    t.after(() => plain.close());
    const plainMetadata = await readMetadata(plain.base);
    assert.ok(!plainMetadata["grant_types_supported"]?.includes(grantType));
    assert.equal(plainMetadata["authorization_grant_profiles_supported"], undefined);
    const response = await requestToken(plain.base, assistant, { grant_type: grantType, assertion: assertFor() });
    assert.equal(response.body.error, "unsupported_grant_type");
  });
});

describe("ENTERPRISE_ISSUERS", () => {
  test("an invalid file prevents startup with an error that names the problem (VAR-ENTERPRISE_ISSUERS)", () => {
    const entry = { issuer: "https://idp.acme.com", domains: ["acme.com"], client_ids: ["x"] };
    const providers = [{ issuer: "https://idp.acme.com/" }];
    const invalidFiles: [content: unknown, message: RegExp][] = [
      ["{", /not valid JSON/],
      [{}, /expected a list/],
      [[{ ...entry, issuer: "http://idp.acme.com" }], /0\.issuer: expected an https URL/],
      [[{ ...entry, domains: [] }], /0\.domains: expected at least 1 item/],
      [[{ ...entry, domains: ["@acme.com"] }], /0\.domains\.0: expected/],
      [[{ ...entry, domains: ["Acme.com"] }], /0\.domains\.0: expected/],
      [[{ ...entry, domains: ["*"] }], /0\.domains\.0: expected/],
      [[{ ...entry, client_ids: [] }], /0\.client_ids: expected at least 1 item/],
      [[{ ...entry, clientIds: ["x"] }], /clientIds/],
      [[entry, entry], /each issuer to be unique/],
      [[{ ...entry, jwks_uri: "ftp://idp.acme.com" }], /0\.jwks_uri/],
      [[{ ...entry, issuer: "https://other.example" }], /expected link, because users do not sign in/],
      [[{ ...entry, link: { client_id: "atelier" } }], /link is not allowed/],
    ];
    for (const [content, message] of invalidFiles)
      assert.throws(
        () => readEnterpriseIssuers(writeIssuersFile(content), providers),
        (error: Error) => message.test(error.message) && error.message.startsWith("ENTERPRISE_ISSUERS: "),
        JSON.stringify(content),
      );
    assert.throws(() => readEnterpriseIssuers("/nowhere/issuers.json", providers), /ENTERPRISE_ISSUERS: .*ENOENT/);
    assert.equal(readEnterpriseIssuers(writeIssuersFile([entry]), providers)[0]?.name, "idp.acme.com");
    assert.deepEqual(readEnterpriseIssuers(undefined, providers), []);
  });
});
