import { infiniteQueryOptions, type InfiniteData } from "@tanstack/react-query";
import type { ClientResponse } from "hono/client";
import { isNotFound } from "./api-error.ts";
import { fetchJsonIfChanged } from "./client.ts";
import { areListsHeld } from "./list-holds.ts";

const slowPollMs = 10_000;

/**
 * Polls every `ms`. Polls only every 10 seconds until data has loaded, so that an error stays visible long enough to
 * read, and when the loaded object no longer exists, such as a post in the trash. Every loaded page of a list costs one
 * request, so longer lists poll less often and stay below the rate limit.
 */
export const pollEvery =
  (ms: number) =>
  ({ state: { data, error } }: { state: { data: unknown; error?: Error | null } }): number => {
    if (data === undefined) return slowPollMs;
    const interval = ms * ((data as { pages?: unknown[] }).pages?.length ?? 1);
    return isNotFound(error) ? Math.max(interval, slowPollMs) : interval;
  };

/** Short enough to show an AI client's changes within two seconds (WEB-5). */
export const livePollInterval = pollEvery(1500);

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
  refetchInterval: ReturnType<typeof pollEvery> | false;
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
      return (areListsHeld(client) ? findCachedPage() : undefined) ?? page;
    },
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.nextCursor,
    select,
    refetchInterval,
    structuralSharing: false,
  });
}
