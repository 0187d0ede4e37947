import { queryOptions } from "@tanstack/react-query";
import type { InferResponseType } from "hono/client";
import { api, fetchJson } from "./client.ts";
import { createSelect, pagedQuery, pendingPollMs } from "./paged-query.ts";
import type { Filter } from "./queries.ts";

const webhookApi = api.studios[":studioId"].webhooks;
const deliveryApi = webhookApi[":webhookId"].deliveries;

export type Webhook = InferResponseType<typeof webhookApi.$get>["webhooks"][number];
type DeliveryList = InferResponseType<typeof deliveryApi.$get>;
export type Delivery = DeliveryList["deliveries"][number];

export const webhooksQuery = (studioId: string) =>
  queryOptions({
    queryKey: ["studio", studioId, "webhooks"],
    queryFn: () => fetchJson(webhookApi.$get({ param: { studioId } })),
  });

const selectDeliveries = createSelect(({ deliveries }: DeliveryList) => deliveries);

export const deliveriesQuery = (studioId: string, webhookId: string, filter: Filter<typeof deliveryApi.$get>) =>
  pagedQuery({
    queryKey: ["studio", studioId, "deliveries", webhookId, filter],
    limit: 20,
    fetchPage: (page, options) =>
      deliveryApi.$get({ param: { studioId, webhookId }, query: { ...filter, ...page } }, options),
    select: selectDeliveries,
    // An attempt is no activity.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ deliveries }) => deliveries.some(({ state }) => state === "waiting")) === true &&
      pendingPollMs,
  });
