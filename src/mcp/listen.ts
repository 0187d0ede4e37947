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

export interface Listening {
  method: Method;
  /** Ends every stream, properly, and from now on each as soon as it began. */
  close(): void;
}

/**
 * `subscriptions/listen` (2026-07-28): acknowledged with what can be delivered, then open until one side leaves.
 * Where nothing can be, which is the product's own case, it ends at once, and properly.
 */
export function createListening(capabilities: ServerCapabilities, events: ServerEventBus): Listening {
  const counts = new Map<string, number>();
  const leaves = new Set<() => void>();
  let closed = false;

  const method: Method = {
    era: "modern",
    answer({ params, authentication: { grantId }, id, send }) {
      const parsed = filterInput.safeParse(params["notifications"]);
      if (!parsed.success)
        throw new ProtocolError(
          errorCodes.invalidParams,
          "Invalid params: notifications must be a subscription filter",
        );
      const honored = honoredPart(parsed.data, capabilities);
      if ((counts.get(grantId) ?? 0) >= maxStreams)
        throw new ProtocolError(errorCodes.internal, "Subscription limit reached");
      const tag = { _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
      const notify = (name: string, about: object): void => send({ method: name, params: { ...about, ...tag } });
      notify("notifications/subscriptions/acknowledged", { notifications: honored });
      if (Object.keys(honored).length === 0 || closed) return tag;
      return (end) => open(grantId, honored, notify, () => end(tag));
    },
  };
  return {
    method,
    close() {
      closed = true;
      for (const leave of leaves) leave();
    },
  };

  function open(
    grantId: string,
    filter: SubscriptionFilter,
    notify: (name: string, about: object) => void,
    end: () => void,
  ): () => void {
    counts.set(grantId, (counts.get(grantId) ?? 0) + 1);
    const unsubscribe = events.subscribe((event) => {
      const { name, accepts } = kinds[event.kind];
      if (accepts(filter, event)) notify(name, "uri" in event ? { uri: event.uri } : {});
    });
    const forget = (): void => {
      unsubscribe();
      leaves.delete(leave);
      const left = (counts.get(grantId) ?? 1) - 1;
      if (left > 0) counts.set(grantId, left);
      else counts.delete(grantId);
    };
    const leave = (): void => {
      forget();
      end();
    };
    leaves.add(leave);
    return forget;
  }
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
