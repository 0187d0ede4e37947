import { infiniteQueryOptions, type InfiniteData } from "@tanstack/react-query";
import type { ClientResponse } from "hono/client";
import { fetchJsonIfChanged } from "./client.ts";
import { areListsHeld } from "./list-holds.ts";

/** While a page shows something pending whose end is no activity, it asks this often. */
export const pendingPollMs = 15_000;

/** The URLs of files are valid for an hour. */
export const fileUrlRefreshMs = 30 * 60_000;

export interface ListPage {
  nextCursor: string | null;
}

/** Call this once per list, outside components: a new `select` on every render makes React Query render endlessly. */
export const createSelect =
  <Page, Item>(getItems: (page: Page) => readonly Item[]) =>
  ({ pages }: InfiniteData<Page, string>) => ({ pages: pages.map(getItems), items: pages.flatMap(getItems) });

/** A list that loads page by page. On a refetch, the server does not resend unchanged pages. */
export function pagedQuery<Page extends ListPage, Item>({
  queryKey,
  limit,
  fetchPage,
  select,
  refetchInterval,
}: {
  queryKey: readonly unknown[];
  limit: number;
  fetchPage: (
    query: { limit: string; cursor?: string },
    options: { headers: Record<string, string> },
  ) => Promise<ClientResponse<Page, number, "json">>;
  select: ReturnType<typeof createSelect<Page, Item>>;
  refetchInterval?: number | ((query: { state: { data: InfiniteData<Page, string> | undefined } }) => number | false);
}) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ client, pageParam }) => {
      const findCachedPage = (): Page | undefined => {
        const cachedData = client.getQueryData<InfiniteData<Page, string>>(queryKey);
        return cachedData?.pages[cachedData.pageParams.indexOf(pageParam)];
      };
      const query = { limit: String(limit), ...(pageParam === "" ? {} : { cursor: pageParam }) };
      const page = await fetchJsonIfChanged(findCachedPage(), (options) => fetchPage(query, options));
      return (areListsHeld() ? findCachedPage() : undefined) ?? page;
    },
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.nextCursor,
    select,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
    structuralSharing: false,
  });
}
