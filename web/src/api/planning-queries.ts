import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson } from "./client.ts";

const studioApi = api.studios[":studioId"];
const resultsApi = studioApi.publications[":publicationId"].results;

/** A weekly time at which an account publishes. */
export type Slot = InferResponseType<typeof studioApi.slots.$get>["slots"][number];
/** What a platform said about a published post at one time. */
export type ResultSnapshot = InferResponseType<typeof resultsApi.$get>["snapshots"][number];

/** A published post, with what the platform counted at one age. */
export type ComparedPost = InferResponseType<typeof studioApi.results.$get>["posts"][number];

export const slotsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "slots"],
    queryFn: () => fetchJson(studioApi.slots.$get({ param: { studioId } })),
  });

/** The user's own calendar feed of the studio, without its URL. */
export const calendarFeedsQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "calendar-feeds"],
    queryFn: () => fetchJson(studioApi["calendar-feeds"].$get({ param: { studioId } })),
  });

export const resultsQuery = (studioId: string, publicationId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "results", publicationId],
    queryFn: () => fetchJson(resultsApi.$get({ param: { studioId, publicationId } })),
  });

/** The posts of an account at one age. Readings are not announced, so they are read again with every visit. */
export const accountResultsQuery = (studioId: string, query: { connectionId: string; age: string; days: string }) =>
  queryOptions({
    queryKey: ["studio", studioId, "account-results", query],
    queryFn: () => fetchJson(studioApi.results.$get({ param: { studioId }, query })),
  });
