import type { z } from "zod";
import { isLoopbackName } from "#lib/ip-address.ts";
import { OperatorError } from "#lib/operator-error.ts";
import { readIdentityProviders } from "./identity-providers.ts";
import { settings, type Environment, type Settings } from "./settings.ts";
import { parseUrl } from "./values.ts";

/** The settings, understood together. */
export type Config = ReturnType<typeof understand>;

export class ConfigError extends OperatorError {
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
 * Reads every setting, or throws one ConfigError that lists every fault. `findMore` has those that this folder cannot
 * know: in what a setting names.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  findMore: (config: Config) => string[] = () => [],
): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const parsed = settings.safeParse(set);
  const issues = parsed.error?.issues ?? [];
  const faults = issues.map((issue) => `${issue.path.join(".")}: expected ${expected(issue)}`);
  // A wrong value must not hide what else is wrong: the rest is judged with the default in its place.
  const wrong = new Set(issues.map((issue) => String(issue.path[0])));
  const right = Object.fromEntries(Object.entries(set).filter(([name]) => !wrong.has(name)));
  const config = understand(parsed.data ?? settings.parse(right), set, faults);
  faults.push(...findMore(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** The settings of this process: the one place that reads its environment. */
export const readOwnConfig = (findMore?: (config: Config) => string[]): Config => readConfig(process.env, findMore);

function understand(env: Settings, set: Environment, faults: string[]) {
  const base = env.BASE_URL ?? `http://localhost:${env.PORT}`;
  const uploadPage = env.UPLOAD_PAGE_URL ?? base;
  const isLocalBase = isLoopbackName(new URL(base).hostname);
  const loopback = isLoopbackName(env.HOST) && isLocalBase;

  for (const [name, address] of Object.entries({ BASE_URL: base, UPLOAD_PAGE_URL: env.UPLOAD_PAGE_URL }))
    if (address !== undefined && new URL(address).pathname !== "/")
      faults.push(`${name}: expected an address without a path`);
  if (!isLocalBase && !base.startsWith("https:")) faults.push("BASE_URL: expected https unless it is loopback");
  if (!loopback) judgeOffLoopback(env, set, faults);

  return {
    host: env.HOST,
    port: env.PORT,
    base,
    uploadPage,
    loginUrl: readLoginUrl(env.LOGIN_URL, base, faults),
    /** Both `HOST` and `{base}` are: one person on one machine. */
    loopback,
    signInAllow: env.SIGN_IN_ALLOW ?? ["*"],
    mcpOrigins: env.MCP_ORIGINS,
    metricsToken: env.METRICS_TOKEN,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    storage: env.STORAGE === "s3" ? readS3(env, faults) : ({ kind: "disk" } as const),
    /** Absent: generated and kept in the data folder. Only on loopback. */
    secrets: env.SECRETS,
    /** Empty: the built-in development issuer. Only on loopback. */
    identityProviders: readIdentityProviders(set, faults),
    limits: {
      image: env.MAX_IMAGE_BYTES,
      video: env.MAX_VIDEO_BYTES,
      document: env.MAX_DOCUMENT_BYTES,
      assetsPerPost: env.MAX_ASSETS_PER_POST,
      /** What all files of a studio may take together; absent: as much as there is. */
      studioBytes: env.MAX_STUDIO_BYTES,
      studiosPerUser: env.MAX_STUDIOS_PER_USER,
    },
    oauthClientsFile: env.OAUTH_CLIENTS,
    /** Client ID metadata documents are advertised and fetched. */
    clientDocuments: env.CLIENT_DOCUMENTS === "on",
    /** Whose forwarded address counts, for rate limits only. */
    trustProxy: env.TRUST_PROXY,
    platformCredentials: readPlatforms(set, faults),
    conformanceFixtures: env.CONFORMANCE_FIXTURES === "1",
    rateLimits: env.RATE_LIMITS === "on",
    logLevel: env.LOG_LEVEL,
  };
}

/** What a service that others can reach must have, and must not have. */
function judgeOffLoopback(env: Settings, set: Environment, faults: string[]): void {
  const offLoopback = "where HOST or BASE_URL is not loopback";
  // What is set, though wrongly, has its own fault already.
  if (set["SECRETS"] === undefined)
    faults.push(`SECRETS: needed ${offLoopback} (32 bytes or more, for example from: openssl rand -hex 32)`);
  if (set["SIGN_IN_ALLOW"] === undefined)
    faults.push(`SIGN_IN_ALLOW: needed ${offLoopback} (addresses, @domains or *)`);
  if (!Object.keys(set).some((name) => name.startsWith("OIDC_")))
    faults.push(`OIDC_ISSUER: needed ${offLoopback}; the development issuer serves loopback only`);
  if (env.CONFORMANCE_FIXTURES === "1") faults.push(`CONFORMANCE_FIXTURES: refused ${offLoopback}`);
  if (env.RATE_LIMITS === "off") faults.push(`RATE_LIMITS: off is refused ${offLoopback}`);
}

function readLoginUrl(given: string | undefined, base: string, faults: string[]): string {
  if (given === undefined) return `${base}/login`;
  if (parseUrl(given)?.origin !== new URL(base).origin)
    faults.push("LOGIN_URL: expected an address with the origin of BASE_URL");
  return given;
}

function readS3(env: Settings, faults: string[]) {
  const need = (name: "S3_REGION" | "S3_BUCKET" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY"): string => {
    const value = env[name];
    if (!value) faults.push(`${name}: needed with STORAGE=s3`);
    return value ?? "";
  };
  return {
    kind: "s3" as const,
    endpoint: env.S3_ENDPOINT,
    region: need("S3_REGION"),
    bucket: need("S3_BUCKET"),
    accessKeyId: need("S3_ACCESS_KEY_ID"),
    secretAccessKey: need("S3_SECRET_ACCESS_KEY"),
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}

/** `PLATFORM_<NAME>_CLIENT_ID` and its secret, for any name: which platforms exist is not known here. */
function readPlatforms(set: Environment, faults: string[]): Record<string, { clientId: string; clientSecret: string }> {
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

/** In words, what a value should have been. */
function expected(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_value"
    ? issue.values.map(String).join(" or ")
    : issue.message.replace(/^Invalid input: expected /, "");
}
