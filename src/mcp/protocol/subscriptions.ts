import {
  ProtocolError,
  SUBSCRIPTION_ID_META_KEY,
  type ServerCapabilities,
  type ServerEvent,
  type ServerEventBus,
  type SubscriptionFilter,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Method } from "./method.ts";
import { errorCodes } from "./messages.ts";

/** Limit of concurrent streams per grant. */
const maxStreamsPerGrant = 20;

const filterInput = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().max(2000)).max(100).optional(),
});

export interface Subscriptions {
  method: Method;
  /** Ends every stream with a final result; later streams end right after their acknowledgement. */
  close(): void;
}

/**
 * `subscriptions/listen` (2026-07-28): acknowledges the supported part of the filter and keeps the stream open until
 * either side ends it. If no part is supported, as in production, it ends at once with a result.
 */
export function createSubscriptions(capabilities: ServerCapabilities, events: ServerEventBus): Subscriptions {
  const streamCountByGrant = new Map<string, number>();
  const activeStreams = new Set<() => void>();
  let isClosed = false;

  const method: Method = {
    era: "modern",
    handle({ params, authentication: { grantId }, id, send }) {
      const parsed = filterInput.safeParse(params["notifications"]);
      if (!parsed.success)
        throw new ProtocolError(
          errorCodes.invalidParams,
          "Invalid params: notifications must be a subscription filter",
        );
      const acceptedFilter = selectSupported(parsed.data, capabilities);
      if ((streamCountByGrant.get(grantId) ?? 0) >= maxStreamsPerGrant)
        throw new ProtocolError(errorCodes.internal, "Subscription limit reached");
      const meta = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
      const notify = (name: string, fields: object): void => send({ method: name, params: { ...fields, ...meta } });
      notify("notifications/subscriptions/acknowledged", { notifications: acceptedFilter });
      if (Object.keys(acceptedFilter).length === 0 || isClosed) return meta;
      return (end) => openStream(grantId, acceptedFilter, notify, () => end(meta));
    },
  };
  return {
    method,
    close() {
      isClosed = true;
      for (const endStream of activeStreams) endStream();
    },
  };

  function openStream(
    grantId: string,
    filter: SubscriptionFilter,
    notify: (name: string, fields: object) => void,
    end: () => void,
  ): () => void {
    streamCountByGrant.set(grantId, (streamCountByGrant.get(grantId) ?? 0) + 1);
    const unsubscribe = events.subscribe((event) => {
      const { name, accepts } = notificationByEvent[event.kind];
      if (accepts(filter, event)) notify(name, "uri" in event ? { uri: event.uri } : {});
    });
    const cleanUp = (): void => {
      unsubscribe();
      activeStreams.delete(endStream);
      const remaining = (streamCountByGrant.get(grantId) ?? 1) - 1;
      if (remaining > 0) streamCountByGrant.set(grantId, remaining);
      else streamCountByGrant.delete(grantId);
    };
    const endStream = (): void => {
      cleanUp();
      end();
    };
    activeStreams.add(endStream);
    return cleanUp;
  }
}

function selectSupported(
  requested: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
): SubscriptionFilter {
  return {
    ...(requested.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(requested.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(requested.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(requested.resourceSubscriptions?.length && resources?.subscribe
      ? { resourceSubscriptions: requested.resourceSubscriptions }
      : {}),
  };
}

/** The notification for each kind of event, and which filters include it. */
const notificationByEvent: {
  [Kind in ServerEvent["kind"]]: { name: string; accepts(filter: SubscriptionFilter, event: ServerEvent): boolean };
} = {
  tools_list_changed: {
    name: "notifications/tools/list_changed",
    accepts: (filter) => filter.toolsListChanged === true,
  },
  prompts_list_changed: {
    name: "notifications/prompts/list_changed",
    accepts: (filter) => filter.promptsListChanged === true,
  },
  resources_list_changed: {
    name: "notifications/resources/list_changed",
    accepts: (filter) => filter.resourcesListChanged === true,
  },
  resource_updated: {
    name: "notifications/resources/updated",
    accepts: (filter, event) => "uri" in event && filter.resourceSubscriptions?.includes(event.uri) === true,
  },
};
