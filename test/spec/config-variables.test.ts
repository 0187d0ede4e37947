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

interface Case {
  name: string;
  set: Record<string, string>;
  expected: Partial<Config>;
}

const defaults: Case[] = [
  {
    name: "listens on loopback, port 3000 (VAR-HOST)",
    set: {},
    expected: { host: "127.0.0.1", port: 3000, isLoopback: true },
  },
  {
    name: "the base URL is localhost with the port (VAR-BASE_URL)",
    set: { PORT: "8080" },
    expected: { base: "http://localhost:8080" },
  },
  {
    name: "the login and upload pages are at BASE_URL (VAR-LOGIN_URL)",
    set: {},
    expected: { uploadPage: "http://localhost:3000", loginUrl: "http://localhost:3000/login" },
  },
  { name: "any email may sign in on loopback (VAR-SIGN_IN_ALLOW)", set: {}, expected: { signInAllow: ["*"] } },
  { name: "no additional browser origins (VAR-MCP_ORIGINS)", set: {}, expected: { mcpOrigins: [] } },
  { name: "no metrics token (VAR-METRICS_TOKEN)", set: {}, expected: { metricsToken: undefined } },
  { name: "the data folder is ./data (VAR-DATA_DIR)", set: {}, expected: { dataDir: "./data" } },
  { name: "the database is SQLite (VAR-DATABASE_URL)", set: {}, expected: { databaseUrl: undefined } },
  {
    name: "no notifications with SQLite (VAR-DATABASE_LISTEN_URL)",
    set: {},
    expected: { databaseListenUrl: undefined },
  },
  { name: "the disk store (VAR-STORAGE)", set: {}, expected: { storage: { kind: "disk" } } },
  { name: "secrets are generated on loopback (VAR-SECRETS)", set: {}, expected: { secrets: undefined } },
  {
    name: "no identity provider, so that the dev issuer runs on loopback (VAR-OIDC)",
    set: {},
    expected: { identityProviders: [] },
  },
  {
    name: "images up to 50 MB, videos up to 4 GB, documents up to 100 MB, 20 files per post (VAR-LIMITS)",
    set: {},
    expected: {
      limits: {
        image: 50 * mebibyte,
        video: 4096 * mebibyte,
        document: 100 * mebibyte,
        assetsPerPost: 20,
        studioBytes: undefined,
        studiosPerUser: 20,
      },
    },
  },
  { name: "no pre-registered clients (VAR-OAUTH_CLIENTS)", set: {}, expected: { oauthClientsFile: undefined } },
  {
    name: "client metadata documents are on (VAR-CLIENT_DOCUMENTS)",
    set: {},
    expected: { areClientDocumentsEnabled: true },
  },
  { name: "no platform credentials (VAR-PLATFORM)", set: {}, expected: { platformCredentials: {} } },
  {
    name: "conformance fixtures are off (VAR-CONFORMANCE_FIXTURES)",
    set: {},
    expected: { hasConformanceFixtures: false },
  },
  { name: "rate limits are on (VAR-RATE_LIMITS)", set: {}, expected: { areRateLimitsEnabled: true } },
  { name: "the log level is info (VAR-LOG_LEVEL)", set: {}, expected: { logLevel: "info" } },
  {
    name: "an empty variable counts as unset (RUN-3)",
    set: { PORT: "", SECRETS: "", BASE_URL: "" },
    expected: { port: 3000, secrets: undefined, base: "http://localhost:3000" },
  },
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
  {
    name: "an IP address and a port (VAR-HOST)",
    set: { HOST: "::1", PORT: "65535" },
    expected: { host: "::1", port: 65_535, isLoopback: true },
  },
  {
    name: "the base URL loses its trailing slash (VAR-BASE_URL)",
    set: { BASE_URL: "http://app.localhost:9000/" },
    expected: {
      base: "http://app.localhost:9000",
      uploadPage: "http://app.localhost:9000",
      loginUrl: "http://app.localhost:9000/login",
      isLoopback: true,
    },
  },
  {
    name: "a login page of the same origin (VAR-LOGIN_URL)",
    set: { LOGIN_URL: "http://localhost:3000/sign-in" },
    expected: { loginUrl: "http://localhost:3000/sign-in" },
  },
  {
    name: "an upload page of another origin (VAR-LOGIN_URL)",
    set: { UPLOAD_PAGE_URL: "https://up.example.com/" },
    expected: { uploadPage: "https://up.example.com" },
  },
  {
    name: "emails and domains (VAR-SIGN_IN_ALLOW)",
    set: { SIGN_IN_ALLOW: "Ann@Example.com, @example.ORG" },
    expected: { signInAllow: ["ann@example.com", "@example.org"] },
  },
  {
    name: "a list of origins (VAR-MCP_ORIGINS)",
    set: { MCP_ORIGINS: "https://a.example,http://localhost:6274" },
    expected: { mcpOrigins: ["https://a.example", "http://localhost:6274"] },
  },
  { name: "a token (VAR-METRICS_TOKEN)", set: { METRICS_TOKEN: secretA }, expected: { metricsToken: secretA } },
  { name: "a folder (VAR-DATA_DIR)", set: { DATA_DIR: "/srv/atelier" }, expected: { dataDir: "/srv/atelier" } },
  {
    name: "PostgreSQL (VAR-DATABASE_URL)",
    set: { DATABASE_URL: "postgres://u:p@db/x" },
    expected: { databaseUrl: "postgres://u:p@db/x" },
  },
  {
    name: "notifications over the same connection as statements (VAR-DATABASE_LISTEN_URL)",
    set: { DATABASE_URL: "postgres://u:p@pooler/x" },
    expected: { databaseListenUrl: "postgres://u:p@pooler/x" },
  },
  {
    name: "notifications over a connection of their own (VAR-DATABASE_LISTEN_URL)",
    set: { DATABASE_URL: "postgres://u:p@pooler/x", DATABASE_LISTEN_URL: "postgres://u:p@db/x" },
    expected: { databaseUrl: "postgres://u:p@pooler/x", databaseListenUrl: "postgres://u:p@db/x" },
  },
  {
    name: "PostgreSQL with the scheme postgresql (VAR-DATABASE_URL)",
    set: { DATABASE_URL: "postgresql:///x?host=/run" },
    expected: { databaseUrl: "postgresql:///x?host=/run" },
  },
  { name: "S3 with its defaults (VAR-STORAGE)", set: s3, expected: { storage: s3Expected } },
  {
    name: "S3 with an endpoint and path-style URLs (VAR-STORAGE)",
    set: { ...s3, S3_ENDPOINT: "http://127.0.0.1:9000", S3_FORCE_PATH_STYLE: "true" },
    expected: { storage: { ...s3Expected, endpoint: "http://127.0.0.1:9000", forcePathStyle: true } },
  },
  {
    name: "S3 with path-style URLs, switched on with 1 (VAR-STORAGE)",
    set: { ...s3, S3_FORCE_PATH_STYLE: "1" },
    expected: { storage: { ...s3Expected, forcePathStyle: true } },
  },
  {
    name: "several secrets, newest first (VAR-SECRETS)",
    set: { SECRETS: `${secretB}, ${secretA}` },
    expected: { secrets: [secretB, secretA] },
  },
  {
    name: "a secret of 32 bytes in 16 characters (VAR-SECRETS)",
    set: { SECRETS: "é".repeat(16) },
    expected: { secrets: ["é".repeat(16)] },
  },
  { name: "one identity provider (VAR-OIDC)", set: provider, expected: { identityProviders: [providerExpected] } },
  {
    name: "several identity providers in the order of their numbers, on loopback and public (VAR-OIDC)",
    set: {
      OIDC_10_ISSUER: "http://127.0.0.1:9/x",
      OIDC_10_CLIENT_ID: "c10",
      ...provider,
      OIDC_2_ISSUER: "https://two.example/t",
      OIDC_2_CLIENT_ID: "c2",
    },
    expected: {
      identityProviders: [
        providerExpected,
        { id: "oidc-2", name: "two.example", issuer: "https://two.example/t", clientId: "c2", clientSecret: undefined },
        { id: "oidc-10", name: "127.0.0.1", issuer: "http://127.0.0.1:9/x", clientId: "c10", clientSecret: undefined },
      ],
    },
  },
  {
    name: "other limits (VAR-LIMITS)",
    set: {
      MAX_IMAGE_BYTES: "1",
      MAX_VIDEO_BYTES: "5000000000",
      MAX_DOCUMENT_BYTES: "3",
      MAX_ASSETS_PER_POST: "4",
      MAX_STUDIO_BYTES: "5",
      MAX_STUDIOS_PER_USER: "6",
      PUBLISH_CONCURRENCY: "7",
    },
    expected: {
      publishConcurrency: 7,
      limits: { image: 1, video: 5_000_000_000, document: 3, assetsPerPost: 4, studioBytes: 5, studiosPerUser: 6 },
    },
  },
  {
    name: "a file of clients (VAR-OAUTH_CLIENTS)",
    set: { OAUTH_CLIENTS: "/etc/clients.json" },
    expected: { oauthClientsFile: "/etc/clients.json" },
  },
  {
    name: "client metadata documents are off (VAR-CLIENT_DOCUMENTS)",
    set: { CLIENT_DOCUMENTS: "off" },
    expected: { areClientDocumentsEnabled: false },
  },
  {
    name: "platform credentials (VAR-PLATFORM)",
    set: { PLATFORM_LINKEDIN_CLIENT_ID: "i", PLATFORM_LINKEDIN_CLIENT_SECRET: "s" },
    expected: { platformCredentials: { linkedin: { clientId: "i", clientSecret: "s" } } },
  },
  {
    name: "platform credentials, with the shorter name of the secret (VAR-PLATFORM)",
    set: { PLATFORM_X_CLIENT_ID: "i", PLATFORM_X_SECRET: "s" },
    expected: { platformCredentials: { x: { clientId: "i", clientSecret: "s" } } },
  },
  {
    name: "conformance fixtures on loopback (VAR-CONFORMANCE_FIXTURES)",
    set: { CONFORMANCE_FIXTURES: "1" },
    expected: { hasConformanceFixtures: true },
  },
  {
    name: "conformance fixtures are off explicitly (VAR-CONFORMANCE_FIXTURES)",
    set: { CONFORMANCE_FIXTURES: "off" },
    expected: { hasConformanceFixtures: false },
  },
  {
    name: "rate limits are off on loopback (VAR-RATE_LIMITS)",
    set: { RATE_LIMITS: "off" },
    expected: { areRateLimitsEnabled: false },
  },
  { name: "another log level (VAR-LOG_LEVEL)", set: { LOG_LEVEL: "silent" }, expected: { logLevel: "silent" } },
];

for (const { name, set, expected } of [...defaults, ...cases]) {
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
