import type { PlanFilter, SummaryFilter } from "../api/summary-queries.ts";
import type { PostSearch } from "../search-params.ts";

/** The API's filter for the search parameters of the page. Archived posts are hidden unless they are asked for. */
export function toSummaryFilter({ status, archived, ...search }: PostSearch): SummaryFilter {
  const statuses = status ?? (archived ? "archived,draft,ready" : undefined);
  return { ...(statuses === undefined ? {} : { status: statuses }), ...toPlanFilter(search) };
}

/** The calendar shows posts of every status. */
export const toPlanFilter = ({ author, q, tag }: PostSearch): PlanFilter => ({
  ...(author === undefined ? {} : { author }),
  ...(q === undefined ? {} : { query: q }),
  ...(tag === undefined ? {} : { tag }),
});
