import { postSummariesQuery } from "../api/summary-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostSearch } from "../search-params.ts";

export const isFiltered = ({ status, author, q, tag, review }: PostSearch): boolean =>
  [status, author, q, tag, review].some((value) => value !== undefined);

/**
 * For a list without posts: whether the studio has archived posts, which the list does not show by default; undefined
 * until that is known.
 */
export function useHasArchivedPosts(search: PostSearch, isListEmpty: boolean): boolean | undefined {
  const { studio } = useStudio();
  const isNeeded = isListEmpty && !isFiltered(search) && search.archived !== true;
  const { query, items } = usePagedList({
    ...postSummariesQuery(studio.id, { status: "archived" }, 1),
    enabled: isNeeded,
  });
  if (!isNeeded) return false;
  return query.isSuccess ? items.length > 0 : undefined;
}
