import type { PlanFilter, SummaryFilter } from "../api/summary-queries.ts";
import type { PostSearch } from "../search-params.ts";

/** Converts the search parameters of the page to the API's filter. By default, archived posts are hidden. */
export function toSummaryFilter({ status, archived, ...search }: PostSearch): SummaryFilter {
  const statuses = status ?? (archived ? "archived,draft,ready" : undefined);
  return { ...(statuses === undefined ? {} : { status: statuses }), ...toPlanFilter(search) };
}

/** The filter of the calendar, which shows posts of every status. */
export const toPlanFilter = ({ author, q, tag }: PostSearch): PlanFilter => ({
  ...(author === undefined ? {} : { author }),
  ...(q === undefined ? {} : { query: q }),
  ...(tag === undefined ? {} : { tag }),
});
