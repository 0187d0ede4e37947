import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { InferRequestType, InferResponseType } from "hono/client";
import { api, fetchJson, fetchJsonIfChanged, fetchMe } from "./client.ts";
import { createSelect, pagedQuery, pollEvery, type ListPage } from "./paged-query.ts";

const studioApi = api.studios[":studioId"];
const postApi = studioApi.posts[":postId"];

export type Me = NonNullable<Awaited<ReturnType<typeof fetchMe>>>;
export type Studio = InferResponseType<typeof studioApi.$get>;
export type Action = Studio["may"][number];
export type Role = Studio["role"];
export type Post = InferResponseType<typeof postApi.$get>;
export type PostStatus = Post["status"];
export type Asset = InferResponseType<typeof studioApi.assets.$get>["assets"][number];
export type Member = InferResponseType<typeof studioApi.members.$get>["members"][number];
export type AiClient = InferResponseType<typeof studioApi.clients.$get>["clients"][number];
export type Revision = InferResponseType<typeof postApi.revisions.$get>["revisions"][number];
export type TrashItem = InferResponseType<typeof studioApi.trash.$get>["items"][number];
export type UndoResult = InferResponseType<(typeof studioApi.clients)[":grantId"]["undo"]["$post"]>;
export type Activity = InferResponseType<typeof studioApi.activity.$get>["activity"][number];
type PublicationPage = InferResponseType<typeof studioApi.publications.$get>;
export type Publication = PublicationPage["publications"][number];
export type PublicationState = Publication["state"];
export type Validation = NonNullable<Post["validation"]>[number];
type PlatformList = InferResponseType<typeof studioApi.platforms.$get>;
export type Platform = PlatformList["platforms"][number];
export type PlatformConnection = PlatformList["connections"][number];

type Filter<Route> = InferRequestType<Route> extends { query: infer Query } ? Omit<Query, "limit" | "cursor"> : never;
export type PostFilter = Filter<typeof studioApi.posts.$get>;
export type AssetFilter = Filter<typeof studioApi.assets.$get>;
export type ClientFilter = Filter<typeof studioApi.clients.$get>;
export type ActivityFilter = Filter<typeof studioApi.activity.$get>;
export type PublicationFilter = Filter<typeof studioApi.publications.$get>;

/** Short enough to show an AI client's changes within two seconds (WEB-5). */
const livePollInterval = pollEvery(1500);

const selectPosts = createSelect(({ posts }: InferResponseType<typeof studioApi.posts.$get>) => posts);
const selectAssets = createSelect(({ assets }: InferResponseType<typeof studioApi.assets.$get>) => assets);
const selectClients = createSelect(({ clients }: InferResponseType<typeof studioApi.clients.$get>) => clients);
const selectRevisions = createSelect(({ revisions }: InferResponseType<typeof postApi.revisions.$get>) => revisions);
const selectTrash = createSelect(({ items }: InferResponseType<typeof studioApi.trash.$get>) => items);
const selectPublications = createSelect(({ publications }: PublicationPage) => publications);
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
    refetchInterval: livePollInterval,
    structuralSharing: false,
  });

export const postsQuery = (studioId: string, filter: PostFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "posts", filter],
    limit: 30,
    fetchPage: (page, options) => studioApi.posts.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectPosts,
    // A search costs the server more than a list, so it only repeats when the window regains focus.
    refetchInterval: filter.query === undefined ? livePollInterval : false,
  });

export const assetsQuery = (studioId: string, filter: AssetFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "assets", filter],
    limit: 40,
    fetchPage: (page, options) =>
      studioApi.assets.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectAssets,
    refetchInterval: livePollInterval,
  });

export const clientsQuery = (studioId: string, filter: ClientFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "clients", filter],
    limit: 50,
    fetchPage: (page, options) =>
      studioApi.clients.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectClients,
    refetchInterval: pollEvery(2000),
  });

/** What undoing a client's changes would do now. */
export const undoPreviewQuery = (studioId: string, grantId: string, since: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "undo", grantId, since],
    queryFn: () =>
      fetchJson(
        studioApi.clients[":grantId"].undo.$post({ param: { studioId, grantId }, json: { since, dryRun: true } }),
      ),
    gcTime: 0,
  });

export const activityQuery = (studioId: string, filter: ActivityFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "activity", filter],
    limit: 40,
    fetchPage: (page, options) =>
      studioApi.activity.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectActivity,
    refetchInterval: pollEvery(5000),
  });

export const publicationsQuery = (studioId: string, filter: PublicationFilter) =>
  pagedQuery({
    queryKey: ["studio", studioId, "publications", filter],
    limit: 30,
    fetchPage: (page, options) =>
      studioApi.publications.$get({ param: { studioId }, query: { ...filter, ...page } }, options),
    select: selectPublications,
    refetchInterval: pollEvery(2000),
  });

export const publicationQuery = (studioId: string, publicationId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "publication", publicationId],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<Publication>(queryKey), (options) =>
        studioApi.publications[":publicationId"].$get({ param: { studioId, publicationId } }, options),
      ),
    refetchInterval: livePollInterval,
    structuralSharing: false,
  });

/** Up to 100 publications that wait for an approval, for the badge in the navigation. */
export const proposalCountQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "proposal-count"],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<PublicationPage>(queryKey), (options) =>
        studioApi.publications.$get({ param: { studioId }, query: { state: "proposed", limit: "100" } }, options),
      ),
    refetchInterval: pollEvery(5000),
    structuralSharing: false,
  });

export const revisionsQuery = (studioId: string, postId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "revisions", postId],
    limit: 20,
    fetchPage: (page, options) => postApi.revisions.$get({ param: { studioId, postId }, query: page }, options),
    select: selectRevisions,
    // The history panel refetches when the open post has a new revision.
    refetchInterval: false,
  });

/** A revision never changes. */
export const revisionQuery = (studioId: string, postId: string, revision: number) =>
  queryOptions({
    queryKey: ["studio", studioId, "revision", postId, revision],
    queryFn: () =>
      fetchJson(postApi.revisions[":revision"].$get({ param: { studioId, postId, revision: String(revision) } })),
    staleTime: Infinity,
  });

/** The newest changes after a revision, newest first. `current` is the revision of the post now. */
export const changesSinceQuery = (studioId: string, postId: string, since: number, current: number) =>
  queryOptions({
    queryKey: ["studio", studioId, "changes-since", postId, since, current],
    queryFn: async () => {
      const { revisions } = await fetchJson(
        postApi.revisions.$get({ param: { studioId, postId }, query: { limit: "20" } }),
      );
      return revisions.filter(({ revision }) => revision > since);
    },
    staleTime: Infinity,
  });

export const trashQuery = (studioId: string) =>
  pagedQuery({
    queryKey: ["studio", studioId, "trash"],
    limit: 50,
    fetchPage: (page, options) => studioApi.trash.$get({ param: { studioId }, query: page }, options),
    select: selectTrash,
    refetchInterval: pollEvery(5000),
  });

/** Counts what is in the trash, up to a thousand. */
export async function countTrash(studioId: string): Promise<{ count: number; hasMore: boolean }> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const query: { limit: string; cursor?: string } = { limit: "100", ...(cursor === null ? {} : { cursor }) };
    const page: { items: TrashItem[] } & ListPage = await fetchJson(
      studioApi.trash.$get({ param: { studioId }, query }),
    );
    count += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && count < 1000);
  return { count, hasMore: cursor !== null };
}

export const assetQuery = (studioId: string, assetId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "asset", assetId],
    queryFn: () => fetchJson(studioApi.assets[":assetId"].$get({ param: { studioId, assetId } })),
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
    queryFn: () => fetchJson(studioApi.members.$get({ param: { studioId } })),
    refetchInterval: pollEvery(5000),
  });

export const invitationsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "invitations"],
    queryFn: () => fetchJson(studioApi.invitations.$get({ param: { studioId } })),
    refetchInterval: pollEvery(5000),
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

/** Refetches the user, and everything in the studio, after a change. */
export async function refreshQueries(client: QueryClient, studioId?: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: meQuery.queryKey }),
    ...(studioId === undefined ? [] : [client.invalidateQueries({ queryKey: ["studio", studioId] })]),
  ]);
}
