import { setTimeout as sleep } from "node:timers/promises";
import type { BatchOptions } from "#domain/housekeeping/batches.ts";
import { createPurge } from "#domain/housekeeping/purge-expired.ts";
import { createLostFileSearch } from "#domain/assets/find-lost-files.ts";
import { createSweeper } from "#domain/assets/sweep-assets.ts";
import type { Deps } from "#domain/deps.ts";
import { withLease } from "#domain/housekeeping/lease.ts";
import { renewDue } from "#domain/platforms/renew-due.ts";
import { releaseIdle } from "#domain/uploads/release-idle.ts";
import { sweepUploads } from "#domain/uploads/sweep-uploads.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import type { Log } from "#lib/log.ts";

/** Ends well before the job's lease does, or with the service, and lets requests come first. */
type Within = (ms: number) => BatchOptions;

/** What is done by itself: each minute, by one of all instances. */
export function startJobs(deps: Deps, log: Log): Repeated[] {
  const holder = deps.newSecret();
  const job = (name: string, work: (within: Within) => Promise<void>): Repeated => {
    const run = (isStopping: () => boolean) => {
      const within: Within = (ms) => {
        const end = deps.clock() + ms;
        return { pause: () => sleep(20), isOver: () => isStopping() || deps.clock() >= end };
      };
      return withLease(deps, name, holder, minutes(3), () => work(within));
    };
    return every(minutes(1), name, run, log);
  };
  const purgeExpired = createPurge(deps);
  const sweepAssets = createSweeper(deps);
  const findLostFiles = createLostFileSearch(deps);

  return [
    job("purge", async (within) => void (await purgeExpired(within(seconds(20))))),
    job("sweep", async (within) => {
      const options = within(seconds(20));
      const uploads = await sweepUploads(deps, options);
      const swept = { ...(await sweepAssets(options)), ...uploads };
      if (Object.values(swept).some((count) => count > 0))
        log.info(swept, "files that belonged to nobody were removed");
    }),
    job("idle-uploads", async (within) => releaseIdle(deps, within(seconds(20)))),
    job("lost-files", async () => {
      for (const { id, studioId, storageKey } of await findLostFiles())
        log.error({ assetId: id, studioId, storageKey }, "a stored file is gone or changed; restore it from a backup");
    }),
    job("renew", async (within) => {
      const { failed } = await renewDue(deps, within(seconds(40)));
      if (failed > 0) log.warn({ failed }, "platform credentials could not be renewed");
    }),
  ];
}
