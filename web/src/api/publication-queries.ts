import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson, fetchJsonIfChanged } from "./client.ts";
import { createSelect, pagedQuery } from "./paged-query.ts";
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
  });

export const publicationQuery = (studioId: string, publicationId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "publication", publicationId],
    queryFn: ({ client, queryKey }) =>
      fetchJsonIfChanged(client.getQueryData<PublicationDetail>(queryKey), (options) =>
        studioApi.publications[":publicationId"].$get({ param: { studioId, publicationId } }, options),
      ),
    structuralSharing: false,
  });

/** How many publications wait for the user. Earlier failures and requests that were sent back do not count. */
export const publicationCountsQuery = (studioId: string, from: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "publication-counts", from],
    queryFn: () => fetchJson(studioApi.publications.counts.$get({ param: { studioId }, query: { from } })),
  });
