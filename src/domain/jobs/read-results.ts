import { days, hours, minutes } from "#lib/clock.ts";
import { maxReadingAge, planReading } from "../model/results.ts";
import type { Deps } from "../ports/deps.ts";
import type { BatchOptions } from "../steps/run-in-batches.ts";
import { type ReadDeps, readResults } from "../steps/read-results.ts";

/** How long to wait if the platform does not say, and at most. */
const retryMs = minutes(15);
const maxRetryMs = days(1);
/** How long to wait for a person to connect the account again. */
const reconnectMs = hours(6);

type ResultDeps = ReadDeps & Pick<Deps, "results" | "transact" | "clock" | "platformStore">;

/** The studio that had the last turn: studios take turns, so that the slow servers of one delay the others little. */
export interface ResultTurns {
  lastStudioId: string;
}

/**
 * Reads the due results, account by account, in batches as large as the platform allows. Accounts that publish come
 * later. Returns the number of requests.
 */
export async function readDueResults(
  deps: ResultDeps,
  { pause, shouldStop }: BatchOptions,
  turns: ResultTurns = { lastStudioId: "" },
): Promise<number> {
  for (let requests = 0; ; requests++) {
    if (shouldStop()) return requests;
    const now = deps.clock();
    const account =
      (await deps.results.findDueAccount(now, turns.lastStudioId)) ?? (await deps.results.findDueAccount(now, ""));
    if (!account) return requests;
    turns.lastStudioId = account.studioId;
    await readAccount(deps, account);
    await pause();
  }
}

/** Afterwards, none of what it has read or postponed is due. */
async function readAccount(
  deps: ResultDeps,
  { studioId, connectionId }: { studioId: string; connectionId: string },
): Promise<void> {
  const now = deps.clock();
  const postpone = (dueAt: number | null): Promise<void> =>
    deps.results.postpone(connectionId, now, dueAt, now - maxReadingAge);
  const connection = await deps.platformStore.find(studioId, connectionId);
  const batchSize = connection ? deps.publisher.getResultBatchSize(connection.platform) : 0;
  if (!connection || batchSize === 0) return postpone(null);
  if (connection.state !== "connected") return postpone(now + reconnectMs);
  const readings = await deps.results.listDue(connectionId, now, batchSize);
  if (readings.length === 0) return postpone(null);
  const ages = deps.publisher.getResultAges(connection.platform);
  const plan = ({ publishedAt }: { publishedAt: number }, time: number) => planReading(publishedAt, time, ages);
  const early = readings.filter((reading) => plan(reading, now).dueAge === 0);
  if (early.length > 0)
    return deps.transact({ job: "results" }, async (tx) => {
      for (const reading of early) await tx.results.reschedule(reading, plan(reading, now).nextDueAt);
    });
  const remoteIds = readings.map(({ remoteId }) => remoteId);
  const outcome = await readResults(deps, connection, remoteIds);
  switch (outcome.kind) {
    case "reconnect":
      return postpone(now + reconnectMs);
    case "retry_later":
    case "unknown":
    case "rejected": {
      const { retryAfterMs = retryMs } = outcome.kind === "rejected" ? {} : outcome;
      return postpone(now + Math.min(retryAfterMs, maxRetryMs));
    }
    case "read": {
      const readAt = deps.clock();
      await deps.transact({ job: "results" }, async (tx) => {
        // A disconnected account may have lost its results meanwhile.
        if ((await tx.platformStore.find(studioId, connectionId))?.state === "disconnected") return;
        for (const reading of readings) {
          const { publicationId, remoteId } = reading;
          const { dueAge, nextDueAt } = plan(reading, readAt);
          const { definition } = outcome;
          const metrics = outcome.metrics.get(remoteId) ?? {};
          await tx.results.insert({ publicationId, readAt, dueAge, definition, metrics });
          await tx.results.reschedule(reading, nextDueAt);
        }
      });
    }
  }
}
