import {
  SUBSCRIPTION_ID_META_KEY,
  type ServerEvent,
  type ServerEventBus,
  type SubscriptionFilter,
} from "@modelcontextprotocol/server";
import { toRecord } from "#mcp/protocol/client-capabilities.ts";
import type { Method } from "#mcp/protocol/method.ts";

/** `subscriptions/listen` for the fixtures' own events. Other filters are passed to the product's method. */
export const extendListen = (method: Method, events: ServerEventBus): Method => ({
  ...method,
  handle(exchange) {
    const filter = selectFixtureEvents(toRecord(exchange.params["notifications"]));
    if (Object.keys(filter).length === 0) return method.handle(exchange);
    const { id, send } = exchange;
    const notify = (name: string, fields: object): void =>
      send({ method: `notifications/${name}`, params: { ...fields, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } } });
    notify("subscriptions/acknowledged", { notifications: filter });
    return () =>
      events.subscribe((event) => {
        const { name, accepts } = notificationByEvent[event.kind];
        if (accepts(filter, event)) notify(name, "uri" in event ? { uri: event.uri } : {});
      });
  },
});

function selectFixtureEvents(requested: SubscriptionFilter): SubscriptionFilter {
  const uris = (requested.resourceSubscriptions ?? []).filter((uri) => uri.startsWith("test://"));
  return {
    ...(requested.toolsListChanged ? { toolsListChanged: true } : {}),
    ...(requested.promptsListChanged ? { promptsListChanged: true } : {}),
    ...(requested.resourcesListChanged ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
}

/** The notification for each kind of event, and which filters include it. */
const notificationByEvent: {
  [Kind in ServerEvent["kind"]]: { name: string; accepts(filter: SubscriptionFilter, event: ServerEvent): boolean };
} = {
  tools_list_changed: { name: "tools/list_changed", accepts: (filter) => filter.toolsListChanged === true },
  prompts_list_changed: { name: "prompts/list_changed", accepts: (filter) => filter.promptsListChanged === true },
  resources_list_changed: { name: "resources/list_changed", accepts: (filter) => filter.resourcesListChanged === true },
  resource_updated: {
    name: "resources/updated",
    accepts: (filter, event) => "uri" in event && filter.resourceSubscriptions?.includes(event.uri) === true,
  },
};
