import { isLoopbackName } from "#lib/ip-address.ts";
import { OperatorError } from "#lib/errors.ts";
import { formatIssue } from "#lib/format-issues.ts";
import { readMailSettings } from "./mail-settings.ts";
import { readIdentityProviders } from "./identity-providers.ts";
import { parseUrl, settingsSchema, type Environment, type Settings } from "./settings.ts";

/** The validated settings of a server. */
export type Config = ReturnType<typeof resolveConfig>;

export class ConfigError extends OperatorError {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `Atelier cannot start. Fix ${problems.length === 1 ? "this setting" : "these settings"}:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
    );
    this.problems = problems;
  }
}

/**
 * Reads all settings, or throws one ConfigError that lists every problem. `findMoreProblems` checks the files and
 * platforms that settings refer to, with code that `src/config` must not import.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  findMoreProblems: (config: Config) => string[] = () => [],
): Config {
  const variables = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const parseResult = settingsSchema.safeParse(variables);
  const issues = parseResult.error?.issues ?? [];
  const problems = issues.map(formatIssue);
  // An invalid value must not hide other problems, so the other settings are checked as if it were not set.
  const invalidNames = new Set(issues.map((issue) => String(issue.path[0])));
  const validVariables = Object.fromEntries(Object.entries(variables).filter(([name]) => !invalidNames.has(name)));
  const config = resolveConfig(parseResult.data ?? settingsSchema.parse(validVariables), variables, problems);
  problems.push(...findMoreProblems(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Reads the config of this process. The only place that reads `process.env`. */
export const readProcessConfig = (findMoreProblems?: (config: Config) => string[]): Config =>
  readConfig(process.env, findMoreProblems);

function resolveConfig(settings: Settings, variables: Environment, problems: string[]) {
  const base = settings.BASE_URL ?? `http://localhost:${settings.PORT}`;
  const uploadPage = settings.UPLOAD_PAGE_URL ?? base;
  const isLocalBase = isLoopbackName(new URL(base).hostname);
  const isLoopback = isLoopbackName(settings.HOST) && isLocalBase;

  for (const [name, url] of Object.entries({ BASE_URL: base, UPLOAD_PAGE_URL: settings.UPLOAD_PAGE_URL }))
    if (url !== undefined && new URL(url).pathname !== "/") problems.push(`${name}: expected a URL without a path`);
  if (!isLocalBase && !base.startsWith("https:")) problems.push("BASE_URL: expected https unless it is loopback");
  if (!isLoopback) validatePublicConfig(settings, variables, problems);
  if (settings.DATABASE_LISTEN_URL !== undefined && variables["DATABASE_URL"] === undefined)
    problems.push("DATABASE_LISTEN_URL: only allowed with DATABASE_URL");

  return {
    host: settings.HOST,
    port: settings.PORT,
    base,
    uploadPage,
    loginUrl: readLoginUrl(settings.LOGIN_URL, base, problems),
    /** Whether both `HOST` and `{base}` are loopback, so that only this machine can reach the server. */
    isLoopback,
    signInAllow: settings.SIGN_IN_ALLOW ?? ["*"],
    mcpOrigins: settings.MCP_ORIGINS,
    metricsToken: settings.METRICS_TOKEN,
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    /**
     * For connections that need a session: notifications and migrations. Differs from `databaseUrl` if that URL leads to
     * a transaction pooler; undefined with SQLite.
     */
    databaseListenUrl: settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL,
    storage: settings.STORAGE === "s3" ? readS3Settings(settings, problems) : ({ kind: "disk" } as const),
    /** Undefined only on loopback, where the server generates a secret and stores it in the data folder. */
    secrets: settings.SECRETS,
    /** Empty only on loopback, where users sign in with the built-in dev issuer. */
    identityProviders: readIdentityProviders(variables, problems),
    limits: {
      image: settings.MAX_IMAGE_BYTES,
      video: settings.MAX_VIDEO_BYTES,
      document: settings.MAX_DOCUMENT_BYTES,
      assetsPerPost: settings.MAX_ASSETS_PER_POST,
      /** The quota for all files of a studio; undefined if it is unlimited. */
      studioBytes: settings.MAX_STUDIO_BYTES,
      studiosPerUser: settings.MAX_STUDIOS_PER_USER,
    },
    /** Undefined: no emails are sent. */
    mail: readMailSettings(settings, variables, problems),
    publishConcurrency: settings.PUBLISH_CONCURRENCY,
    appsChallenge: settings.OPENAI_APPS_CHALLENGE,
    oauthClientsFile: settings.OAUTH_CLIENTS,
    enterpriseIssuersFile: settings.ENTERPRISE_ISSUERS,
    privateHosts: settings.PRIVATE_HOSTS,
    /** The URL of the directory of `did:plc` identities. */
    plcUrl: settings.BLUESKY_PLC_URL,
    /** Whether client metadata documents are advertised and fetched. */
    areClientDocumentsEnabled: settings.CLIENT_DOCUMENTS === "on",
    /** Proxies whose forwarded client IP address is trusted, for rate limits only. */
    trustedProxies: settings.TRUST_PROXY,
    platformCredentials: readPlatformCredentials(variables, problems),
    hasConformanceFixtures: settings.CONFORMANCE_FIXTURES === "1",
    areRateLimitsEnabled: settings.RATE_LIMITS === "on",
    logLevel: settings.LOG_LEVEL,
  };
}

/** Requires the settings that a server needs if other machines can reach it, and rejects dev-only settings. */
function validatePublicConfig(settings: Settings, variables: Environment, problems: string[]): void {
  const unlessLoopback = "unless HOST and BASE_URL are loopback";
  // A variable that is set to an invalid value is already reported.
  if (variables["SECRETS"] === undefined)
    problems.push(`SECRETS: required ${unlessLoopback} (at least 32 bytes, for example from: openssl rand -hex 32)`);
  if (variables["SIGN_IN_ALLOW"] === undefined)
    problems.push(`SIGN_IN_ALLOW: required ${unlessLoopback} (emails, @domains or *)`);
  if (!Object.keys(variables).some((name) => name.startsWith("OIDC_")))
    problems.push(`OIDC_ISSUER: required ${unlessLoopback}; the dev issuer only works on loopback`);
  if (settings.CONFORMANCE_FIXTURES === "1") problems.push(`CONFORMANCE_FIXTURES: not allowed ${unlessLoopback}`);
  if (settings.RATE_LIMITS === "off") problems.push(`RATE_LIMITS: off is not allowed ${unlessLoopback}`);
}

function readLoginUrl(configuredUrl: string | undefined, base: string, problems: string[]): string {
  if (configuredUrl === undefined) return `${base}/login`;
  if (parseUrl(configuredUrl)?.origin !== new URL(base).origin)
    problems.push("LOGIN_URL: expected a URL with the origin of BASE_URL");
  return configuredUrl;
}

function readS3Settings(settings: Settings, problems: string[]) {
  const requireSetting = (name: "S3_REGION" | "S3_BUCKET" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY"): string => {
    const value = settings[name];
    if (!value) problems.push(`${name}: required with STORAGE=s3`);
    return value ?? "";
  };
  return {
    kind: "s3" as const,
    endpoint: settings.S3_ENDPOINT,
    region: requireSetting("S3_REGION"),
    bucket: requireSetting("S3_BUCKET"),
    accessKeyId: requireSetting("S3_ACCESS_KEY_ID"),
    secretAccessKey: requireSetting("S3_SECRET_ACCESS_KEY"),
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
  };
}

/**
 * Reads `PLATFORM_<NAME>_CLIENT_ID` and its secret for any name; the connectors check which platforms exist. Operators
 * may also call the secret `PLATFORM_<NAME>_SECRET`.
 */
function readPlatformCredentials(
  variables: Environment,
  problems: string[],
): Record<string, { clientId: string; clientSecret: string }> {
  const names = new Set(
    Object.keys(variables).flatMap(
      (name) => /^PLATFORM_([A-Z0-9]+)_(?:CLIENT_ID|(?:CLIENT_)?SECRET)$/.exec(name)?.[1] ?? [],
    ),
  );
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const clientId = variables[`PLATFORM_${name}_CLIENT_ID`];
      const clientSecret = variables[`PLATFORM_${name}_CLIENT_SECRET`] ?? variables[`PLATFORM_${name}_SECRET`];
      if (clientId && clientSecret) return [[name.toLowerCase(), { clientId, clientSecret }]];
      const [missing, present] = clientId ? ["SECRET", "ID"] : ["ID", "SECRET"];
      problems.push(`PLATFORM_${name}_CLIENT_${missing}: required with PLATFORM_${name}_CLIENT_${present}`);
      return [];
    }),
  );
}
