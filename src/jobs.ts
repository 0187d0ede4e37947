import { setTimeout as sleep } from "node:timers/promises";
import { createPurge } from "#domain/access/purge-expired.ts";
import { createLostFileSearch } from "#domain/assets/find-lost-files.ts";
import { createSweeper } from "#domain/assets/sweep-assets.ts";
import type { Deps } from "#domain/deps.ts";
import { withLease } from "#domain/lease.ts";
import { renewDue } from "#domain/platforms/renew-due.ts";
import { sweepUploads } from "#domain/uploads/sweep-uploads.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import type { Log } from "#lib/log.ts";

/** What is done by itself: each minute, by one of all instances. */
export function startJobs(deps: Deps, log: Log): Repeated[] {
  const holder = deps.newSecret();
  const job = (name: string, work: () => Promise<void>): Repeated =>
    every(minutes(1), name, () => withLease(deps, name, holder, minutes(3), work), log);
  /** Ends well before its lease does, and lets requests come first. */
  const within = (ms: number) => {
    const end = deps.clock() + ms;
    return { pause: () => sleep(20), isOver: () => deps.clock() >= end };
  };
  const purgeExpired = createPurge(deps);
  const sweepAssets = createSweeper(deps);
  const findLostFiles = createLostFileSearch(deps);

  return [
    job("purge", async () => void (await purgeExpired(within(seconds(20))))),
    job("sweep", async () => {
      const options = within(seconds(20));
      const uploads = await sweepUploads(deps, options);
      const swept = { ...(await sweepAssets(options)), ...uploads };
      if (Object.values(swept).some((count) => count > 0))
        log.info(swept, "files that belonged to nobody were removed");
    }),
    job("lost-files", async () => {
      for (const { id, studioId, storageKey } of await findLostFiles())
        log.error({ assetId: id, studioId, storageKey }, "a stored file is gone or changed; restore it from a backup");
    }),
    job("renew", async () => {
      const { failed } = await renewDue(deps, within(seconds(40)));
      if (failed > 0) log.warn({ failed }, "platform credentials could not be renewed");
    }),
  ];
}
