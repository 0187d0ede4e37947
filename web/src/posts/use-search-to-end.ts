import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";

type Pages = UseInfiniteQueryResult<InfiniteData<{ posts: readonly unknown[] }>>;

/**
 * Continues a search whose last page is empty but has a cursor: the server reads a bounded amount per call.
 * Returns whether the search is still continuing.
 */
export function useSearchToEnd({ data, hasNextPage, isFetching, isError, fetchNextPage }: Pages): boolean {
  const isContinuing = hasNextPage && !isError && data?.pages.at(-1)?.posts.length === 0;
  useEffect(() => {
    if (isContinuing && !isFetching) void fetchNextPage();
  }, [isContinuing, isFetching, fetchNextPage]);
  return isContinuing;
}
