import { setTimeout as sleep } from "node:timers/promises";
import type { BatchOptions } from "#domain/steps/run-in-batches.ts";
import { withLease } from "#domain/jobs/lease.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import {
  createAssetSweeper,
  createLostFileFinder,
  releaseIdleUploads,
  sweepUploads,
} from "#domain/jobs/sweep-files.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { readDueResults } from "#domain/jobs/read-results.ts";
import { renewDueCredentials } from "#domain/jobs/renew-credentials.ts";
import { hasUnindexedRows, indexExistingRows } from "#domain/jobs/index-existing.ts";
import { listStudiosToPurge, purgeDeletedStudios } from "#domain/steps/purge-studio.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { runEvery, type RepeatingJob } from "#lib/repeat.ts";
import type { Log } from "#lib/log.ts";

/** Creates options that pause between batches, and stop after `budgetMs` or when the server shuts down. */
type BatchOptionsFactory = (budgetMs: number) => BatchOptions;

/** Starts the background jobs. Each job needs a lease, so only one instance runs it at a time. */
export function startBackgroundJobs(deps: Deps, log: Log): RepeatingJob[] {
  const leaseHolder = deps.newSecret();
  const startJob = (
    name: string,
    work: (createBatchOptions: BatchOptionsFactory) => Promise<void>,
    { intervalMs = minutes(1), isNeeded = async () => true } = {},
  ): RepeatingJob => {
    const run = async (isStopping: () => boolean) => {
      if (!(await isNeeded())) return false;
      const createBatchOptions: BatchOptionsFactory = (budgetMs) => {
        const deadline = deps.clock() + budgetMs;
        return { pause: () => sleep(20), shouldStop: () => isStopping() || deps.clock() >= deadline };
      };
      return withLease(deps, name, leaseHolder, minutes(3), () => work(createBatchOptions));
    };
    return runEvery(intervalMs, name, run, log);
  };
  const purgeExpired = createPurgeJob(deps);
  const sweepAssets = createAssetSweeper(deps);
  const findLostFiles = createLostFileFinder(deps);
  const resultTurns = { lastStudioId: "" };

  return [
    startJob("purge", async (createBatchOptions) => void (await purgeExpired(createBatchOptions(seconds(20))))),
    startJob("sweep-uploads", async (createBatchOptions) => {
      const counts = await sweepUploads(deps, createBatchOptions(seconds(20)));
      if (counts.abandoned + counts.unknown > 0) log.info(counts, "deleted uploads of links that are no longer valid");
    }),
    startJob("sweep", async (createBatchOptions) => {
      const counts = await sweepAssets(createBatchOptions(seconds(20)));
      if (Object.values(counts).some((count) => count > 0))
        log.info(counts, "deleted expired uploads and orphaned files");
    }),
    startJob("sweep-trash", async (createBatchOptions) => {
      const counts = await sweepTrash(deps, createBatchOptions(seconds(20)));
      if (counts.deletedFromTrash > 0) log.info(counts, "deleted expired trash");
    }),
    startJob("idle-uploads", async (createBatchOptions) => releaseIdleUploads(deps, createBatchOptions(seconds(20)))),
    startJob("lost-files", async () => {
      for (const { id, studioId, storageKey } of await findLostFiles())
        log.error({ assetId: id, studioId, storageKey }, "stored file missing or changed; restore it from a backup");
    }),
    startJob(
      "search-index",
      async (createBatchOptions) => indexExistingRows(deps, createBatchOptions(seconds(60)), log),
      // Runs often, to start soon after an upgrade. While all rows are indexed, it does not write a lease.
      { intervalMs: seconds(5), isNeeded: () => hasUnindexedRows(deps) },
    ),
    startJob(
      "purge-studios",
      async (createBatchOptions) => {
        const { purgedStudios } = await purgeDeletedStudios(deps, createBatchOptions(seconds(60)));
        if (purgedStudios > 0) log.info({ purgedStudios }, "deleted the rows and files of deleted studios");
      },
      { intervalMs: seconds(5), isNeeded: async () => (await listStudiosToPurge(deps, 1)).length > 0 },
    ),
    startJob(
      "results",
      async (createBatchOptions) => void (await readDueResults(deps, createBatchOptions(seconds(40)), resultTurns)),
      {
        isNeeded: () => deps.results.hasDue(deps.clock()),
      },
    ),
    startJob("renew", async (createBatchOptions) => {
      const { failed } = await renewDueCredentials(deps, createBatchOptions(seconds(40)));
      if (failed > 0) log.warn({ failed }, "failed to renew platform credentials");
    }),
  ];
}
