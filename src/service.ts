import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import { startJobs } from "./jobs.ts";
import { createAuthenticate } from "#auth/authenticate.ts";
import { createOAuthServer } from "#auth/oauth-server.ts";
import { findClientFaults, readOperatorClients } from "#auth/operator-clients.ts";
import { createPeople } from "#auth/people.ts";
import { createSandboxPlatform } from "#auth/sandbox-platform.ts";
import { openDatabase } from "#db/open.ts";
import { createStores } from "#db/stores.ts";
import { createCallLimit, noLimit } from "#domain/access/call-limit.ts";
import { createCallTally } from "#domain/access/call-tally.ts";
import { countHit, unlimited, type RateLimit } from "#domain/access/rate-limit.ts";
import { createImportSlots } from "#domain/assets/import-slots.ts";
import type { FileStore } from "#domain/assets/file-store.ts";
import type { Deps } from "#domain/deps.ts";
import type { Platforms } from "#domain/platforms/ports.ts";
import { createApi, type Api } from "#http/api/app.ts";
import { mountApi } from "#http/api/mount.ts";
import { addressKey } from "#http/client-address.ts";
import { createUploadApi, type UploadApi } from "#http/uploads/api.ts";
import { drain } from "#http/drain.ts";
import { createFileTokens, type FileTokens } from "#http/file-tokens.ts";
import type { Need } from "#http/health.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import { loadStaticFiles, type StaticFiles } from "#http/static-files.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createConformanceFixtures } from "#mcp/fixtures/conformance.ts";
import { tools } from "#mcp/tools.ts";
import { minutes, seconds, systemClock } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import { createIds } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { createPublicFetch, createPublicOpener } from "#lib/public-fetch.ts";
import { keepSecret } from "#lib/secret-file.ts";
import { createSigner, type Signer } from "#lib/signed-token.ts";
import { createVault } from "#lib/vault.ts";
import { createMediaReader } from "#media/reader.ts";
import { callbackPath, createPlatforms, type PlatformSetup } from "#platforms/platforms.ts";
import { catalogSetups, platformLimits, sandboxSetup, strayCredentials } from "#platforms/setups.ts";
import { openDiskStore, type DiskStore } from "#storage/disk.ts";
import { openS3Store, type S3Store } from "#storage/s3.ts";

export interface Service {
  edge: Edge;
  api: Api;
  uploadApi: UploadApi;
  platforms: Platforms;
  /** Writes down how many calls each approval made. */
  settleCalls(): Promise<void>;
  /** Shares with all instances how many calls each user and each link made. */
  settleLimits(): Promise<void>;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

const webFolder = join(import.meta.dirname, "../web/dist");

/** Faults in what settings name, for `readConfig`. */
export function findSettingFaults({ platformCredentials, oauthClientsFile }: Config): string[] {
  return [...strayCredentials(platformCredentials), ...findClientFaults(oauthClientsFile)];
}

/** The service as it runs: its database opened, its secret found, everything checked. Nothing listens yet. */
export async function openService(config: Config, log: Log): Promise<Service> {
  const clients = readOperatorClients(config.oauthClientsFile);
  const webFiles = await loadStaticFiles(webFolder);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  const secrets: Secrets = config.secrets ?? [await keepSecret(config.dataDir)];
  const stores = createStores(database);
  const signer = createSigner(secrets, systemClock);
  const { files, disk, s3 } = await openFiles(config, stores, signer);
  const deps: Omit<Deps, "platforms"> = {
    ...stores,
    clock: systemClock,
    newId: createIds(systemClock),
    newSecret: () => randomBytes(32).toString("base64url"),
    base: config.base,
    uploadPage: config.uploadPage,
    limits: config.limits,
    signInAllow: config.signInAllow,
    files,
    media: createMediaReader(),
    signer,
    vault: createVault(secrets),
    openUrl: createPublicOpener({ patienceMs: seconds(15), maxRedirects: 5, accept: "*/*" }),
    importSlots: createImportSlots(),
    sleep,
  };
  const fetchDocument = createPublicFetch(documentLimits);
  const needs = [
    { name: "database", check: () => database.ping() },
    { name: "file store", check: () => files.ping() },
  ];
  const platforms = catalogSetups(config.platformCredentials, createPublicFetch(platformLimits));
  const parts = { config, deps, disk, secrets, clients, webFiles, fetchDocument, platforms, needs, log };
  const service = assembleService(parts);
  const whole: Deps = { ...deps, platforms: service.platforms };
  const jobs = [
    every(seconds(5), "calls", service.settleCalls, log),
    every(seconds(1), "limits", service.settleLimits, log),
    ...startJobs(whole, log),
    ...(s3 ? [allowPages(s3, config, log)] : []),
  ];
  return {
    ...service,
    async close() {
      await Promise.all([service.close(), ...jobs.map((job) => job.stop())]);
      await service
        .settleCalls()
        .catch((error: unknown) => log.warn({ err: error }, "the last calls were not counted"));
      await database.close();
    },
  };
}

/** A client's metadata document is small, and a person waits for it. */
export const documentLimits = { timeoutMs: seconds(3), maxBytes: 10 * 1024 } as const;

type Secrets = NonNullable<Config["secrets"]>;

/** A store whose bytes pass through our own door. */
export interface DiskFiles {
  store: DiskStore;
  tokens: FileTokens;
}

async function openFiles(
  { storage, dataDir, base }: Config,
  { assets }: Pick<Deps, "assets">,
  signer: Signer,
): Promise<{ files: FileStore; disk?: DiskFiles; s3?: S3Store }> {
  if (storage.kind === "s3") {
    const s3 = await openS3Store({ settings: storage, clock: systemClock });
    return { files: s3, s3 };
  }
  const tokens = createFileTokens(signer, base);
  const root = join(dataDir, "files");
  // A folder that is empty though files were stored is not the folder that they were stored in.
  const store = await openDiskStore({
    root,
    addresses: tokens,
    clock: systemClock,
    mustExist: await assets.anyReady(),
  });
  return { files: store, disk: { store, tokens } };
}

export interface ServiceParts {
  config: Config;
  deps: Omit<Deps, "platforms">;
  /** What can be connected; the sandbox of a development instance comes beside them. */
  platforms: readonly PlatformSetup[];
  /** Absent where files lie elsewhere. */
  disk?: DiskFiles | undefined;
  secrets: Secrets;
  clients: ReturnType<typeof readOperatorClients>;
  webFiles: StaticFiles;
  /** Fetches the document that a client's id points at. */
  fetchDocument: (url: string) => Promise<Response>;
  needs: readonly Need[];
  log: Log;
}

/** Composition root: who is given what. Tests put the same service together over a database and a clock of their own. */
export function assembleService(parts: ServiceParts): Service {
  const { config, disk, secrets, clients, webFiles, fetchDocument, needs, log } = parts;
  const { base, loginUrl } = config;
  const development = config.identityProviders.length === 0;
  const sandbox = development
    ? createSandboxPlatform({
        base,
        redirectUri: `${base}${callbackPath}sandbox`,
        clock: parts.deps.clock,
        log,
        renderErrorPage,
      })
    : undefined;
  const own = sandbox ? [sandboxSetup(sandbox.origin, sandbox.app)] : [];
  const platforms = createPlatforms(base, [...own, ...parts.platforms], log);
  const deps: Deps = { ...parts.deps, platforms, ...(config.rateLimits ? {} : { rateLimits: unlimited }) };
  const { signer } = deps;
  const limit = (name: RateLimit, req: IncomingMessage) =>
    countHit(deps, name, addressKey(req, config.trustProxy, name === "registrationSite" ? 48 : 64));

  const people = createPeople({ ...config, deps, signer, log, renderErrorPage });
  const findUser = people.sessions.find;
  const oauth = createOAuthServer({
    deps,
    base,
    secrets,
    clients,
    loginUrl,
    isSignedIn: async (cookies) => (await findUser(cookies)) !== undefined,
    fetchDocument,
    limitFetch: (req) => limit("clientDocument", req),
    renderError: renderErrorPage,
    log,
  });
  const calls = createCallTally(deps);
  const toolCalls = createCallLimit(deps, "calls", { perMinute: 600 });
  const linkCalls = createCallLimit(deps, "uploads", { perMinute: 600 });
  const mcp = createMcpEndpoint({
    deps,
    authenticate: createAuthenticate(deps, log),
    tools,
    signer,
    log,
    countCall: config.rateLimits ? toolCalls.count : noLimit,
    noteCall: calls.note,
    version: packageJson.version,
    extension: config.conformanceFixtures ? createConformanceFixtures(deps.newSecret) : undefined,
  });
  const api = createApi({
    deps,
    sessions: people.sessions,
    log,
    development,
  });

  const uploadApi = createUploadApi({
    deps,
    countCall: config.rateLimits ? linkCalls.count : noLimit,
    log,
  });

  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base,
      metrics,
      metricsToken: config.metricsToken,
      needs,
      people: { ...people, base, loginUrl, deps, signer, limit },
      oauth: { oauth, base, limit },
      consent: { consent: oauth.consent, deps, signer, base, loginUrl, findUser },
      connect: { base, loginUrl, deps, sessions: people.sessions, signer, limit },
      sandbox,
      mcp,
      api: mountApi(api),
      thumbnails: deps,
      uploads: { deps, api: uploadApi, webFiles },
      files: disk && {
        ...disk,
        origins: [base, config.uploadPage].map((address) => new URL(address).origin),
        clock: deps.clock,
      },
      webFiles,
    }),
    addresses: config,
    metrics,
    newId: deps.newId,
    log,
  });
  return {
    edge,
    api,
    uploadApi,
    platforms,
    settleCalls: calls.settle,
    settleLimits: async () => void (await Promise.all([toolCalls.settle(), linkCalls.settle()])),
    async close() {
      mcp.close();
      await drain(edge, log);
    },
  };
}

/** Sees to it, at start and from time to time, that the bucket takes bytes from our pages. */
function allowPages(store: S3Store, { base, uploadPage }: Config, log: Log): Repeated {
  const origins = [base, uploadPage].map((address) => new URL(address).origin);
  const work = async (): Promise<void> => {
    if (await store.allowPages(origins))
      log.info({ origins }, "the bucket's CORS rules now allow uploads from our pages");
  };
  work().catch((error: unknown) =>
    log.warn(
      { err: error },
      "the bucket's CORS rules could not be seen to; uploads from browsers need one (docs/uploads.md)",
    ),
  );
  return every(minutes(10), "bucket", work, log);
}
