import {
  ProtocolError,
  SUBSCRIPTION_ID_META_KEY,
  type ServerCapabilities,
  type ServerEvent,
  type ServerEventBus,
  type SubscriptionFilter,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Method } from "./exchange.ts";
import { errorCodes } from "./messages.ts";

/** Streams that one approval may hold open at once. */
const maxStreams = 20;

const filterInput = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().max(2000)).max(100).optional(),
});

/**
 * `subscriptions/listen` (2026-07-28): acknowledged with what can be delivered, then open until one side leaves.
 * Where nothing can be, which is the product's own case, it ends at once, and properly.
 */
export function listenMethod(capabilities: ServerCapabilities, events: ServerEventBus, closing: AbortSignal): Method {
  const open = new Map<string, number>();
  return {
    era: "modern",
    async answer(exchange) {
      const parsed = filterInput.safeParse(exchange.params["notifications"]);
      if (!parsed.success)
        throw new ProtocolError(
          errorCodes.invalidParams,
          "Invalid params: notifications must be a subscription filter",
        );
      const honored = honoredPart(parsed.data, capabilities);
      const grant = exchange.authentication.grantId;
      const count = open.get(grant) ?? 0;
      if (count >= maxStreams) throw new ProtocolError(errorCodes.internal, "Subscription limit reached");
      const tag = { _meta: { [SUBSCRIPTION_ID_META_KEY]: exchange.id } };
      const notify = (method: string, params: object): void => exchange.send({ method, params: { ...params, ...tag } });

      notify("notifications/subscriptions/acknowledged", { notifications: honored });
      if (Object.keys(honored).length > 0) {
        open.set(grant, count + 1);
        const unsubscribe = events.subscribe((event) => {
          const { method, accepts } = kinds[event.kind];
          if (accepts(honored, event)) notify(method, "uri" in event ? { uri: event.uri } : {});
        });
        await aborted(AbortSignal.any([exchange.signal, closing]));
        unsubscribe();
        const left = (open.get(grant) ?? 1) - 1;
        if (left > 0) open.set(grant, left);
        else open.delete(grant);
      }
      return tag;
    },
  };
}

function honoredPart(asked: SubscriptionFilter, { tools, prompts, resources }: ServerCapabilities): SubscriptionFilter {
  return {
    ...(asked.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(asked.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(asked.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(asked.resourceSubscriptions?.length && resources?.subscribe
      ? { resourceSubscriptions: asked.resourceSubscriptions }
      : {}),
  };
}

/** What an event of each kind is called on the wire, and which filters ask for it. */
const kinds: {
  [Kind in ServerEvent["kind"]]: { method: string; accepts(filter: SubscriptionFilter, event: ServerEvent): boolean };
} = {
  tools_list_changed: {
    method: "notifications/tools/list_changed",
    accepts: (filter) => filter.toolsListChanged === true,
  },
  prompts_list_changed: {
    method: "notifications/prompts/list_changed",
    accepts: (filter) => filter.promptsListChanged === true,
  },
  resources_list_changed: {
    method: "notifications/resources/list_changed",
    accepts: (filter) => filter.resourcesListChanged === true,
  },
  resource_updated: {
    method: "notifications/resources/updated",
    accepts: (filter, event) => "uri" in event && filter.resourceSubscriptions?.includes(event.uri) === true,
  },
};

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
