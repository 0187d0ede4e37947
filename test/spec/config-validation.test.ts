import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "#config/config.ts";
import { findSettingProblems } from "#app/setting-problems.ts";
import { isLoopbackName } from "#lib/ip-address.ts";

type Settings = Record<string, string>;

const secret = "s".repeat(32);

/** Returns the names of the invalid settings, and checks that the operator's message lists every problem. */
function findInvalidSettings(settings: Settings): string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) assert.ok(error.message.includes(problem), "the message lists every problem");
    return error.problems.map((problem) => problem.split(":", 1)[0] ?? "").toSorted();
  }
}

/** A valid config of a server that is not on loopback, with every setting required there. */
const publicSettings: Settings = {
  BASE_URL: "https://atelier.example.com",
  SECRETS: secret,
  SIGN_IN_ALLOW: "@example.com",
  OIDC_ISSUER: "https://idp.example.com",
  OIDC_CLIENT_ID: "atelier",
};

const invalidValues: [string, ...string[]][] = [
  ["PORT", "abc", "-1", "65536", "3000.5", "80a", "NaN", " "],
  [
    "BASE_URL",
    "localhost:3000",
    "ftp://localhost",
    "http://",
    "http://user@localhost",
    "http://localhost/?a=1",
    "http://localhost/#a",
    "http://localhost/path",
  ],
  ["UPLOAD_PAGE_URL", "up", "javascript:alert(1)", "https://up.example/?a"],
  [
    "LOGIN_URL",
    "/login",
    "http://localhost:3001/login",
    "https://localhost:3000/login",
    "http://localhost:3000.evil.example/login",
  ],
  ["SIGN_IN_ALLOW", ",", "example.com", "a@b@c", "**", "@"],
  ["MCP_ORIGINS", "a.example", "https://a.example/", "https://a.example/path", "*", "null"],
  ["METRICS_TOKEN", "short"],
  ["DATABASE_URL", "mysql://db/x", "./file.db", "postgres://"],
  // Even the valid URL is rejected, because DATABASE_URL is not set.
  ["DATABASE_LISTEN_URL", "mysql://db/x", "postgres://", "postgres://db/x"],
  ["STORAGE", "S3", "gcs", "disk "],
  ["S3_FORCE_PATH_STYLE", "yes", "2", "TRUE"],
  ["SECRETS", "short", "s".repeat(31), `${secret},short`, ","],
  ["MAX_IMAGE_BYTES", "0", "-1", "50MB", "1.5", " "],
  ["MAX_VIDEO_BYTES", "4GB"],
  ["MAX_DOCUMENT_BYTES", "lots"],
  ["MAX_ASSETS_PER_POST", "0", "1001", "x"],
  ["MAX_STUDIO_BYTES", "0", "-1", "10 GB"],
  ["CLIENT_DOCUMENTS", "OFF", "false", "0", "off "],
  ["MAX_STUDIOS_PER_USER", "0", "-1", "1.5", "10001", "many"],
  ["SMTP_URL", "mail.example.com", "http://mail.example.com", "smtp://", "smtp:mail.example.com", "smtp://h:99999"],
  ["SMTP_URL", "smtp://u:%zz@h", "smtp://:p@h", "smtp://h/path", "smtp://h?tls=1", "smtp://h#x", "smtp://u:p%0d%0a@h"],
  ["MAIL_FROM", "atelier", "a@b, c@d", "A <a@b", "A <a@b>, c@d", "A\r\nBcc: x@y <a@b>", "<>", "a b@c"],
  ["PUBLISH_CONCURRENCY", "0", "-1", "1.5", "1001", "many"],
  ["TRUST_PROXY", "yes", "true", "on", "1", "*", "off, 10.0.0.1", "10.0.0.1,nope", "example.com", "uniquelocal"],
  ["TRUST_PROXY", "LOOPBACK", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/8/8", "fd00::/129"],
  ["TRUST_PROXY", "::ffff:10.0.0.0/104", "fe80::1%eth0"],
  ["PRIVATE_HOSTS", "localhost", "http://localhost:80", "*:80", "host:0x50", "host:99999", "a b:80", "user@host:80"],
  ["CONFORMANCE_FIXTURES", "true", "yes", "2"],
  ["RATE_LIMITS", "OFF", "false", "0"],
  ["LOG_LEVEL", "verbose", "INFO"],
];

for (const [name, ...values] of invalidValues) {
  for (const value of values) {
    test(`rejects ${name}=${JSON.stringify(value.slice(0, 50))} and reports no other setting (RUN-2)`, () => {
      assert.deepEqual(findInvalidSettings({ [name]: value }), [name]);
    });
  }
}

test("reports all problems at once, in one message with a line for each (RUN-1)", () => {
  const firstValues = Object.fromEntries(invalidValues.map(([name, value]) => [name, value ?? ""]));
  const incompleteGroups = { OIDC_2_NAME: "x", PLATFORM_X_CLIENT_ID: "x" };
  assert.deepEqual(
    findInvalidSettings({ ...firstValues, ...incompleteGroups }),
    [...Object.keys(firstValues), "OIDC_2_ISSUER", "OIDC_2_CLIENT_ID", "PLATFORM_X_CLIENT_SECRET"].toSorted(),
  );
});

test("also reports unknown platforms and an unreadable OAUTH_CLIENTS file in the same message (RUN-1)", () => {
  const settings = {
    PORT: "x",
    OAUTH_CLIENTS: "/nowhere",
    PLATFORM_MYSPACE_CLIENT_ID: "a",
    PLATFORM_MYSPACE_SECRET: "b",
  };
  assert.throws(
    () => readConfig(settings, findSettingProblems),
    (error: Error) => ["PORT: ", "OAUTH_CLIENTS: ", "PLATFORM_MYSPACE"].every((name) => error.message.includes(name)),
  );
});

test("reports missing settings next to invalid ones (RUN-1)", () => {
  assert.deepEqual(findInvalidSettings({ HOST: "0.0.0.0", PORT: "x", STORAGE: "s3", S3_REGION: "eu" }), [
    ...["OIDC_ISSUER", "PORT", "S3_ACCESS_KEY_ID", "S3_BUCKET", "S3_SECRET_ACCESS_KEY", "SECRETS", "SIGN_IN_ALLOW"],
  ]);
});

test("does not reveal invalid secrets in the message (RUN-1, L3)", () => {
  const settings = {
    SECRETS: "hunter2",
    METRICS_TOKEN: "hunter3",
    DATABASE_URL: "mysql://u:hunter4@db",
    SMTP_URL: "smtp://u:hunter5@h/x",
  };
  assert.throws(
    () => readConfig(settings),
    (error: Error) => !/hunter/.test(error.message),
  );
});

test("requires secrets, an allowlist and an identity provider unless on loopback (VAR-SECRETS, VAR-SIGN_IN_ALLOW, VAR-OIDC, L3)", () => {
  const required = ["OIDC_ISSUER", "SECRETS", "SIGN_IN_ALLOW"];
  assert.deepEqual(findInvalidSettings({ BASE_URL: "https://atelier.example.com" }), required);
  assert.deepEqual(
    findInvalidSettings({ HOST: "0.0.0.0" }),
    required,
    "a server that listens on other interfaces is not on loopback, regardless of BASE_URL",
  );
  assert.deepEqual(findInvalidSettings({ HOST: "::", BASE_URL: "http://localhost:3000" }), required);
  for (const name of required) assert.deepEqual(findInvalidSettings({ ...publicSettings, [name]: "" }), [name]);
  assert.equal(readConfig(publicSettings).isLoopback, false);
});

const s3Settings = ["S3_ACCESS_KEY_ID", "S3_BUCKET", "S3_REGION", "S3_SECRET_ACCESS_KEY"];

const combinations: [title: string, settings: Settings, invalidSettings: string[]][] = [
  ["a mail server needs a sender", { SMTP_URL: "smtp://h" }, ["MAIL_FROM"]],
  ["a sender needs a mail server", { MAIL_FROM: "a@b.example" }, ["SMTP_URL"]],
  ["an invalid mail server is not a missing one", { MAIL_FROM: "a@b.example", SMTP_URL: "h" }, ["SMTP_URL"]],
  ["a secret of 31 bytes (VAR-SECRETS, L3)", { ...publicSettings, SECRETS: "s".repeat(31) }, ["SECRETS"]],
  [
    "conformance fixtures (VAR-CONFORMANCE_FIXTURES)",
    { ...publicSettings, CONFORMANCE_FIXTURES: "1" },
    ["CONFORMANCE_FIXTURES"],
  ],
  ["disabled rate limits (VAR-RATE_LIMITS)", { ...publicSettings, RATE_LIMITS: "off" }, ["RATE_LIMITS"]],
  ["plain http (VAR-BASE_URL)", { ...publicSettings, BASE_URL: "http://atelier.example.com" }, ["BASE_URL"]],
  [
    "a login URL of another origin (VAR-LOGIN_URL)",
    { ...publicSettings, LOGIN_URL: "https://login.example.com/" },
    ["LOGIN_URL"],
  ],
  ["S3 without region, bucket and keys (VAR-STORAGE)", { STORAGE: "s3" }, s3Settings],
  ["an identity provider without an issuer (VAR-OIDC)", { OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
  ["an identity provider without a client id (VAR-OIDC)", { OIDC_ISSUER: "https://idp.example" }, ["OIDC_CLIENT_ID"]],
  ["an issuer over http (VAR-OIDC)", { OIDC_ISSUER: "http://idp.example", OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
  ["an issuer that is not a URL (VAR-OIDC)", { OIDC_ISSUER: "idp", OIDC_CLIENT_ID: "c" }, ["OIDC_ISSUER"]],
  [
    "an incomplete third identity provider (VAR-OIDC)",
    { ...publicSettings, OIDC_3_CLIENT_SECRET: "x" },
    ["OIDC_3_CLIENT_ID", "OIDC_3_ISSUER"],
  ],
  [
    "a platform secret without its client id (VAR-PLATFORM)",
    { PLATFORM_X_CLIENT_SECRET: "s" },
    ["PLATFORM_X_CLIENT_ID"],
  ],
];
for (const [title, settings, invalidSettings] of combinations)
  test(`${settings["BASE_URL"] ? "unless on loopback, rejects" : "rejects"} ${title}`, () =>
    assert.deepEqual(findInvalidSettings(settings), invalidSettings));

test("accepts the allowed values of these settings where the server is public (VAR-LOGIN_URL, VAR-RATE_LIMITS)", () => {
  const allowed = { LOGIN_URL: "https://atelier.example.com/in", CONFORMANCE_FIXTURES: "0", RATE_LIMITS: "on" };
  assert.deepEqual(findInvalidSettings({ ...publicSettings, ...allowed }), []);
});

test("rejects an identity provider numbered 1, because numbers start at 2 (VAR-OIDC)", () => {
  const provider = { OIDC_1_ISSUER: "https://one.example", OIDC_1_CLIENT_ID: "c" };
  assert.notDeepEqual(findInvalidSettings({ ...publicSettings, ...provider }), []);
});

test("recognizes names and IP addresses of loopback (VAR-HOST)", () => {
  for (const host of ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])
    assert.ok(isLoopbackName(host), host);
  for (const host of [
    "",
    "0.0.0.0",
    "::",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "evil-localhost",
    "128.0.0.1",
    "10.0.0.1",
    "example.com",
  ]) {
    assert.ok(!isLoopbackName(host), host);
  }
});
