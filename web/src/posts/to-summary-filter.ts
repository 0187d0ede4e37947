import type { SharedFilter, SummaryFilter } from "../api/summary-queries.ts";
import type { PostGroup, PostSearch } from "../search-params.ts";

const groupFilters: Record<PostGroup, SummaryFilter> = {
  draft: { status: "draft", stage: "editing" },
  ready: { status: "ready", stage: "editing" },
  scheduled: { stage: "scheduled" },
  published: { stage: "published" },
  archived: { status: "archived" },
};

/** Converts the search parameters of the page to the API's filter. By default, archived posts are hidden. */
export function toSummaryFilter({ status, archived, review, ...search }: PostSearch): SummaryFilter {
  const activeFilter = archived ? { status: "archived,draft,ready" } : {};
  return {
    ...(status === undefined ? activeFilter : groupFilters[status]),
    ...toSharedFilter(search),
    ...(review && { review }),
    // A search finds the newest posts first.
    ...(status === "scheduled" && !search.q && !search.tag && !review ? { order: "soonest" as const } : {}),
  };
}

/** The filter of the calendar, which shows posts of every status. */
export const toSharedFilter = ({ author, q, tag }: PostSearch): SharedFilter => ({
  ...(author === undefined ? {} : { author }),
  ...(q === undefined ? {} : { query: q }),
  ...(tag === undefined ? {} : { tag }),
});
