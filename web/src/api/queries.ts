import { infiniteQueryOptions, queryOptions, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import type { InferRequestType, InferResponseType } from "hono/client";
import { api, fetchJson, fetchJsonIfChanged, fetchMe } from "./client.ts";

const studioApi = api.studios[":studioId"];
const postApi = studioApi.posts[":postId"];

/**
 * Polls every `ms`, and every 10 seconds while there is only an error, so that the user can read it. Each loaded page of
 * a list costs one call, so longer lists poll less often and stay below the rate limit.
 */
const pollEvery =
  (ms: number) =>
  ({ state }: { state: { data: unknown } }): number =>
    state.data === undefined ? 10_000 : ms * ((state.data as { pages?: unknown[] }).pages?.length ?? 1);

/** Short enough to show an AI client's changes within two seconds (WEB-5). */
const livePollInterval = pollEvery(1500);

type PostResponse = InferResponseType<typeof postApi.$get>;
type PostPage = InferResponseType<typeof studioApi.posts.$get>;
type AssetPage = InferResponseType<typeof studioApi.assets.$get>;
type ClientPage = InferResponseType<typeof studioApi.clients.$get>;

export type Me = NonNullable<Awaited<ReturnType<typeof fetchMe>>>;
export type Studio = Awaited<ReturnType<typeof fetchStudio>>;
export type Action = Studio["may"][number];
export type Role = Studio["role"];
export type Post = PostResponse;
export type PostStatus = Post["status"];
export type Member = Awaited<ReturnType<typeof fetchMembers>>["members"][number];
type PlatformList = InferResponseType<typeof studioApi.platforms.$get>;
export type Platform = PlatformList["platforms"][number];
export type PlatformConnection = PlatformList["connections"][number];
export type AiClient = ClientPage["clients"][number];
export interface ClientFilter {
  ended?: "true" | "false";
  mine?: "true";
}
export type Activity = Awaited<ReturnType<typeof fetchActivity>>["activity"][number];
type ActivityQuery = InferRequestType<typeof studioApi.activity.$get>["query"];
export type ActivityFilter = Pick<ActivityQuery, "userId" | "clientId" | "action">;
export type Asset = AssetPage["assets"][number];
type AssetQuery = InferRequestType<typeof studioApi.assets.$get>["query"];
export type AssetFilter = Pick<AssetQuery, "kind" | "unattached">;
export interface PostFilter {
  status?: PostStatus;
  query?: string;
}

const fetchStudio = (studioId: string) => fetchJson(studioApi.$get({ param: { studioId } }));

const fetchPost = (studioId: string, postId: string, cached?: PostResponse): Promise<PostResponse> =>
  fetchJsonIfChanged(cached, (options) => postApi.$get({ param: { studioId, postId } }, options));

const fetchMembers = (studioId: string) => fetchJson(studioApi.members.$get({ param: { studioId } }));

const fetchActivity = (studioId: string, query: ActivityQuery) =>
  fetchJson(studioApi.activity.$get({ param: { studioId }, query }));

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: fetchMe });

export const instanceQuery = queryOptions({
  queryKey: ["instance"],
  queryFn: () => fetchJson(api.instance.$get()),
  staleTime: Infinity,
});

export const studioQuery = (studioId: string) =>
  queryOptions({ queryKey: ["studio", studioId], queryFn: () => fetchStudio(studioId) });

export const postQuery = (studioId: string, postId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "post", postId],
    queryFn: ({ client, queryKey }) => fetchPost(studioId, postId, client.getQueryData<PostResponse>(queryKey)),
    refetchInterval: livePollInterval,
    structuralSharing: false,
  });

export const postsQuery = (studioId: string, filter: PostFilter) =>
  infiniteQueryOptions({
    queryKey: ["studio", studioId, "posts", filter],
    queryFn: ({ client, queryKey, pageParam }) => {
      const cached = client.getQueryData<InfiniteData<PostPage, string>>(queryKey);
      const page = cached?.pages[cached.pageParams.indexOf(pageParam)];
      const query = { ...filter, limit: "30", ...(pageParam === "" ? {} : { cursor: pageParam }) };
      return fetchJsonIfChanged(page, (options) => studioApi.posts.$get({ param: { studioId }, query }, options));
    },
    initialPageParam: "",
    getNextPageParam: (page: PostPage) => page.nextCursor,
    // A search costs the server more than a list, so it only repeats when the window regains focus.
    refetchInterval: filter.query === undefined ? livePollInterval : false,
    structuralSharing: false,
  });

export const assetsQuery = (studioId: string, filter: AssetFilter) =>
  infiniteQueryOptions({
    queryKey: ["studio", studioId, "assets", filter],
    queryFn: ({ client, queryKey, pageParam }) => {
      const cached = client.getQueryData<InfiniteData<AssetPage, string>>(queryKey);
      const page = cached?.pages[cached.pageParams.indexOf(pageParam)];
      const query = { ...filter, limit: "40", ...(pageParam === "" ? {} : { cursor: pageParam }) };
      return fetchJsonIfChanged(page, (options) => studioApi.assets.$get({ param: { studioId }, query }, options));
    },
    initialPageParam: "",
    getNextPageParam: (page: AssetPage) => page.nextCursor,
    refetchInterval: livePollInterval,
    structuralSharing: false,
  });

export const uploadLinksQuery = (studioId: string, postId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "upload-links", postId],
    queryFn: () => fetchJson(postApi["upload-links"].$get({ param: { studioId, postId } })),
    refetchInterval: pollEvery(5000),
  });

export const membersQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "members"],
    queryFn: () => fetchMembers(studioId),
    refetchInterval: pollEvery(5000),
  });

export const invitationsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "invitations"],
    queryFn: () => fetchJson(studioApi.invitations.$get({ param: { studioId } })),
    refetchInterval: pollEvery(5000),
  });

export const clientsQuery = (studioId: string, filter: ClientFilter) =>
  infiniteQueryOptions({
    queryKey: ["studio", studioId, "clients", filter],
    queryFn: ({ client, queryKey, pageParam }) => {
      const cached = client.getQueryData<InfiniteData<ClientPage, string>>(queryKey);
      const page = cached?.pages[cached.pageParams.indexOf(pageParam)];
      const query = { ...filter, limit: "50", ...(pageParam === "" ? {} : { cursor: pageParam }) };
      return fetchJsonIfChanged(page, (options) => studioApi.clients.$get({ param: { studioId }, query }, options));
    },
    initialPageParam: "",
    getNextPageParam: (page: ClientPage) => page.nextCursor,
    refetchInterval: pollEvery(2000),
    structuralSharing: false,
  });

export const platformsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "platforms"],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<PlatformList>(queryKey), (options) =>
        studioApi.platforms.$get({ param: { studioId } }, options),
      ),
    refetchInterval: 2000,
    structuralSharing: false,
  });

export const activityQuery = (studioId: string, filter: ActivityFilter) =>
  infiniteQueryOptions({
    queryKey: ["studio", studioId, "activity", filter],
    queryFn: ({ pageParam }) =>
      fetchActivity(studioId, { ...filter, limit: "40", ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: pollEvery(5000),
  });

/** Refetches the user, and everything in the studio, after a change. */
export async function refreshQueries(client: QueryClient, studioId?: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: meQuery.queryKey }),
    ...(studioId === undefined ? [] : [client.invalidateQueries({ queryKey: ["studio", studioId] })]),
  ]);
}
