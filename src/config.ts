import { z } from "zod";
import type { AddressSet } from "#lib/ip-address.ts";
import { logLevels } from "#lib/log.ts";
import { isLoopbackName } from "#lib/loopback.ts";
import {
  allowedPeople,
  bytes,
  databaseUrl,
  onOff,
  origin,
  origins,
  parseUrl,
  port,
  proxies,
  secrets,
  trueFalse,
  whole,
} from "#lib/setting-values.ts";

/** The only file that knows the names of environment variables. SPEC.md §8 is this table in words. */

type Environment = Record<string, string | undefined>;

const mebibyte = 1024 * 1024;

const schema = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port.default(3000),
  BASE_URL: origin.optional(),
  UPLOAD_PAGE_URL: origin.optional(),
  LOGIN_URL: z.string().optional(),
  SIGN_IN_ALLOW: allowedPeople.optional(),
  MCP_ORIGINS: origins.default([]),
  METRICS_TOKEN: z.string().min(16, "at least 16 characters").optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  STORAGE: z.enum(["disk", "s3"]).default("disk"),
  S3_ENDPOINT: origin.optional(),
  S3_REGION: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: trueFalse.default(false),
  SECRETS: secrets.optional(),
  MAX_IMAGE_BYTES: bytes.default(50 * mebibyte),
  MAX_VIDEO_BYTES: bytes.default(4096 * mebibyte),
  MAX_DOCUMENT_BYTES: bytes.default(100 * mebibyte),
  MAX_ASSETS_PER_POST: whole(1, 1000, "a number from 1 to 1000").default(20),
  MAX_STUDIO_BYTES: bytes.optional(),
  OAUTH_CLIENTS: z.string().optional(),
  TRUST_PROXY: proxies.prefault("off"),
  CONFORMANCE_FIXTURES: z.enum(["off", "0", "1"]).default("off"),
  RATE_LIMITS: onOff.default("on"),
  LOG_LEVEL: z.enum(logLevels).default("info"),
});

export interface IdentityProviderConfig {
  /** Stands in the callback address: `{base}/api/auth/callback/<id>`. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

export interface Config {
  host: string;
  port: number;
  base: string;
  uploadPage: string;
  loginUrl: string;
  /** Both `HOST` and `{base}` are loopback: one person on one machine. */
  loopback: boolean;
  signInAllow: readonly string[];
  mcpOrigins: readonly string[];
  metricsToken: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  storage: { kind: "disk" } | ({ kind: "s3" } & S3Config);
  /** Absent: generated and kept in the data folder. Only on loopback. */
  secrets: [string, ...string[]] | undefined;
  /** Empty: the built-in development issuer. Only on loopback. */
  identityProviders: readonly IdentityProviderConfig[];
  limits: {
    image: number;
    video: number;
    document: number;
    assetsPerPost: number;
    /** What all files of a studio may take together; absent: as much as there is. */
    studioBytes: number | undefined;
  };
  oauthClientsFile: string | undefined;
  /** Whose forwarded address counts, for rate limits only. */
  trustProxy: AddressSet;
  platformCredentials: Readonly<Record<string, { clientId: string; clientSecret: string }>>;
  conformanceFixtures: boolean;
  rateLimits: boolean;
  logLevel: (typeof logLevels)[number];
}

export interface S3Config {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `Atelier cannot start. ${faults.length === 1 ? "This setting is" : "These settings are"} wrong:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}

/**
 * Reads every setting, or throws one ConfigError that lists every fault. `findMore` has those that this file cannot
 * know: in what a setting names.
 */
export function readConfig(environment: Environment, findMore: (config: Config) => string[] = () => []): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const faults: string[] = [];
  const parsed = schema.safeParse(set);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join(".")}: expected ${describe(issue)}`);
  }
  // A wrong value must not hide what else is wrong: the rest is judged with the default in its place.
  const wrong = new Set(parsed.error?.issues.map((issue) => String(issue.path[0])));
  const env = parsed.data ?? schema.parse(Object.fromEntries(Object.entries(set).filter(([name]) => !wrong.has(name))));

  const base = env.BASE_URL ?? `http://localhost:${env.PORT}`;
  const loopback = isLoopbackName(env.HOST) && isLoopbackName(new URL(base).hostname);
  const loginUrl = readLoginUrl(env.LOGIN_URL, base, faults);
  const identityProviders = readIdentityProviders(set, faults);
  const offLoopback = "needed where HOST or BASE_URL is not loopback";

  checkAddresses(base, env.UPLOAD_PAGE_URL, faults);
  if (!loopback) {
    if (!env.SECRETS && !wrong.has("SECRETS"))
      faults.push(`SECRETS: ${offLoopback} (32 bytes or more, for example from: openssl rand -hex 32)`);
    if (!env.SIGN_IN_ALLOW && !wrong.has("SIGN_IN_ALLOW"))
      faults.push(`SIGN_IN_ALLOW: ${offLoopback} (addresses, @domains or *)`);
    if (identityProviders.length === 0 && !Object.keys(set).some((name) => name.startsWith("OIDC_")))
      faults.push(`OIDC_ISSUER: ${offLoopback}; the development issuer serves loopback only`);
    if (env.CONFORMANCE_FIXTURES === "1")
      faults.push("CONFORMANCE_FIXTURES: refused where HOST or BASE_URL is not loopback");
    if (env.RATE_LIMITS === "off") faults.push("RATE_LIMITS: off is refused where HOST or BASE_URL is not loopback");
  }
  const storage = env.STORAGE === "s3" ? readS3(env, faults) : ({ kind: "disk" } as const);
  const platformCredentials = readPlatforms(set, faults);
  const config: Config = {
    host: env.HOST,
    port: env.PORT,
    base,
    uploadPage: env.UPLOAD_PAGE_URL ?? base,
    loginUrl,
    loopback,
    signInAllow: env.SIGN_IN_ALLOW ?? ["*"],
    mcpOrigins: env.MCP_ORIGINS,
    metricsToken: env.METRICS_TOKEN,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    storage,
    secrets: env.SECRETS,
    identityProviders,
    limits: {
      image: env.MAX_IMAGE_BYTES,
      video: env.MAX_VIDEO_BYTES,
      document: env.MAX_DOCUMENT_BYTES,
      assetsPerPost: env.MAX_ASSETS_PER_POST,
      studioBytes: env.MAX_STUDIO_BYTES,
    },
    oauthClientsFile: env.OAUTH_CLIENTS,
    trustProxy: env.TRUST_PROXY,
    platformCredentials,
    conformanceFixtures: env.CONFORMANCE_FIXTURES === "1",
    rateLimits: env.RATE_LIMITS === "on",
    logLevel: env.LOG_LEVEL,
  };
  faults.push(...findMore(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function checkAddresses(base: string, uploadPage: string | undefined, faults: string[]): void {
  if (new URL(base).pathname !== "/") faults.push("BASE_URL: expected an address without a path");
  if (uploadPage !== undefined && new URL(uploadPage).pathname !== "/")
    faults.push("UPLOAD_PAGE_URL: expected an address without a path");
  if (!isLoopbackName(new URL(base).hostname) && !base.startsWith("https:"))
    faults.push("BASE_URL: expected https unless it is loopback");
}

function readLoginUrl(given: string | undefined, base: string, faults: string[]): string {
  if (given === undefined) return `${base}/login`;
  const url = parseUrl(given);
  if (url?.origin !== new URL(base).origin) faults.push("LOGIN_URL: expected an address with the origin of BASE_URL");
  return given;
}

function readIdentityProviders(set: Environment, faults: string[]): IdentityProviderConfig[] {
  const numbers = new Set(
    Object.keys(set).flatMap(
      (name) =>
        /^OIDC(?:_(\d+))?_(?:ISSUER|CLIENT_ID|CLIENT_SECRET|NAME)$/.exec(name)?.[1] ??
        (name.startsWith("OIDC_") ? ["1"] : []),
    ),
  );
  for (const name of Object.keys(set)) {
    if (/^OIDC_(0\d*|1)_/.test(name))
      faults.push(`${name}: the first provider has no number, further ones begin with OIDC_2_`);
  }
  return [...numbers]
    .toSorted((a, b) => Number(a) - Number(b))
    .flatMap((number) => {
      const prefix = number === "1" ? "OIDC_" : `OIDC_${number}_`;
      const issuer = set[`${prefix}ISSUER`];
      const clientId = set[`${prefix}CLIENT_ID`];
      const url = issuer === undefined ? undefined : parseUrl(issuer);
      const fault = faults.length;
      if (!issuer) faults.push(`${prefix}ISSUER: needed beside the other ${prefix}… settings`);
      else if (!url || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopbackName(url.hostname)))) {
        faults.push(`${prefix}ISSUER: expected an https address (http only on loopback)`);
      }
      if (!clientId) faults.push(`${prefix}CLIENT_ID: needed beside ${prefix}ISSUER`);
      if (!issuer || !clientId || !url || faults.length > fault) return [];
      return [
        {
          id: number === "1" ? "oidc" : `oidc-${number}`,
          name: set[`${prefix}NAME`] ?? url.hostname,
          issuer,
          clientId,
          clientSecret: set[`${prefix}CLIENT_SECRET`],
        },
      ];
    });
}

function readS3(env: z.infer<typeof schema>, faults: string[]): Config["storage"] {
  const need = (name: "S3_REGION" | "S3_BUCKET" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY"): string => {
    const value = env[name];
    if (!value) faults.push(`${name}: needed with STORAGE=s3`);
    return value ?? "";
  };
  return {
    kind: "s3",
    endpoint: env.S3_ENDPOINT,
    region: need("S3_REGION"),
    bucket: need("S3_BUCKET"),
    accessKeyId: need("S3_ACCESS_KEY_ID"),
    secretAccessKey: need("S3_SECRET_ACCESS_KEY"),
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}

function readPlatforms(set: Environment, faults: string[]): Config["platformCredentials"] {
  const names = new Set(
    Object.keys(set).flatMap((name) => /^PLATFORM_([A-Z0-9]+)_(?:CLIENT_ID|(?:CLIENT_)?SECRET)$/.exec(name)?.[1] ?? []),
  );
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const clientId = set[`PLATFORM_${name}_CLIENT_ID`];
      const clientSecret = set[`PLATFORM_${name}_CLIENT_SECRET`] ?? set[`PLATFORM_${name}_SECRET`];
      if (clientId && clientSecret) return [[name.toLowerCase(), { clientId, clientSecret }]];
      faults.push(`PLATFORM_${name}_CLIENT_${clientId ? "SECRET" : "ID"}: needed beside its other half`);
      return [];
    }),
  );
}

function describe(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_value"
    ? issue.values.map(String).join(" or ")
    : issue.message.replace(/^Invalid input: expected /, "");
}
