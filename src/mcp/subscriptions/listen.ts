import {
  ProtocolError,
  SUBSCRIPTION_ID_META_KEY,
  type ServerCapabilities,
  type ServerEvent,
  type ServerEventBus,
  type SubscriptionFilter,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import type { ChangeFeed, Subscriber } from "#domain/subscriptions/change-feed.ts";
import { findSubscribablePosts } from "#domain/subscriptions/find-subscribable-posts.ts";
import type { SubscribedPosts } from "#domain/subscriptions/ports.ts";
import { maxSubscribedPosts } from "#domain/subscriptions/session-subscriptions.ts";
import { parsePostUri, toPostUri } from "../post-resources.ts";
import { toProtocolError } from "../protocol/app-errors.ts";
import { errorCodes } from "../protocol/messages.ts";
import type { Method, OpenStream } from "../protocol/method.ts";
import { requireTasks } from "../tasks/tasks-extension.ts";
import { streamLimitMessage, type StreamSlot, type StreamSlots } from "./stream-slots.ts";

const filterInput = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().max(2000)).max(maxSubscribedPosts).optional(),
  taskIds: z.array(z.string().max(100)).max(100).optional(),
});

export interface ListenOptions {
  deps: Deps;
  capabilities: ServerCapabilities;
  feed: ChangeFeed;
  slots: StreamSlots;
  countCall: (caller: Caller) => void;
  /** Events of the conformance fixtures, which also accept URIs that are not posts. */
  events: ServerEventBus | undefined;
}

/**
 * `subscriptions/listen` (MCP spec 2026-07-28): acknowledges the supported part of the filter and keeps the stream open
 * until either side ends it. If no part is supported, ends the stream at once with a result.
 */
export function createListenMethod({ deps, capabilities, feed, slots, countCall, events }: ListenOptions): Method {
  return {
    era: "modern",
    getRequiredScope: () => "studio:read",
    async handle({ era, params, authentication, caller, id, send }) {
      const parseResult = filterInput.safeParse(params["notifications"]);
      if (!parseResult.success)
        throw new ProtocolError(
          errorCodes.invalidParams,
          `Invalid params: notifications must be a subscription filter with at most ${maxSubscribedPosts} resources`,
        );
      // SEP-2663, task status notifications. They are optional and not sent; clients poll.
      if (parseResult.data.taskIds) requireTasks({ era, params });
      const requestedUris = parseResult.data.resourceSubscriptions ?? [];
      const posts = await findPosts(caller, requestedUris);
      const filter = selectSupported(parseResult.data, capabilities, (uri) => {
        const postId = parsePostUri(uri);
        return postId === undefined ? events !== undefined : posts.has(postId);
      });
      const slot = slots.take(authentication);
      if (!slot) throw new ProtocolError(errorCodes.httpError, streamLimitMessage);
      const notify = createNotifier(send, id);
      notify("notifications/subscriptions/acknowledged", { notifications: filter });
      if (Object.keys(filter).length === 0 || slots.isClosed) {
        slot.release();
        return toSubscriptionMeta(id);
      }
      const { tokenHash, user } = authentication;
      return openStream(slot, { tokenHash, userId: user.id, studioId: caller.studio.id }, posts, filter, notify, id);
    },
  };

  async function findPosts(caller: Caller, uris: readonly string[]): Promise<SubscribedPosts> {
    try {
      countCall(caller);
      const postIds = uris.map(parsePostUri).filter((postId) => postId !== undefined);
      return await findSubscribablePosts(deps, caller, postIds);
    } catch (error) {
      throw toProtocolError(error);
    }
  }

  function openStream(
    slot: StreamSlot,
    identity: Pick<Subscriber, "tokenHash" | "userId" | "studioId">,
    posts: SubscribedPosts,
    filter: SubscriptionFilter,
    notify: Notifier,
    id: string | number,
  ): OpenStream {
    return (end) => {
      const cleanUp = (): void => {
        removeFromFeed();
        unsubscribe?.();
        slot.release();
      };
      slot.end = () => {
        cleanUp();
        end(toSubscriptionMeta(id));
      };
      const removeFromFeed = feed.add(
        {
          ...identity,
          announce: (postId) => notify("notifications/resources/updated", { uri: toPostUri(postId) }),
          end: slot.end,
        },
        posts,
      );
      const unsubscribe = events?.subscribe((event) => {
        const { name, accepts } = notificationByEvent[event.kind];
        if (accepts(filter, event)) notify(name, "uri" in event ? { uri: event.uri } : {});
      });
      return cleanUp;
    };
  }
}

type Notifier = (name: string, fields: object) => void;

const toSubscriptionMeta = (id: string | number) => ({ _meta: { [SUBSCRIPTION_ID_META_KEY]: id } });

/** Retains only `send` and `id`: an open stream keeps this closure alive. */
const createNotifier =
  (send: (message: Record<string, unknown>) => void, id: string | number): Notifier =>
  (name, fields) =>
    send({ method: name, params: { ...fields, ...toSubscriptionMeta(id) } });

function selectSupported(
  requested: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
  isSupportedUri: (uri: string) => boolean,
): SubscriptionFilter {
  const uris = resources?.subscribe ? (requested.resourceSubscriptions ?? []).filter(isSupportedUri) : [];
  return {
    ...(requested.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(requested.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(requested.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
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
