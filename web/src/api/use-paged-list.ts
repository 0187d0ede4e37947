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

export interface SearchedList<Item> extends ListQuery<Item> {
  /** Whether nothing contains the words, so that the items contain similar ones. */
  isFuzzy: boolean;
}

/** Loads a list that can be searched. If nothing contains the words of `text`, searches for words with one typo. */
export function useSearchedList<Page, Item, Key extends readonly unknown[]>(
  createOptions: (query: {
    query?: string;
    fuzzy?: "true";
  }) => UseInfiniteQueryOptions<Page, Error, ListData<Item>, Key, string>,
  text: string | undefined,
): SearchedList<Item> {
  const search = text ? { query: text } : {};
  const exactList = usePagedList(createOptions(search));
  const { isSuccess, hasNextPage } = exactList.query;
  const needsFuzzy = text !== undefined && isSuccess && exactList.items.length === 0 && !hasNextPage;
  const fuzzyList = usePagedList({ ...createOptions({ ...search, fuzzy: "true" }), enabled: needsFuzzy });
  const isFuzzy = needsFuzzy && fuzzyList.items.length > 0;
  return { ...(isFuzzy || (needsFuzzy && fuzzyList.query.isLoading) ? fuzzyList : exactList), isFuzzy };
}
