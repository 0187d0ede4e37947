import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseIpAddress } from "#lib/ip-address.ts";
import { readConfig, type Config } from "#config/config.ts";
import { settings } from "#config/settings.ts";

/** Every setting: what it is when nothing is set, and what it becomes when something is. */

const secretA = "a".repeat(32);
const secretB = "b".repeat(40);
const mebibyte = 1024 * 1024;

interface Case {
  name: string;
  set: Record<string, string>;
  becomes: Partial<Config>;
}

const defaults: Case[] = [
  { name: "loopback, port 3000 (VAR-HOST)", set: {}, becomes: { host: "127.0.0.1", port: 3000, loopback: true } },
  { name: "localhost at the port (VAR-BASE_URL)", set: { PORT: "8080" }, becomes: { base: "http://localhost:8080" } },
  {
    name: "both at {base} (VAR-LOGIN_URL)",
    set: {},
    becomes: { uploadPage: "http://localhost:3000", loginUrl: "http://localhost:3000/login" },
  },
  { name: "everyone on loopback (VAR-SIGN_IN_ALLOW)", set: {}, becomes: { signInAllow: ["*"] } },
  { name: "none (VAR-MCP_ORIGINS)", set: {}, becomes: { mcpOrigins: [] } },
  { name: "none (VAR-METRICS_TOKEN)", set: {}, becomes: { metricsToken: undefined } },
  { name: "./data (VAR-DATA_DIR)", set: {}, becomes: { dataDir: "./data" } },
  { name: "SQLite (VAR-DATABASE_URL)", set: {}, becomes: { databaseUrl: undefined } },
  { name: "disk (VAR-STORAGE)", set: {}, becomes: { storage: { kind: "disk" } } },
  { name: "generated on loopback (VAR-SECRETS)", set: {}, becomes: { secrets: undefined } },
  { name: "the development issuer on loopback (VAR-OIDC)", set: {}, becomes: { identityProviders: [] } },
  {
    name: "fifty megabytes, four gigabytes, a hundred megabytes, twenty files (VAR-LIMITS)",
    set: {},
    becomes: {
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
  { name: "none (VAR-OAUTH_CLIENTS)", set: {}, becomes: { oauthClientsFile: undefined } },
  { name: "on (VAR-CLIENT_DOCUMENTS)", set: {}, becomes: { clientDocuments: true } },
  { name: "none (VAR-PLATFORM)", set: {}, becomes: { platformCredentials: {} } },
  { name: "off (VAR-CONFORMANCE_FIXTURES)", set: {}, becomes: { conformanceFixtures: false } },
  { name: "on (VAR-RATE_LIMITS)", set: {}, becomes: { rateLimits: true } },
  { name: "info (VAR-LOG_LEVEL)", set: {}, becomes: { logLevel: "info" } },
  {
    name: "a variable that is set to nothing is not set (RUN-3)",
    set: { PORT: "", SECRETS: "", BASE_URL: "" },
    becomes: { port: 3000, secrets: undefined, base: "http://localhost:3000" },
  },
];

const s3 = { STORAGE: "s3", S3_REGION: "eu", S3_BUCKET: "b", S3_ACCESS_KEY_ID: "k", S3_SECRET_ACCESS_KEY: "s" };
const s3Becomes = {
  kind: "s3",
  endpoint: undefined,
  region: "eu",
  bucket: "b",
  accessKeyId: "k",
  secretAccessKey: "s",
  forcePathStyle: false,
} as const;
const google = {
  OIDC_ISSUER: "https://accounts.example",
  OIDC_CLIENT_ID: "c1",
  OIDC_CLIENT_SECRET: "x1",
  OIDC_NAME: "Example",
};
const googleBecomes = {
  id: "oidc",
  name: "Example",
  issuer: "https://accounts.example",
  clientId: "c1",
  clientSecret: "x1",
};

const given: Case[] = [
  {
    name: "an address and a port (VAR-HOST)",
    set: { HOST: "::1", PORT: "65535" },
    becomes: { host: "::1", port: 65_535, loopback: true },
  },
  {
    name: "without its trailing slash (VAR-BASE_URL)",
    set: { BASE_URL: "http://app.localhost:9000/" },
    becomes: {
      base: "http://app.localhost:9000",
      uploadPage: "http://app.localhost:9000",
      loginUrl: "http://app.localhost:9000/login",
      loopback: true,
    },
  },
  {
    name: "another page of the same origin (VAR-LOGIN_URL)",
    set: { LOGIN_URL: "http://localhost:3000/sign-in" },
    becomes: { loginUrl: "http://localhost:3000/sign-in" },
  },
  {
    name: "an upload page elsewhere (VAR-LOGIN_URL)",
    set: { UPLOAD_PAGE_URL: "https://up.example.com/" },
    becomes: { uploadPage: "https://up.example.com" },
  },
  {
    name: "addresses and domains (VAR-SIGN_IN_ALLOW)",
    set: { SIGN_IN_ALLOW: "Ann@Example.com, @example.ORG" },
    becomes: { signInAllow: ["ann@example.com", "@example.org"] },
  },
  {
    name: "a list (VAR-MCP_ORIGINS)",
    set: { MCP_ORIGINS: "https://a.example,http://localhost:6274" },
    becomes: { mcpOrigins: ["https://a.example", "http://localhost:6274"] },
  },
  { name: "a token (VAR-METRICS_TOKEN)", set: { METRICS_TOKEN: secretA }, becomes: { metricsToken: secretA } },
  { name: "a folder (VAR-DATA_DIR)", set: { DATA_DIR: "/srv/atelier" }, becomes: { dataDir: "/srv/atelier" } },
  {
    name: "PostgreSQL (VAR-DATABASE_URL)",
    set: { DATABASE_URL: "postgres://u:p@db/x" },
    becomes: { databaseUrl: "postgres://u:p@db/x" },
  },
  {
    name: "its other spelling (VAR-DATABASE_URL)",
    set: { DATABASE_URL: "postgresql:///x?host=/run" },
    becomes: { databaseUrl: "postgresql:///x?host=/run" },
  },
  { name: "S3 (VAR-STORAGE)", set: s3, becomes: { storage: s3Becomes } },
  {
    name: "another S3 (VAR-STORAGE)",
    set: { ...s3, S3_ENDPOINT: "http://127.0.0.1:9000", S3_FORCE_PATH_STYLE: "true" },
    becomes: { storage: { ...s3Becomes, endpoint: "http://127.0.0.1:9000", forcePathStyle: true } },
  },
  {
    name: "the path style as a number (VAR-STORAGE)",
    set: { ...s3, S3_FORCE_PATH_STYLE: "1" },
    becomes: { storage: { ...s3Becomes, forcePathStyle: true } },
  },
  {
    name: "newest first (VAR-SECRETS)",
    set: { SECRETS: `${secretB}, ${secretA}` },
    becomes: { secrets: [secretB, secretA] },
  },
  {
    name: "bytes count, not letters (VAR-SECRETS)",
    set: { SECRETS: "é".repeat(16) },
    becomes: { secrets: ["é".repeat(16)] },
  },
  { name: "one provider (VAR-OIDC)", set: google, becomes: { identityProviders: [googleBecomes] } },
  {
    name: "several, in the order of their numbers, one on loopback, one public (VAR-OIDC)",
    set: {
      OIDC_10_ISSUER: "http://127.0.0.1:9/x",
      OIDC_10_CLIENT_ID: "c10",
      ...google,
      OIDC_2_ISSUER: "https://two.example/t",
      OIDC_2_CLIENT_ID: "c2",
    },
    becomes: {
      identityProviders: [
        googleBecomes,
        { id: "oidc-2", name: "two.example", issuer: "https://two.example/t", clientId: "c2", clientSecret: undefined },
        { id: "oidc-10", name: "127.0.0.1", issuer: "http://127.0.0.1:9/x", clientId: "c10", clientSecret: undefined },
      ],
    },
  },
  {
    name: "others (VAR-LIMITS)",
    set: {
      MAX_IMAGE_BYTES: "1",
      MAX_VIDEO_BYTES: "5000000000",
      MAX_DOCUMENT_BYTES: "3",
      MAX_ASSETS_PER_POST: "4",
      MAX_STUDIO_BYTES: "5",
      MAX_STUDIOS_PER_USER: "6",
    },
    becomes: {
      limits: { image: 1, video: 5_000_000_000, document: 3, assetsPerPost: 4, studioBytes: 5, studiosPerUser: 6 },
    },
  },
  {
    name: "a file (VAR-OAUTH_CLIENTS)",
    set: { OAUTH_CLIENTS: "/etc/clients.json" },
    becomes: { oauthClientsFile: "/etc/clients.json" },
  },
  {
    name: "off (VAR-CLIENT_DOCUMENTS)",
    set: { CLIENT_DOCUMENTS: "off" },
    becomes: { clientDocuments: false },
  },
  {
    name: "credentials (VAR-PLATFORM)",
    set: { PLATFORM_LINKEDIN_CLIENT_ID: "i", PLATFORM_LINKEDIN_CLIENT_SECRET: "s" },
    becomes: { platformCredentials: { linkedin: { clientId: "i", clientSecret: "s" } } },
  },
  {
    name: "credentials, the secret by its shorter name (VAR-PLATFORM)",
    set: { PLATFORM_X_CLIENT_ID: "i", PLATFORM_X_SECRET: "s" },
    becomes: { platformCredentials: { x: { clientId: "i", clientSecret: "s" } } },
  },
  {
    name: "on loopback (VAR-CONFORMANCE_FIXTURES)",
    set: { CONFORMANCE_FIXTURES: "1" },
    becomes: { conformanceFixtures: true },
  },
  {
    name: "off by its own word (VAR-CONFORMANCE_FIXTURES)",
    set: { CONFORMANCE_FIXTURES: "off" },
    becomes: { conformanceFixtures: false },
  },
  { name: "off on loopback (VAR-RATE_LIMITS)", set: { RATE_LIMITS: "off" }, becomes: { rateLimits: false } },
  { name: "another (VAR-LOG_LEVEL)", set: { LOG_LEVEL: "silent" }, becomes: { logLevel: "silent" } },
];

for (const { name, set, becomes } of [...defaults, ...given]) {
  test(`${name}: ${Object.keys(set).join(", ") || "default"}`, () => {
    const config = readConfig(set);
    const seen = Object.fromEntries(Object.keys(becomes).map((key) => [key, config[key as keyof Config]]));
    assert.deepEqual(seen, becomes);
  });
}

test("nobody is trusted unless named: addresses, networks, loopback (VAR-TRUST_PROXY)", () => {
  const trusted = (set: Record<string, string>) =>
    ["10.1.2.3", "127.0.0.1", "::1", "2001:db8::1", "192.0.2.1"].filter((text) => {
      const address = parseIpAddress(text);
      return address && readConfig(set).trustProxy.has(address);
    });
  assert.deepEqual(trusted({}), []);
  assert.deepEqual(trusted({ TRUST_PROXY: "off" }), []);
  assert.deepEqual(trusted({ TRUST_PROXY: "10.0.0.0/8, ::1" }), ["10.1.2.3", "::1"]);
  assert.deepEqual(trusted({ TRUST_PROXY: "loopback,2001:db8::/32" }), ["127.0.0.1", "::1", "2001:db8::1"]);
});

test("foreign variables of the environment are none of ours (RUN-3)", () => {
  const plain = (set: Record<string, string>) => JSON.stringify(readConfig(set));
  assert.equal(plain({ PATH: "/bin", HOME: "/root", npm_config_x: "1", NODE_ENV: "production" }), plain({}));
});

/** README.md's table: the names of each row, whichever cell they stand in, and the defaults of those in the first. */
function documented(): { names: string[]; defaults: Map<string, string> } {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, table = ""] = /^\| variable \| default \| meaning \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const rows = table.split("\n").map((row) => row.split(" | "));
  const quoted = (cell = "") => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name);
  const defaults = rows.flatMap(([first, second = ""]) => {
    const values = second.replaceAll("`", "").split(", ");
    return quoted(first).map((name, i): [string, string] => [name, values[i] ?? ""]);
  });
  const names = rows.flatMap(([first, , third]) => [...quoted(first), ...quoted(third)]);
  return { names, defaults: new Map(defaults) };
}

test("README.md has every setting and no other", () => {
  const elsewhere = /^OIDC_|^PLATFORM_/; // as many as there are providers and platforms
  assert.deepEqual(
    [...new Set(documented().names)].filter((name) => !elsewhere.test(name)).toSorted(),
    Object.keys(settings.shape).toSorted(),
  );
});

test("README.md has the defaults that hold", () => {
  const { defaults } = documented();
  const inWords = (value: number): string => {
    if (value < mebibyte) return String(value);
    return value < 1024 * mebibyte ? `${value / mebibyte} MB` : `${value / mebibyte / 1024} GB`;
  };
  const plain = Object.entries(settings.parse({})).filter(
    ([name, value]) => Object(value) !== value && defaults.has(name),
  );
  assert.ok(plain.length > 10);
  for (const [name, value] of plain)
    assert.equal(defaults.get(name), typeof value === "number" ? inWords(value) : value, name);
});
