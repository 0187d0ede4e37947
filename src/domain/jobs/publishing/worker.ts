import { minutes, seconds } from "#lib/clock.ts";
import { startWorkerLoop, type WorkerLoop } from "#lib/worker-loop.ts";
import { tryChangePublication, workerActor } from "../../changes/change-publication.ts";
import { retryOnConflict } from "../../model/conflict.ts";
import type { Publication } from "../../model/publication.ts";
import { unscheduledColumns } from "../../model/publish-time.ts";
import type { JobDeps } from "../../ports/deps.ts";
import type { PendingWork, UsedSlots } from "../../ports/publications.ts";
import { runPublication } from "./run-publication.ts";

/** A publication that has not started this long after its time is missed: it is not published late. */
const missedAfter = minutes(60);
/** How often idle workers look for due publications. */
const defaultPollMs = seconds(1);
/** This long after the crash of a worker, another one takes over its publications. */
const defaultLeaseMs = seconds(30);
/** A run that has not sent its commit by then starts again later, so that a slow server can't keep a slot. */
const defaultMaxRunMs = minutes(30);
const missedBatchSize = 100;

/** Stops when the running publications have ended or were released. */
export type PublishingWorker = WorkerLoop;

export interface WorkerOptions {
  /** How many publications this process runs at a time. */
  concurrency: number;
  /** Shorter in tests. */
  leaseMs?: number;
  /** How long one run may prepare the commit. Shorter in tests. */
  maxRunMs?: number;
  /** How often to look for due publications without a wake-up. Longer in tests of wake-ups. */
  pollMs?: number;
  onError(error: unknown, publicationId?: string): void;
}

/** Runs due publications. Any number of processes can have a worker. */
export function startPublishingWorker(deps: JobDeps, options: WorkerOptions): PublishingWorker {
  const { concurrency, leaseMs = defaultLeaseMs, pollMs = defaultPollMs, onError } = options;
  const { maxRunMs = defaultMaxRunMs } = options;
  const controller = new AbortController();
  /** The id of the publication of each run. */
  const activeRuns = new Map<Promise<void>, string>();
  // Less than all slots, so that a studio or a host whose transfers hang never occupies the slots of others. A host may
  // use more than a studio, so that no studio can occupy all slots of a host that others use, too.
  const maxPerStudio = Math.max(1, Math.floor(concurrency / 2));
  const maxPerHost = Math.max(1, Math.floor((concurrency * 3) / 4));

  /** Claims and starts the due publications. Returns how long to wait before the next search. */
  async function startDuePublications(): Promise<number> {
    const work = await deps.publications.findWork(missedAfter);
    const searchedAt = deps.clock();
    if (work.hasOverdue) await markMissed(deps, work.now - missedAfter);
    while (activeRuns.size < concurrency && !controller.signal.aborted) {
      const slots = { publicationIds: [...activeRuns.values()], maxPerStudio, maxPerHost };
      const publication = await claimNext(deps, work, leaseMs, slots);
      if (!publication) break;
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(maxRunMs)]);
      const run = runWithLease(deps, publication, signal, { leaseMs, onError }).finally(() => {
        activeRuns.delete(run);
        loop.wake();
      });
      activeRuns.set(run, publication.id);
    }
    if (work.nextRunAt === undefined) return pollMs;
    const elapsedMs = deps.clock() - searchedAt;
    return Math.min(pollMs, Math.max(0, work.nextRunAt - work.now - elapsedMs));
  }

  const loop = startWorkerLoop({ work: startDuePublications, pollMs, onError });
  return {
    wake: loop.wake,
    async stop() {
      controller.abort();
      await loop.stop();
      await Promise.all(activeRuns.keys());
    },
  };
}

async function claimNext(
  { publicationRuns }: JobDeps,
  { now, hasAbandoned, hasDue }: PendingWork,
  leaseMs: number,
  slots: UsedSlots,
): Promise<Publication | undefined> {
  const claim = { now, leaseExpiresAt: now + leaseMs, slots };
  const abandonedPublication = hasAbandoned ? await publicationRuns.claimAbandoned(claim) : undefined;
  if (abandonedPublication || !hasDue) return abandonedPublication;
  // A conflict means that another worker claimed a publication of the same account.
  return retryOnConflict(() => publicationRuns.claimDue(claim));
}

async function runWithLease(
  deps: JobDeps,
  publication: Publication,
  signal: AbortSignal,
  { leaseMs, onError }: { leaseMs: number; onError: WorkerOptions["onError"] },
): Promise<void> {
  const timer = setInterval(() => {
    extendLease(deps, publication, leaseMs).catch(onError);
  }, leaseMs / 3);
  try {
    await runPublication(deps, publication, signal);
  } catch (error) {
    // The lease expires, and then this or another worker continues.
    onError(error, publication.id);
  } finally {
    clearInterval(timer);
  }
}

async function extendLease(deps: JobDeps, { id, fence }: Publication, leaseMs: number): Promise<void> {
  const leaseExpiresAt = (await deps.publications.getTime()) + leaseMs;
  // If the claim is lost, the next step of the run finds that out.
  await deps.publicationRuns.update(id, { leaseExpiresAt }, { states: ["preparing", "committing"], fence });
}

async function markMissed(deps: JobDeps, nextRunBefore: number): Promise<void> {
  for (;;) {
    const overduePublications = await deps.publications.listOverdue(nextRunBefore, missedBatchSize);
    for (const publication of overduePublications) {
      await deps.transact({ job: "publish" }, (tx) =>
        tryChangePublication(deps, tx, workerActor, publication, {
          event: "miss",
          change: unscheduledColumns,
          condition: { nextRunBefore },
          action: "publication.missed",
        }),
      );
    }
    if (overduePublications.length < missedBatchSize) return;
  }
}
