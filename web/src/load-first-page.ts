import type { RegisteredRouter } from "@tanstack/react-router";
import { isMarkedSignedOut } from "./api/client.ts";
import { queryClient } from "./api/query-client.ts";
import { postSummariesQuery } from "./api/summary-queries.ts";
import { toSummaryFilter } from "./posts/to-summary-filter.ts";
import { parsePostSearch, type PostSearch } from "./search-params.ts";

/** Requests the posts of the list view. The other views have their own queries. */
export async function prefetchPosts(studioId: string, search: PostSearch): Promise<void> {
  if (search.view === undefined) await queryClient.infiniteQuery(postSummariesQuery(studioId, toSummaryFilter(search)));
}

/** Loads the code of the first page and all its data at the same time, so that the page renders only once. */
export async function loadFirstPage(router: RegisteredRouter): Promise<void> {
  const { pathname, search } = router.latestLocation;
  const [routes, { studioId }] = router.getMatchedRoutes(pathname);
  const requests: Promise<unknown>[] = [router.load()];
  if (studioId !== undefined && !isMarkedSignedOut()) {
    requests.push(...routes.map((route) => Promise.resolve(router.loadRouteChunk(route))));
    if (routes.at(-1)?.id === "/studios/$studioId/posts")
      requests.push(prefetchPosts(studioId, parsePostSearch(search)));
  }
  await Promise.allSettled(requests);
}
