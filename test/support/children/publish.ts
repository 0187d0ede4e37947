import { inspect } from "node:util";
import { createPlatformSetups, platformFetchLimits } from "#connectors/catalog.ts";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { startPublishingWorker } from "#domain/jobs/publishing/worker.ts";
import { systemClock } from "#lib/clock.ts";
import { createPublicFetch, type PublicFetch } from "#lib/public-fetch.ts";
import { createDeps, silentLog } from "../engines.ts";
import { createHookedFiles } from "../hooked-files.ts";
import { createSandboxPlatforms } from "../sandbox-platforms.ts";
import { startService } from "../service.ts";
import { printLine, readOptions, waitForStart } from "./child.ts";

/** Child process: the whole service with the sandbox, its variants and a publishing worker. */

const {
  base,
  filesFolder,
  timeoutCount,
  leaseMs,
  privateHosts = [],
  plcUrl = "https://plc.example",
  ...databaseOptions
} = readOptions<
  Omit<OpenDatabaseOptions, "log"> & {
    base: string;
    filesFolder: string;
    /** How many publish requests time out: some before and some after the sandbox received them. */
    timeoutCount: number;
    /** Short, so that tests with many kills do not wait for abandoned runs. */
    leaseMs: number;
    /** Hosts of Mastodon and Bluesky servers. */
    privateHosts?: string[];
    /** The directory of Bluesky identities. */
    plcUrl?: string;
  }
>();

let remainingTimeouts = timeoutCount;
const injectTimeouts =
  (fetch: PublicFetch): PublicFetch =>
  async (url, request) => {
    const isPublish = request?.method === "POST" && /\/api\/(posts|records|publish)/.test(url);
    if (!isPublish || remainingTimeouts === 0) return fetch(url, request);
    remainingTimeouts--;
    const isReceived = Math.random() < 0.5;
    printLine(`timeout ${isReceived ? "after" : "before"} the request was received`);
    if (isReceived) await fetch(url, request);
    throw new Error("the platform did not respond in time");
  };

await waitForStart();
const database = await openDatabase({ ...databaseOptions, log: silentLog });
const service = await startService(
  { ...createDeps(database, systemClock), files: createHookedFiles(systemClock, filesFolder) },
  {
    base,
    config: { areRateLimitsEnabled: false },
    platforms: [
      ...createSandboxPlatforms({ base, wrapFetch: injectTimeouts }),
      ...createPlatformSetups({}, createPublicFetch({ ...platformFetchLimits, privateHosts: new Set(privateHosts) }), {
        plcUrl,
        clientKeys: [],
      }),
    ],
  },
);
// Not `service.startWorker`, which has no setting for the lease.
startPublishingWorker(service.deps, {
  concurrency: 8,
  leaseMs,
  onError: (error) => printLine(`error ${inspect(error)}`.replaceAll("\n", " ")),
});
printLine("ready");
