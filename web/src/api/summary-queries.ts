import { queryOptions, skipToken, type InfiniteData } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson, fetchJsonIfChanged } from "./client.ts";
import { areListsHeld } from "./list-holds.ts";
import { createSelect, fileUrlRefreshMs, pagedQuery } from "./paged-query.ts";
import { isAtStage } from "./post-stage.ts";
import type { Filter } from "./queries.ts";
import { queryClient } from "./query-client.ts";

const studioApi = api.studios[":studioId"];

type SummaryPage = InferResponseType<(typeof studioApi)["post-summaries"]["$get"]>;
export type PostSummary = SummaryPage["posts"][number];
export type SummaryPublication = PostSummary["publications"][number];
export type SummaryFilter = Filter<(typeof studioApi)["post-summaries"]["$get"]>;
/** The filters that lists and the calendar have in common. */
export type SharedFilter = Pick<SummaryFilter, "author" | "query" | "tag">;
export type PostCount = InferResponseType<(typeof studioApi)["post-count"]["$get"]>;
export type Calendar = InferResponseType<typeof studioApi.calendar.$get>;
export type CalendarEntry = Calendar["entries"][number];

const selectSummaries = createSelect(({ posts }: SummaryPage) => posts);

const getSummariesKey = (studioId: string) => ["studio", studioId, "post-summaries"] as const;

/** Posts as the lists show them. */
export const postSummariesQuery = (studioId: string, filter: SummaryFilter, limit = 50) =>
  pagedQuery({
    queryKey: [...getSummariesKey(studioId), filter, limit],
    limit,
    fetchPage: (page, options) =>
      studioApi["post-summaries"].$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectSummaries,
    refetchInterval: fileUrlRefreshMs,
  });

/** How many posts a list has. A search has no count. */
export function postCountQuery(studioId: string, filter: SummaryFilter) {
  const { query: text, tag, order: _, ...query } = filter;
  const isSearch = text !== undefined || tag !== undefined;
  return queryOptions({
    queryKey: ["studio", studioId, "post-count", filter],
    queryFn: isSearch ? skipToken : () => fetchJson(studioApi["post-count"].$get({ param: { studioId }, query })),
  });
}

const getCalendarKey = (studioId: string) => ["studio", studioId, "calendar"] as const;

export const calendarQuery = (
  studioId: string,
  range: { from: string; to: string },
  filter: SharedFilter & { includeSlots?: "true" },
) =>
  queryOptions({
    queryKey: [...getCalendarKey(studioId), range, filter],
    queryFn: async ({ client, queryKey }) => {
      const calendar = await fetchJsonIfChanged(client.getQueryData<Calendar>(queryKey), (options) =>
        studioApi.calendar.$get({ param: { studioId }, query: { ...range, ...filter } }, options),
      );
      return (areListsHeld() ? client.getQueryData<Calendar>(queryKey) : undefined) ?? calendar;
    },
    structuralSharing: false,
  });

/** Changes entries of all loaded calendars, before the server confirms the change. */
export function patchCalendar(studioId: string, patch: (entry: CalendarEntry) => CalendarEntry): void {
  queryClient.setQueriesData<Calendar>(
    { queryKey: getCalendarKey(studioId) },
    (calendar) => calendar && { ...calendar, entries: calendar.entries.map(patch) },
  );
}

/** Stops requests whose results would overwrite a patch. */
export async function cancelListRequests(studioId: string): Promise<void> {
  await Promise.all(
    [getSummariesKey(studioId), getCalendarKey(studioId)].map((queryKey) => queryClient.cancelQueries({ queryKey })),
  );
}

/**
 * Replaces posts, by id, in all loaded lists before the server confirms the change. A post leaves the lists that do not
 * show its new status and is added to those that do; `undefined` removes it from all lists.
 */
export function patchSummaries(studioId: string, newPosts: ReadonlyMap<string, PostSummary | undefined>): void {
  const queries = queryClient.getQueryCache().findAll({ queryKey: getSummariesKey(studioId) });
  for (const { queryKey } of queries) {
    const filter = queryKey[3] as SummaryFilter;
    queryClient.setQueryData<InfiniteData<SummaryPage, string>>(
      queryKey,
      (data) => data && { ...data, pages: patchPages(data.pages, filter, newPosts) },
    );
  }
}

function patchPages(
  pages: readonly SummaryPage[],
  filter: SummaryFilter,
  newPosts: ReadonlyMap<string, PostSummary | undefined>,
): SummaryPage[] {
  const hasListedStatus = ({ status }: PostSummary): boolean =>
    (filter.status ?? "draft,ready").split(",").includes(status);
  const missingPosts = [...newPosts.values()].filter(
    (post): post is PostSummary =>
      post !== undefined &&
      hasListedStatus(post) &&
      (filter.stage === undefined || isAtStage(post.publications, filter.stage)) &&
      // Whether a post matches other filters is not known here.
      Object.keys(filter).every((name) => name === "status" || name === "stage") &&
      !pages.some(({ posts }) => posts.some(({ id }) => id === post.id)),
  );
  return pages.map((page, index) => {
    const keptPosts = page.posts
      .map((post) => (newPosts.has(post.id) ? newPosts.get(post.id) : post))
      .filter((post) => post !== undefined && hasListedStatus(post)) as PostSummary[];
    // Lists that posts are added to are sorted by id, newest first.
    const previousPageEnd = index === 0 ? undefined : pages[index - 1]?.posts.at(-1)?.id;
    const pageEnd = page.posts.at(-1)?.id;
    const addedPosts = missingPosts.filter(
      ({ id }) =>
        (previousPageEnd === undefined || id < previousPageEnd) &&
        (page.nextCursor === null || (pageEnd !== undefined && id > pageEnd)),
    );
    const isUnchanged =
      addedPosts.length === 0 &&
      keptPosts.length === page.posts.length &&
      keptPosts.every((post, i) => post === page.posts[i]);
    if (isUnchanged) return page;
    if (filter.order === "soonest") return { ...page, posts: keptPosts };
    return { ...page, posts: [...keptPosts, ...addedPosts].toSorted((a, b) => (a.id < b.id ? 1 : -1)) };
  });
}
