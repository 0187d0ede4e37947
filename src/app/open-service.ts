import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startBackgroundJobs } from "./background-jobs.ts";
import { openFileStorage } from "./open-file-storage.ts";
import { createService, type CreateServiceOptions, type Secrets, type Service } from "./service.ts";
import { readEnterpriseIssuers } from "#auth/enterprise-issuers.ts";
import { issuerFetchLimits } from "#auth/issuer-keys.ts";
import { readOperatorClients } from "#auth/operator-clients.ts";
import { documentLimits } from "#auth/provider.ts";
import type { Config } from "#config/config.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { createSandboxStore } from "#db/sandbox.ts";
import { createLongWorkQueue } from "#domain/steps/long-work.ts";
import { createImportSlots } from "#domain/model/import-slots.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { assertMailWorks } from "#domain/jobs/mail/mail-status.ts";
import { createSearchQueue } from "#domain/model/search/search-queue.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { seconds, systemClock } from "#lib/clock.ts";
import { runEvery } from "#lib/repeat.ts";
import { createIdGenerator } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { createPublicFetch, createPublicUrlCheck, createPublicUrlOpener } from "#lib/public-fetch.ts";
import { loadOrCreateSecret } from "#lib/secret-file.ts";
import { deriveClientKeys } from "#connectors/atproto/client.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createVault } from "#lib/vault.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { createPlatformSetups, platformFetchLimits } from "#connectors/catalog.ts";

const webFolder = join(import.meta.dirname, "../../web/dist");

/** Opens the database and the file store, creates the service and starts its background jobs. Does not listen yet. */
export async function openService(config: Config, log: Log): Promise<Service> {
  const clients = readOperatorClients(config.oauthClientsFile);
  const enterpriseIssuers = readEnterpriseIssuers(config.enterpriseIssuersFile, config.identityProviders);
  const webFiles = await loadStaticFiles(webFolder);
  const database = await openDatabase({ ...config, log });
  // Created after the database, so that a folder with a secret always has a database as well.
  const secrets: Secrets = config.secrets ?? [await loadOrCreateSecret(config.dataDir)];
  const stores = createStores(database);
  const signer = createSigner(secrets, systemClock);
  const fileStorage = await openFileStorage(config, stores, signer);
  const { mail } = config;
  // Imported only if it is used.
  const mailer = mail && (await import("#mail/mailer.ts")).createMailer({ ...mail, base: config.base });
  const webhookOptions = { timeoutMs: seconds(15), maxRedirects: 0, accept: "*/*", privateHosts: config.privateHosts };
  const deps: CreateServiceOptions["deps"] = {
    ...stores,
    clock: systemClock,
    newId: createIdGenerator(systemClock),
    newSecret: () => randomBytes(32).toString("base64url"),
    baseUrl: config.base,
    uploadPage: config.uploadPage,
    limits: config.limits,
    signInAllow: config.signInAllow,
    files: fileStorage.files,
    media: createMediaReader(),
    signer,
    vault: createVault(secrets),
    openUrl: createPublicUrlOpener({ timeoutMs: seconds(15), maxRedirects: 5, accept: "*/*" }),
    openWebhookUrl: createPublicUrlOpener(webhookOptions),
    checkWebhookUrl: createPublicUrlCheck(webhookOptions),
    mailer,
    importSlots: createImportSlots(),
    textChecks: createTextChecks(),
    searchQueue: createSearchQueue({ sleep: (ms) => sleep(ms), clock: systemClock }),
    longWork: createLongWorkQueue(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  };

  const service = createService({
    config,
    deps,
    platforms: createPlatformSetups(
      config.platformCredentials,
      createPublicFetch({ ...platformFetchLimits, privateHosts: config.privateHosts }),
      { plcUrl: config.plcUrl, clientKeys: deriveClientKeys(secrets) },
    ),
    sandboxStore: createSandboxStore(database),
    disk: fileStorage.disk,
    secrets,
    clients,
    enterprise: {
      issuers: enterpriseIssuers,
      fetchUrl: createPublicFetch({ ...issuerFetchLimits, privateHosts: config.privateHosts }),
    },
    webFiles,
    fetchDocument: createPublicFetch(documentLimits),
    dependencies: [
      { name: "database", check: () => database.ping() },
      { name: "file store", check: () => fileStorage.files.ping() },
      ...(mailer ? [{ name: "mail server", isOptional: true, check: () => assertMailWorks(stores) }] : []),
    ],
    log,
  });

  const listener =
    config.databaseListenUrl === undefined
      ? undefined
      : // Imported only if it is used, because it imports the driver of PostgreSQL.
        (await import("./change-notifications.ts")).listenForChanges({
          url: config.databaseListenUrl,
          database,
          feeds: service.changeFeeds,
          wakeWorker: service.deps.wakeWorker,
          wakeFanOut: service.wakeFanOut,
          log,
        });
  const jobs = [
    runEvery(seconds(5), "calls", service.flushCallCounts, log),
    runEvery(seconds(1), "limits", service.syncCallLimits, log),
    ...startBackgroundJobs(service.deps, log),
    ...fileStorage.startJobs(log),
  ];
  return {
    ...service,
    async close() {
      await Promise.all([service.close(), listener?.close(), ...jobs.map((job) => job.stop())]);
      await service
        .flushCallCounts()
        .catch((error: unknown) => log.warn({ err: error }, "failed to save the last call counts"));
      await database.close();
    },
  };
}
