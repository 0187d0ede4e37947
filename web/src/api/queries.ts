import { queryOptions } from "@tanstack/react-query";
import type { InferRequestType, InferResponseType } from "hono/client";
import { api, fetchJson, fetchJsonIfChanged, fetchMe } from "./client.ts";
import { createSelect, fileUrlRefreshMs, pagedQuery, pendingPollMs } from "./paged-query.ts";

const studioApi = api.studios[":studioId"];
const postApi = studioApi.posts[":postId"];

export type Me = NonNullable<Awaited<ReturnType<typeof fetchMe>>>;
export type Studio = InferResponseType<typeof studioApi.$get>;
export type Action = Studio["may"][number];
export type Role = Studio["role"];
export type Post = InferResponseType<typeof postApi.$get>;
export type PostStatus = Post["status"];
export type Asset = InferResponseType<typeof studioApi.assets.$get>["assets"][number];
export type AssetUsage = InferResponseType<(typeof studioApi.assets)[":assetId"]["$get"]>;
export type Member = InferResponseType<typeof studioApi.members.$get>["members"][number];
export type AiClient = InferResponseType<typeof studioApi.clients.$get>["clients"][number];
export type Activity = InferResponseType<typeof studioApi.activity.$get>["activity"][number];
export type Validation = NonNullable<Post["validation"]>[number];
export type PlatformList = InferResponseType<typeof studioApi.platforms.$get>;
export type Platform = PlatformList["platforms"][number];
export type PlatformConnection = PlatformList["connections"][number];

/** What a list can be filtered by. */
export type Filter<Route> =
  InferRequestType<Route> extends { query: infer Query } ? Omit<Query, "limit" | "cursor"> : never;
export type PostFilter = Filter<typeof studioApi.posts.$get>;
export type AssetFilter = Filter<typeof studioApi.assets.$get>;
export type ClientFilter = Filter<typeof studioApi.clients.$get>;
export type ActivityFilter = Filter<typeof studioApi.activity.$get>;

const selectPosts = createSelect(({ posts }: InferResponseType<typeof studioApi.posts.$get>) => posts);
const selectAssets = createSelect(({ assets }: InferResponseType<typeof studioApi.assets.$get>) => assets);
const selectClients = createSelect(({ clients }: InferResponseType<typeof studioApi.clients.$get>) => clients);
const selectActivity = createSelect(({ activity }: InferResponseType<typeof studioApi.activity.$get>) => activity);

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: fetchMe });

export const instanceQuery = queryOptions({
  queryKey: ["instance"],
  queryFn: () => fetchJson(api.instance.$get()),
  staleTime: Infinity,
});

export const studioQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId],
    queryFn: () => fetchJson(studioApi.$get({ param: { studioId } })),
  });

export const postQuery = (studioId: string, postId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "post", postId],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<Post>(queryKey), (options) =>
        postApi.$get({ param: { studioId, postId } }, options),
      ),
    // An image that was opened since is no activity.
    refetchInterval: ({ state: { data } }) => (data && hasUncheckedImage(data) ? pendingPollMs : fileUrlRefreshMs),
    structuralSharing: false,
  });

const hasUncheckedImage = ({ validation = [] }: Post): boolean =>
  validation.some(({ problems }) => problems.some(({ code }) => code === "image_unchecked"));

export const postsQuery = (studioId: string, filter: PostFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "posts", filter],
    limit: 30,
    fetchPage: (page, options) => studioApi.posts.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectPosts,
  });

export const assetsQuery = (studioId: string, filter: AssetFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "assets", filter],
    limit: 60,
    fetchPage: (page, options) =>
      studioApi.assets.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectAssets,
    refetchInterval: fileUrlRefreshMs,
  });

export const clientsQuery = (studioId: string, filter: ClientFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "clients", filter],
    limit: 50,
    fetchPage: (page, options) =>
      studioApi.clients.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectClients,
    // The first call of a client is no activity.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ clients }) =>
        clients.some(({ lastUsedAt, revokedAt }) => lastUsedAt === null && revokedAt === null),
      ) === true && pendingPollMs,
  });

export const activityQuery = (studioId: string, filter: ActivityFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "activity", filter],
    limit: 40,
    fetchPage: (page, options) =>
      studioApi.activity.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectActivity,
  });

export const assetQuery = (studioId: string, assetId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "asset", assetId],
    queryFn: () => fetchJson(studioApi.assets[":assetId"].$get({ param: { studioId, assetId } })),
  });

export const uploadLinksQuery = (studioId: string, postId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "upload-links", postId],
    queryFn: () => fetchJson(postApi["upload-links"].$get({ param: { studioId, postId } })),
  });

export const reviewLinksQuery = (studioId: string, postId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "review-links", postId],
    queryFn: () => fetchJson(studioApi["review-links"].$get({ param: { studioId }, query: { postId } })),
  });

export const membersQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "members"],
    queryFn: () => fetchJson(studioApi.members.$get({ param: { studioId } })),
  });

export const invitationsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "invitations"],
    queryFn: () => fetchJson(studioApi.invitations.$get({ param: { studioId } })),
  });

/** What an account offers now for some options. */
export const choicesQuery = (studioId: string, connectionId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "platforms", connectionId, "choices"],
    queryFn: () => fetchJson(studioApi.platforms[":connectionId"].choices.$get({ param: { studioId, connectionId } })),
  });

export const platformsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "platforms"],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<PlatformList>(queryKey), (options) =>
        studioApi.platforms.$get({ param: { studioId }, query: { includeOptions: "true" } }, options),
      ),
    structuralSharing: false,
  });
