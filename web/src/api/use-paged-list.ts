import { useInfiniteQuery, type UseInfiniteQueryOptions, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";

interface ListData<Item> {
  pages: readonly (readonly Item[])[];
  items: readonly Item[];
}

export interface ListQuery<Item> {
  query: UseInfiniteQueryResult<ListData<Item>>;
  /** The items of all loaded pages. */
  items: readonly Item[];
  /** The next page loads without a click, because the last page is empty but has a cursor. */
  isAutoLoading: boolean;
}

/** Loads a list page by page. The server reads a limited number of rows per request, so pages can be empty. */
export function usePagedList<Page, Item, Key extends readonly unknown[]>(
  options: UseInfiniteQueryOptions<Page, Error, ListData<Item>, Key, string>,
): ListQuery<Item> {
  const query = useInfiniteQuery(options);
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isAutoLoading = hasNextPage && !isError && data?.pages.at(-1)?.length === 0;
  useEffect(() => {
    if (isAutoLoading && !isFetching) void fetchNextPage();
  }, [isAutoLoading, isFetching, fetchNextPage]);
  return { query, items: data?.items ?? [], isAutoLoading };
}
