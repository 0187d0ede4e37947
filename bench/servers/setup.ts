import { Readable } from "node:stream";
import { randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createStores, openDatabase } from "#db/open-database.ts";
import type { Database } from "#db/database.ts";
import { createLongWorkQueue } from "#domain/steps/long-work.ts";
import { createImportSlots } from "#domain/model/import-slots.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { createSearchQueue } from "#domain/model/search/search-queue.ts";
import type { JobDeps } from "#domain/ports/deps.ts";
import { systemClock } from "#lib/clock.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createVault } from "#lib/vault.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { createHookedFiles } from "../../test/support/hooked-files.ts";

export const silentLog = createLog("silent");

/** Opens the database and builds deps, identically for every server that the benchmarks compare. */
export async function openDeps(): Promise<{ database: Database; deps: JobDeps }> {
  const database = await openDatabase({
    databaseUrl: process.env["BENCH_DATABASE_URL"] === "" ? undefined : process.env["BENCH_DATABASE_URL"],
    dataDir: process.env["BENCH_DATA_DIR"] ?? "",
    log: silentLog,
  });
  const deps: JobDeps = {
    ...createStores(database),
    clock: systemClock,
    newId: createIdGenerator(systemClock),
    newSecret: () => randomBytes(32).toString("base64url"),
    baseUrl: "http://localhost:3000",
    uploadPage: "http://localhost:3000",
    limits: { image: 1, video: 1, document: 1, assetsPerPost: 20, studiosPerUser: 1_000_000 },
    signInAllow: ["*"],
    files: createHookedFiles(systemClock),
    media: createMediaReader(),
    signer: createSigner(["benchmark secret of at least 32 bytes"], systemClock),
    vault: createVault(["benchmark secret of at least 32 bytes"]),
    openUrl: () => Promise.reject(new Error("benchmarks do not fetch URLs")),
    openWebhookUrl: () => Promise.reject(new Error("benchmarks do not fetch URLs")),
    checkWebhookUrl: async () => {},
    importSlots: createImportSlots(),
    textChecks: createTextChecks(),
    longWork: createLongWorkQueue(),
    searchQueue: createSearchQueue({ sleep: (ms) => sleep(ms), clock: systemClock }),
    platforms: createPlatforms("http://localhost:3000", []),
    publisher: createPublisher({
      setups: [],
      createMediaUrl: () => "",
      openFile: async () => Readable.from([]),
      sleep: (ms) => sleep(ms),
    }),
    wakeWorker: () => {},
    wakeMailSender: () => {},
    mailer: undefined,
    wakeWebhookSender: () => {},
    sleep: (ms) => sleep(ms),
  };
  return { database, deps };
}

export function serve(listener: RequestListener): void {
  listen(createServer({ keepAliveTimeout: 65_000 }, listener));
}

/** Listens, sends the URL to the parent process, and replies to its requests for CPU time. */
export function listen(server: ReturnType<typeof createServer>): void {
  server.listen(0, "127.0.0.1", () =>
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }),
  );
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
  });
  process.on("disconnect", () => process.exit(0));
}
