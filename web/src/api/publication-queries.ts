import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJsonIfChanged } from "./client.ts";
import { createSelect, livePollInterval, pagedQuery, pollEvery } from "./paged-query.ts";
import type { Filter } from "./queries.ts";

const studioApi = api.studios[":studioId"];

type PublicationPage = InferResponseType<typeof studioApi.publications.$get>;
export type ListedPublication = PublicationPage["publications"][number];
/** A publication in a list, or of a post. */
export type Publication = Omit<ListedPublication, "isSuperseded" | "postTitle"> & {
  /** Null if the post is in the trash; undefined on the page of the post. */
  postTitle?: string | null;
};
/** The state as users see it: the server's states `preparing` and `committing` are `publishing`. */
export type VisibleState = Publication["state"];
export type PublicationDetail = InferResponseType<(typeof studioApi.publications)[":publicationId"]["$get"]>;
export type PublicationFilter = Filter<typeof studioApi.publications.$get>;

const selectPublications = createSelect(({ publications }: PublicationPage) => publications);

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
      fetchJsonIfChanged(client.getQueryData<PublicationDetail>(queryKey), (options) =>
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
