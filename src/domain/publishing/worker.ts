import { minutes, seconds } from "#lib/clock.ts";
import { retryOnConflict } from "../conflict.ts";
import { recordPublication } from "./publication.ts";
import { unscheduled } from "./publish-time.ts";
import type { WorkerDeps } from "./claim.ts";
import { runPublication } from "./run-publication.ts";
import type { Publication } from "./ports.ts";
import { statesBefore } from "./states.ts";

/** A publication that was due this long ago and never started is not published late. */
const missedAfter = minutes(60);
/** How often the database is asked for due publications. */
const maxIdleMs = seconds(1);
/** Another worker takes over this long after a crash. */
const defaultLeaseMs = seconds(30);
const missedBatch = 100;

export interface PublishingWorker {
  /** Looks for due publications now. */
  wake(): void;
  /** Takes no more publications, and resolves when the running ones have ended or were released. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** How many publications this process runs at a time. */
  concurrency: number;
  /** Shorter in tests. */
  leaseMs?: number;
  onError(error: unknown, publicationId?: string): void;
}

/** Runs due publications. Any number of processes can have a worker. */
export function startPublishingWorker(deps: WorkerDeps, options: WorkerOptions): PublishingWorker {
  const { concurrency, leaseMs = defaultLeaseMs, onError } = options;
  const controller = new AbortController();
  const running = new Set<Promise<void>>();
  let wakeUp = Promise.withResolvers<void>();

  const wake = (): void => wakeUp.resolve();

  async function startDue(): Promise<void> {
    const now = await deps.publications.getTime();
    await markMissed(deps, now);
    while (running.size < concurrency && !controller.signal.aborted) {
      const publication = await claimNext(deps, now, leaseMs);
      if (!publication) return;
      const run = runWithLease(deps, publication, controller.signal, { leaseMs, onError }).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
  }

  async function loop(): Promise<void> {
    while (!controller.signal.aborted) {
      // Before the search, so that a wake-up during it leads to another one.
      wakeUp = Promise.withResolvers();
      await startDue().catch(onError);
      const timer = setTimeout(wakeUp.resolve, await computeIdleMs(deps).catch(() => maxIdleMs));
      await wakeUp.promise;
      clearTimeout(timer);
    }
  }

  const loopEnd = loop();
  return {
    wake,
    async stop() {
      controller.abort();
      wake();
      await loopEnd;
      await Promise.all(running);
    },
  };
}

async function claimNext(deps: WorkerDeps, now: number, leaseMs: number): Promise<Publication | undefined> {
  // Most of the time nothing is due: find out without a write transaction.
  if (!(await deps.publications.hasWork(now))) return undefined;
  // A conflict means that another worker claimed a publication of the same account.
  return retryOnConflict(() =>
    deps.transact(async ({ publications }) => {
      const leaseExpiresAt = now + leaseMs;
      return (
        (await publications.claimAbandoned(now, leaseExpiresAt)) ?? (await publications.claimDue(now, leaseExpiresAt))
      );
    }),
  );
}

async function computeIdleMs({ publications }: WorkerDeps): Promise<number> {
  const now = await publications.getTime();
  const nextRun = await publications.findNextRun(now);
  return nextRun === undefined ? maxIdleMs : Math.min(maxIdleMs, nextRun - now);
}

async function runWithLease(
  deps: WorkerDeps,
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

async function extendLease({ publications }: WorkerDeps, { id, fence }: Publication, leaseMs: number): Promise<void> {
  const leaseExpiresAt = (await publications.getTime()) + leaseMs;
  await publications.update(id, { leaseExpiresAt }, { states: ["preparing", "committing"], fence });
}

async function markMissed(deps: WorkerDeps, now: number): Promise<void> {
  const dueBefore = now - missedAfter;
  for (;;) {
    const overdue = await deps.publications.listOverdue(dueBefore, missedBatch);
    for (const { id } of overdue) {
      await deps.transact(async (tx) => {
        const condition = { states: statesBefore("miss"), dueBefore };
        const missed = await tx.publications.update(id, { ...unscheduled, state: "missed" }, condition);
        if (missed) await recordPublication(deps, tx, {}, "publication.missed", missed);
      });
    }
    if (overdue.length < missedBatch) return;
  }
}
