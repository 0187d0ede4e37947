import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatforms } from "#connectors/connectors.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createStores, openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { startPublishingWorker } from "#domain/publishing/worker.ts";
import { systemClock } from "#lib/clock.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { createVault } from "#lib/vault.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { createSandboxVariants } from "../sandbox-variants.ts";

/** Child process: runs the publishing worker against a sandbox in the parent process. */

const { base, file, timeouts, leaseMs, ...location } = JSON.parse(process.argv[2] ?? "") as Omit<
  OpenDatabaseOptions,
  "log"
> & {
  base: string;
  /** The content of every file, in base64. */
  file: string;
  /** How many publish requests time out: alternately before and after the sandbox received them. */
  timeouts: number;
  leaseMs: number;
};
const printLine = (line: string) => writeSync(1, `${line}\n`); // synchronous, because the process may be killed

let remainingTimeouts = timeouts;
const timeOut =
  (fetch: PublicFetch): PublicFetch =>
  async (url, request) => {
    const isPublish = request?.method !== "GET" && /\/api\/(posts|records|publish)/.test(url);
    if (!isPublish || remainingTimeouts === 0) return fetch(url, request);
    remainingTimeouts--;
    const isReceived = Math.random() < 0.5;
    printLine(`timeout ${isReceived ? "after" : "before"} the request was received`);
    if (isReceived) await fetch(url, request);
    throw new Error("the platform did not respond in time");
  };

const database = await openDatabase({ ...location, log: createLog("silent") });
// Not `createDeps`: its imports would double the time that this process takes to start.
const deps = {
  ...createStores(database),
  clock: systemClock,
  newId: createIdGenerator(systemClock),
  newSecret: () => randomBytes(32).toString("base64url"),
  vault: createVault(["a secret of this test, long enough"]),
  sleep: (ms: number) => sleep(ms),
};
const setups = createSandboxVariants({ base, wrapFetch: timeOut });
const publisher = createPublisher({
  setups,
  readFile: async () => Buffer.from(file, "base64"),
  sleep: deps.sleep,
});
printLine("started");
await once(process.stdin, "data");
startPublishingWorker(
  { ...deps, platforms: createPlatforms(base, setups), publisher },
  { concurrency: 8, leaseMs, onError: (error) => printLine(`error ${String(error)}`) },
);
printLine("ready");
