import type { Query, QueryClient } from "@tanstack/react-query";
import { isTemporary } from "../api/api-error.ts";
import { isAffected, type ChangedObject } from "../api/changed-queries.ts";

/** A query is fetched again at most this often, times the number of its pages, because each page costs a request. */
const minIntervalMs = 1000;
/** How long after the last of a query's retries it is fetched again. */
const failureMs = 5000;
/** Where old data does no harm, components say so with a `staleTime` of at least this. */
const tolerantStaleMs = 60_000;

/**
 * Returns a function that fetches the queries again that show these objects, or everything in the studio. A query that
 * no component shows, or whose tab is hidden, is fetched when it is shown.
 */
export function createRefetcher(client: QueryClient, studioId: string, isVisible: () => boolean) {
  /** Queries that were fetched recently, and whether to fetch them again when the interval ends. */
  const recentQueries = new Map<Query, boolean>();
  /** Queries that failed and wait to be fetched again. */
  const failedQueries = new Set<Query>();

  function retryIfFailed(query: Query): void {
    if (failedQueries.has(query) || !isTemporary(query.state.error)) return;
    failedQueries.add(query);
    setTimeout(() => {
      failedQueries.delete(query);
      refetch(query);
    }, failureMs);
  }

  function refetch(query: Query): void {
    if (recentQueries.has(query)) {
      recentQueries.set(query, true);
      return;
    }
    const { queryKey, state } = query;
    if (!isVisible() || !query.isActive() || isTolerant(query)) {
      query.invalidate();
      return;
    }
    const isFetching = state.fetchStatus === "fetching";
    // A response that is under way may be older than the change.
    recentQueries.set(query, isFetching);
    const pageCount = (state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
    setTimeout(() => {
      const isWaiting = recentQueries.get(query);
      recentQueries.delete(query);
      if (isWaiting) refetch(query);
    }, minIntervalMs * pageCount);
    if (!isFetching) void client.refetchQueries({ queryKey, exact: true }).then(() => retryIfFailed(query));
  }

  return (objects: readonly ChangedObject[] | undefined): void => {
    for (const query of client.getQueryCache().getAll())
      if (isAffected(query.queryKey, studioId, objects)) refetch(query);
  };
}

/** Without a response to the refetch, the query would wait for it. A first fetch continues: there is nothing to show. */
export const cancelRefetches = (client: QueryClient, studioId: string): void =>
  void client.cancelQueries({ queryKey: ["studio", studioId], predicate: ({ state }) => state.data !== undefined });

const isTolerant = ({ observers }: Query): boolean =>
  observers.every(({ options: { staleTime } }) => typeof staleTime === "number" && staleTime >= tolerantStaleMs);
