import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseIpAddress } from "#lib/ip-address.ts";
import { readConfig, type Config } from "#config/config.ts";
import { settingsSchema } from "#config/settings.ts";

/** Every setting: its default, and the config that its variables produce. */

const secretA = "a".repeat(32);
const secretB = "b".repeat(40);
const mebibyte = 1024 * 1024;

type Case = [name: string, set: Record<string, string>, expected: Partial<Config>];

const defaults: Case[] = [
  ["listens on loopback, port 3000 (VAR-HOST)", {}, { host: "127.0.0.1", port: 3000, isLoopback: true }],
  ["the base URL is localhost with the port (VAR-BASE_URL)", { PORT: "8080" }, { base: "http://localhost:8080" }],
  [
    "the login and upload pages are at BASE_URL (VAR-LOGIN_URL)",
    {},
    { uploadPage: "http://localhost:3000", loginUrl: "http://localhost:3000/login" },
  ],
  ["any email may sign in on loopback (VAR-SIGN_IN_ALLOW)", {}, { signInAllow: ["*"] }],
  ["no additional browser origins (VAR-MCP_ORIGINS)", {}, { mcpOrigins: [] }],
  ["no metrics token (VAR-METRICS_TOKEN)", {}, { metricsToken: undefined }],
  ["the data folder is ./data (VAR-DATA_DIR)", {}, { dataDir: "./data" }],
  ["the database is SQLite (VAR-DATABASE_URL)", {}, { databaseUrl: undefined }],
  ["no notifications with SQLite (VAR-DATABASE_LISTEN_URL)", {}, { databaseListenUrl: undefined }],
  ["the disk store (VAR-STORAGE)", {}, { storage: { kind: "disk" } }],
  ["secrets are generated on loopback (VAR-SECRETS)", {}, { secrets: undefined }],
  ["no identity provider, so that the dev issuer runs on loopback (VAR-OIDC)", {}, { identityProviders: [] }],
  [
    "images up to 50 MB, videos up to 4 GB, documents up to 100 MB, 20 files per post (VAR-LIMITS)",
    {},
    {
      limits: {
        image: 50 * mebibyte,
        video: 4096 * mebibyte,
        document: 100 * mebibyte,
        assetsPerPost: 20,
        studioBytes: undefined,
        studiosPerUser: 20,
      },
    },
  ],
  ["no pre-registered clients (VAR-OAUTH_CLIENTS)", {}, { oauthClientsFile: undefined }],
  ["no issuers of companies (VAR-ENTERPRISE_ISSUERS)", {}, { enterpriseIssuersFile: undefined }],
  ["client metadata documents are on (VAR-CLIENT_DOCUMENTS)", {}, { areClientDocumentsEnabled: true }],
  ["no platform credentials (VAR-PLATFORM)", {}, { platformCredentials: {} }],
  ["conformance fixtures are off (VAR-CONFORMANCE_FIXTURES)", {}, { hasConformanceFixtures: false }],
  ["no private hosts (PLATFORM-14)", {}, { privateHosts: new Set() }],
  ["rate limits are on (VAR-RATE_LIMITS)", {}, { areRateLimitsEnabled: true }],
  ["the log level is info (VAR-LOG_LEVEL)", {}, { logLevel: "info" }],
  [
    "an empty variable counts as unset (RUN-3)",
    { PORT: "", SECRETS: "", BASE_URL: "" },
    { port: 3000, secrets: undefined, base: "http://localhost:3000" },
  ],
];

const s3 = { STORAGE: "s3", S3_REGION: "eu", S3_BUCKET: "b", S3_ACCESS_KEY_ID: "k", S3_SECRET_ACCESS_KEY: "s" };
const s3Expected = {
  kind: "s3",
  endpoint: undefined,
  region: "eu",
  bucket: "b",
  accessKeyId: "k",
  secretAccessKey: "s",
  forcePathStyle: false,
} as const;
const provider = {
  OIDC_ISSUER: "https://accounts.example",
  OIDC_CLIENT_ID: "c1",
  OIDC_CLIENT_SECRET: "x1",
  OIDC_NAME: "Example",
};
const providerExpected = {
  id: "oidc",
  name: "Example",
  issuer: "https://accounts.example",
  clientId: "c1",
  clientSecret: "x1",
};

const cases: Case[] = [
  [
    "an IP address and a port (VAR-HOST)",
    { HOST: "::1", PORT: "65535" },
    { host: "::1", port: 65_535, isLoopback: true },
  ],
  [
    "the base URL loses its trailing slash (VAR-BASE_URL)",
    { BASE_URL: "http://app.localhost:9000/" },
    {
      base: "http://app.localhost:9000",
      uploadPage: "http://app.localhost:9000",
      loginUrl: "http://app.localhost:9000/login",
      isLoopback: true,
    },
  ],
  [
    "a login page of the same origin (VAR-LOGIN_URL)",
    { LOGIN_URL: "http://localhost:3000/sign-in" },
    { loginUrl: "http://localhost:3000/sign-in" },
  ],
  [
    "an upload page of another origin (VAR-LOGIN_URL)",
    { UPLOAD_PAGE_URL: "https://up.example.com/" },
    { uploadPage: "https://up.example.com" },
  ],
  [
    "emails and domains (VAR-SIGN_IN_ALLOW)",
    { SIGN_IN_ALLOW: "Ann@Example.com, @example.ORG" },
    { signInAllow: ["ann@example.com", "@example.org"] },
  ],
  [
    "a list of origins (VAR-MCP_ORIGINS)",
    { MCP_ORIGINS: "https://a.example,http://localhost:6274" },
    { mcpOrigins: ["https://a.example", "http://localhost:6274"] },
  ],
  ["a token (VAR-METRICS_TOKEN)", { METRICS_TOKEN: secretA }, { metricsToken: secretA }],
  ["a folder (VAR-DATA_DIR)", { DATA_DIR: "/srv/atelier" }, { dataDir: "/srv/atelier" }],
  ["PostgreSQL (VAR-DATABASE_URL)", { DATABASE_URL: "postgres://u:p@db/x" }, { databaseUrl: "postgres://u:p@db/x" }],
  [
    "notifications over the same connection as statements (VAR-DATABASE_LISTEN_URL)",
    { DATABASE_URL: "postgres://u:p@pooler/x" },
    { databaseListenUrl: "postgres://u:p@pooler/x" },
  ],
  [
    "notifications over a connection of their own (VAR-DATABASE_LISTEN_URL)",
    { DATABASE_URL: "postgres://u:p@pooler/x", DATABASE_LISTEN_URL: "postgres://u:p@db/x" },
    { databaseUrl: "postgres://u:p@pooler/x", databaseListenUrl: "postgres://u:p@db/x" },
  ],
  [
    "PostgreSQL with the scheme postgresql (VAR-DATABASE_URL)",
    { DATABASE_URL: "postgresql:///x?host=/run" },
    { databaseUrl: "postgresql:///x?host=/run" },
  ],
  ["S3 with its defaults (VAR-STORAGE)", s3, { storage: s3Expected }],
  [
    "S3 with an endpoint and path-style URLs (VAR-STORAGE)",
    { ...s3, S3_ENDPOINT: "http://127.0.0.1:9000", S3_FORCE_PATH_STYLE: "true" },
    { storage: { ...s3Expected, endpoint: "http://127.0.0.1:9000", forcePathStyle: true } },
  ],
  [
    "S3 with path-style URLs, switched on with 1 (VAR-STORAGE)",
    { ...s3, S3_FORCE_PATH_STYLE: "1" },
    { storage: { ...s3Expected, forcePathStyle: true } },
  ],
  [
    "several secrets, newest first (VAR-SECRETS)",
    { SECRETS: `${secretB}, ${secretA}` },
    { secrets: [secretB, secretA] },
  ],
  ["a secret of 32 bytes in 16 characters (VAR-SECRETS)", { SECRETS: "é".repeat(16) }, { secrets: ["é".repeat(16)] }],
  ["one identity provider (VAR-OIDC)", provider, { identityProviders: [providerExpected] }],
  [
    "several identity providers in the order of their numbers, on loopback and public (VAR-OIDC)",
    {
      OIDC_10_ISSUER: "http://127.0.0.1:9/x",
      OIDC_10_CLIENT_ID: "c10",
      ...provider,
      OIDC_2_ISSUER: "https://two.example/t",
      OIDC_2_CLIENT_ID: "c2",
    },
    {
      identityProviders: [
        providerExpected,
        { id: "oidc-2", name: "two.example", issuer: "https://two.example/t", clientId: "c2", clientSecret: undefined },
        { id: "oidc-10", name: "127.0.0.1", issuer: "http://127.0.0.1:9/x", clientId: "c10", clientSecret: undefined },
      ],
    },
  ],
  [
    "other limits (VAR-LIMITS)",
    {
      MAX_IMAGE_BYTES: "1",
      MAX_VIDEO_BYTES: "5000000000",
      MAX_DOCUMENT_BYTES: "3",
      MAX_ASSETS_PER_POST: "4",
      MAX_STUDIO_BYTES: "5",
      MAX_STUDIOS_PER_USER: "6",
      PUBLISH_CONCURRENCY: "7",
    },
    {
      publishConcurrency: 7,
      limits: { image: 1, video: 5_000_000_000, document: 3, assetsPerPost: 4, studioBytes: 5, studiosPerUser: 6 },
    },
  ],
  [
    "a mail server, whose password is not sent in plain text (VAR-MAIL)",
    { SMTP_URL: "smtp://a%40b:p%3Aw@mail.example.com:2525", MAIL_FROM: "Atelier, Inc. <mail@example.com>" },
    {
      mail: {
        host: "mail.example.com",
        port: 2525,
        secure: false,
        startTls: "required",
        credentials: { user: "a@b", pass: "p:w" },
        from: { name: "Atelier, Inc.", address: "mail@example.com" },
      },
    },
  ],
  [
    "a mail server on this machine (VAR-MAIL)",
    { SMTP_URL: "smtp://127.0.0.1:25", MAIL_FROM: "mail@example.com" },
    {
      mail: {
        host: "127.0.0.1",
        port: 25,
        secure: false,
        startTls: "ignored",
        credentials: undefined,
        from: { name: "", address: "mail@example.com" },
      },
    },
  ],
  [
    "a file of clients (VAR-OAUTH_CLIENTS)",
    { OAUTH_CLIENTS: "/etc/clients.json" },
    { oauthClientsFile: "/etc/clients.json" },
  ],
  [
    "a file of issuers (VAR-ENTERPRISE_ISSUERS)",
    { ENTERPRISE_ISSUERS: "/etc/issuers.json" },
    { enterpriseIssuersFile: "/etc/issuers.json" },
  ],
  [
    "client metadata documents are off (VAR-CLIENT_DOCUMENTS)",
    { CLIENT_DOCUMENTS: "off" },
    { areClientDocumentsEnabled: false },
  ],
  [
    "platform credentials (VAR-PLATFORM)",
    { PLATFORM_LINKEDIN_CLIENT_ID: "i", PLATFORM_LINKEDIN_CLIENT_SECRET: "s" },
    { platformCredentials: { linkedin: { clientId: "i", clientSecret: "s" } } },
  ],
  [
    "platform credentials, with the shorter name of the secret (VAR-PLATFORM)",
    { PLATFORM_X_CLIENT_ID: "i", PLATFORM_X_SECRET: "s" },
    { platformCredentials: { x: { clientId: "i", clientSecret: "s" } } },
  ],
  [
    "conformance fixtures on loopback (VAR-CONFORMANCE_FIXTURES)",
    { CONFORMANCE_FIXTURES: "1" },
    { hasConformanceFixtures: true },
  ],
  [
    "conformance fixtures are off explicitly (VAR-CONFORMANCE_FIXTURES)",
    { CONFORMANCE_FIXTURES: "off" },
    { hasConformanceFixtures: false },
  ],
  [
    "private hosts with their ports",
    { PRIVATE_HOSTS: " LOCALHOST:8001, snac.internal:443 ,[::1]:80" },
    { privateHosts: new Set(["localhost:8001", "snac.internal:443", "[::1]:80"]) },
  ],
  ["rate limits are off on loopback (VAR-RATE_LIMITS)", { RATE_LIMITS: "off" }, { areRateLimitsEnabled: false }],
  ["another log level (VAR-LOG_LEVEL)", { LOG_LEVEL: "silent" }, { logLevel: "silent" }],
];

for (const [name, set, expected] of [...defaults, ...cases]) {
  test(`${Object.keys(set).join(", ") || "default"}: ${name}`, () => {
    const config = readConfig(set);
    const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, config[key as keyof Config]]));
    assert.deepEqual(actual, expected);
  });
}

test("trusts only the listed IP addresses, networks and loopback (VAR-TRUST_PROXY)", () => {
  const listTrusted = (set: Record<string, string>) =>
    ["10.1.2.3", "127.0.0.1", "::1", "2001:db8::1", "192.0.2.1"].filter((text) => {
      const address = parseIpAddress(text);
      return address && readConfig(set).trustedProxies.has(address);
    });
  assert.deepEqual(listTrusted({}), []);
  assert.deepEqual(listTrusted({ TRUST_PROXY: "off" }), []);
  assert.deepEqual(listTrusted({ TRUST_PROXY: "10.0.0.0/8, ::1" }), ["10.1.2.3", "::1"]);
  assert.deepEqual(listTrusted({ TRUST_PROXY: "loopback,2001:db8::/32" }), ["127.0.0.1", "::1", "2001:db8::1"]);
  assert.deepEqual(listTrusted({ TRUST_PROXY: "10.1.2.3" }), ["10.1.2.3"]);
  assert.equal(listTrusted({ TRUST_PROXY: "0.0.0.0/0, ::/0" }).length, 5);
});

test("ignores environment variables that are not settings (RUN-3)", () => {
  const serialize = (set: Record<string, string>) => JSON.stringify(readConfig(set));
  assert.equal(serialize({ PATH: "/bin", HOME: "/root", npm_config_x: "1", NODE_ENV: "production" }), serialize({}));
});

/** The settings table of README.md: names from the first and third column, and the defaults of those in the first. */
function readDocumentedSettings(): { names: string[]; defaults: Map<string, string> } {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, table = ""] = /^\| variable \| default \| meaning \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const rows = table.split("\n").map((row) => row.split(" | "));
  const findNames = (cell = "") => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name);
  const defaults = rows.flatMap(([first, second = ""]) => {
    const values = second.replaceAll("`", "").split(", ");
    return findNames(first).map((name, i): [string, string] => [name, values[i] ?? ""]);
  });
  const names = rows.flatMap(([first, , third]) => [...findNames(first), ...findNames(third)]);
  return { names, defaults: new Map(defaults) };
}

test("README.md documents exactly the settings that exist", () => {
  const numberedSettings = /^OIDC_|^PLATFORM_/; // one group for each provider or platform
  assert.deepEqual(
    [...new Set(readDocumentedSettings().names)].filter((name) => !numberedSettings.test(name)).toSorted(),
    Object.keys(settingsSchema.shape).toSorted(),
  );
});

test("README.md documents the defaults that apply", () => {
  const { defaults } = readDocumentedSettings();
  const formatNumber = (value: number): string => {
    if (value < mebibyte) return String(value);
    return value < 1024 * mebibyte ? `${value / mebibyte} MB` : `${value / mebibyte / 1024} GB`;
  };
  const scalarDefaults = Object.entries(settingsSchema.parse({})).filter(
    ([name, value]) => Object(value) !== value && defaults.has(name),
  );
  assert.ok(scalarDefaults.length > 10);
  for (const [name, value] of scalarDefaults)
    assert.equal(defaults.get(name), typeof value === "number" ? formatNumber(value) : value, name);
});
