import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startJobs } from "./jobs.ts";
import { openFiles } from "./open-files.ts";
import { assembleService, type Secrets, type Service } from "./service.ts";
import { findClientFaults, readOperatorClients } from "#auth/operator-clients.ts";
import { documentLimits } from "#auth/provider.ts";
import type { Config } from "#config/config.ts";
import { openDatabase } from "#db/open.ts";
import { createStores } from "#db/stores.ts";
import { createImportSlots } from "#domain/assets/import-slots.ts";
import { createSearchQueue } from "#domain/posts/search-queue.ts";
import type { Deps } from "#domain/deps.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { seconds, systemClock } from "#lib/clock.ts";
import { every } from "#lib/every.ts";
import { createIds } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import { createPublicFetch, createPublicOpener } from "#lib/public-fetch.ts";
import { keepSecret } from "#lib/secret-file.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createVault } from "#lib/vault.ts";
import { createMediaReader } from "#media/reader.ts";
import { catalogSetups, platformLimits, strayCredentials } from "#platforms/setups.ts";

const webFolder = join(import.meta.dirname, "../web/dist");

/** Faults in what settings name, for `readConfig`. */
export function findSettingFaults({ platformCredentials, oauthClientsFile }: Config): string[] {
  return [...strayCredentials(platformCredentials), ...findClientFaults(oauthClientsFile)];
}

/** The service as it runs: its database opened, its secret found, everything checked, its jobs begun. Nothing listens yet. */
export async function openService(config: Config, log: Log): Promise<Service> {
  const clients = readOperatorClients(config.oauthClientsFile);
  const webFiles = await loadStaticFiles(webFolder);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  const secrets: Secrets = config.secrets ?? [await keepSecret(config.dataDir)];
  const stores = createStores(database);
  const signer = createSigner(secrets, systemClock);
  const store = await openFiles(config, stores, signer);
  const deps: Omit<Deps, "platforms"> = {
    ...stores,
    clock: systemClock,
    newId: createIds(systemClock),
    newSecret: () => randomBytes(32).toString("base64url"),
    base: config.base,
    uploadPage: config.uploadPage,
    limits: config.limits,
    signInAllow: config.signInAllow,
    files: store.files,
    media: createMediaReader(),
    signer,
    vault: createVault(secrets),
    openUrl: createPublicOpener({ patienceMs: seconds(15), maxRedirects: 5, accept: "*/*" }),
    importSlots: createImportSlots(),
    searchQueue: createSearchQueue({ sleep, clock: systemClock }),
    sleep,
  };

  const service = assembleService({
    config,
    deps,
    platforms: catalogSetups(config.platformCredentials, createPublicFetch(platformLimits)),
    disk: store.disk,
    secrets,
    clients,
    webFiles,
    fetchDocument: createPublicFetch(documentLimits),
    needs: [
      { name: "database", check: () => database.ping() },
      { name: "file store", check: () => store.files.ping() },
    ],
    log,
  });

  const jobs = [
    every(seconds(5), "calls", service.settleCalls, log),
    every(seconds(1), "limits", service.settleLimits, log),
    ...startJobs({ ...deps, platforms: service.platforms }, log),
    ...store.startJobs(log),
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
