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
  /** The list is continuing by itself, because its last page is empty but has a cursor. */
  isContinuing: boolean;
}

/** Loads a list page by page. The server reads a bounded amount per call, so a search can return an empty page. */
export function usePagedList<Page, Item, Key extends readonly unknown[]>(
  options: UseInfiniteQueryOptions<Page, Error, ListData<Item>, Key, string>,
): ListQuery<Item> {
  const query = useInfiniteQuery(options);
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isContinuing = hasNextPage && !isError && data?.pages.at(-1)?.length === 0;
  useEffect(() => {
    if (isContinuing && !isFetching) void fetchNextPage();
  }, [isContinuing, isFetching, fetchNextPage]);
  return { query, items: data?.items ?? [], isContinuing };
}
