import { z } from "zod";
import { minutes, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { completeMetrics, type Metrics, type MissingReason, type ResultSnapshot } from "../model/results.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { getPublication } from "../steps/get-publication.ts";
import { type ReadDeps, readResults } from "../steps/read-results.ts";

const refreshInterval = minutes(1);
/** Eight readings that were due, and those that users asked for. */
const maxSnapshots = 500;

export const resultsView = z.object({
  readAt: z.string(),
  metrics: z.record(z.string(), z.number().nullable()).describe("Null: the platform doesn't say."),
});

export interface SnapshotView extends z.infer<typeof resultsView> {
  /** Why a metric is null. */
  reasons: Record<string, MissingReason>;
}

export const toResultsView = ({ readAt, metrics }: ResultSnapshot): z.infer<typeof resultsView> => ({
  readAt: toIsoTime(readAt),
  metrics: Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value])),
});

export const toSnapshotView = (snapshot: ResultSnapshot): SnapshotView => ({
  ...toResultsView(snapshot),
  reasons: Object.fromEntries(
    Object.entries(snapshot.metrics).flatMap(([name, metric]) =>
      metric.value === null ? [[name, metric.reason]] : [],
    ),
  ),
});

/** Lists what the platform said about a published post, newest first. */
export async function listResults(
  deps: Pick<Deps, "publications" | "results">,
  caller: Caller,
  { publicationId }: { publicationId: string },
): Promise<{ snapshots: SnapshotView[] }> {
  authorize(caller, "publications.read");
  const { id } = await getPublication(deps, caller, publicationId);
  return { snapshots: (await deps.results.list(id, maxSnapshots)).map(toSnapshotView) };
}

/** Reads the results now, at most once a minute per publication. */
export async function refreshResults(
  deps: ReadDeps & Pick<Deps, "publications" | "results" | "transact" | "platformStore" | "clock">,
  caller: Caller,
  { publicationId }: { publicationId: string },
): Promise<SnapshotView> {
  authorize(caller, "publications.read");
  const { id, connectionId, remoteId, publishedAt } = await getPublication(deps, caller, publicationId);
  const connection = await deps.platformStore.find(caller.studio.id, connectionId);
  if (publishedAt === null || !connection) throw notFoundError("publication");
  const now = deps.clock();
  const publication = { publicationId: id, connectionId, publishedAt };
  const isClaimed = await deps.transact(caller, (tx) =>
    tx.results.claimRefresh(publication, now, now - refreshInterval),
  );
  const retryAfter = refreshInterval / 1000;
  if (!isClaimed) throw new AppError("rate_limited:results", { retryAfter }, { retryAfter });
  // A person who confirmed the post did not say which one it is.
  const unknownPost = { kind: "read", definition: 0, metrics: new Map<string, Metrics>() } as const;
  const outcome = remoteId === null ? unknownPost : await readResults(deps, connection, [remoteId]);
  switch (outcome.kind) {
    case "reconnect":
      throw new AppError("connect_expired:credential");
    case "retry_later":
    case "unknown":
    case "rejected":
      throw new AppError("url_unreachable:platform", { name: connection.platform, cause: outcome.message });
    case "read": {
      const { definition } = outcome;
      const metrics = outcome.metrics.get(remoteId ?? "") ?? completeMetrics({});
      const snapshot = { publicationId: id, readAt: deps.clock(), dueAge: 0, definition, metrics };
      await deps.transact(caller, (tx) => tx.results.insert(snapshot));
      return toSnapshotView(snapshot);
    }
  }
}
