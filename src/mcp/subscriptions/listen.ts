import { ProtocolError, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Deps } from "#domain/ports/deps.ts";
import type { ChangeFeed, Subscriber } from "#domain/subscriptions/change-feed.ts";
import { findSubscribablePosts } from "#domain/subscriptions/find-subscribable-posts.ts";
import type { SubscribedPosts } from "#domain/ports/subscriptions.ts";
import { maxSubscribedPosts } from "#domain/subscriptions/session-subscriptions.ts";
import { parsePostUri, toPostUri } from "../post-resources.ts";
import { toProtocolError } from "../protocol/app-errors.ts";
import { createInvalidParamsError, errorCodes } from "../protocol/messages.ts";
import type { Exchange, Method, OpenStream } from "../protocol/method.ts";
import { requireTasks } from "../tasks/tasks-extension.ts";
import { streamLimitMessage, type StreamSlot, type StreamSlots } from "./stream-slots.ts";

const filterInput = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().max(2000)).max(maxSubscribedPosts).optional(),
  taskIds: z.array(z.string().max(100)).max(100).optional(),
});

/**
 * `subscriptions/listen` (MCP spec 2026-07-28): acknowledges the supported part of the filter and keeps the stream open
 * until either side ends it. If no part is supported, ends the stream at once with a result.
 */
export function createListenMethod(deps: Deps, feed: ChangeFeed, slots: StreamSlots): Method {
  return {
    era: "modern",
    getRequiredScope: () => "studio:read",
    async handle(exchange) {
      const { params, authentication, caller, id, send } = exchange;
      const parseResult = filterInput.safeParse(params["notifications"]);
      if (!parseResult.success)
        throw createInvalidParamsError(
          `notifications must be a subscription filter with at most ${maxSubscribedPosts} resources`,
        );
      // SEP-2663, task status notifications. They are optional and not sent; clients poll.
      if (parseResult.data.taskIds) requireTasks(exchange);
      const requestedUris = parseResult.data.resourceSubscriptions ?? [];
      const posts = await findPosts(exchange, requestedUris);
      const supportedUris = requestedUris.filter((uri) => posts.has(parsePostUri(uri) ?? ""));
      const slot = slots.take(authentication.grantId, authentication.user.id);
      if (!slot) throw new ProtocolError(errorCodes.httpError, streamLimitMessage);
      const notify = createNotifier(send, id);
      const hasSupportedPart = supportedUris.length > 0;
      notify("notifications/subscriptions/acknowledged", {
        notifications: hasSupportedPart ? { resourceSubscriptions: supportedUris } : {},
      });
      if (!hasSupportedPart || slots.isClosed) {
        slot.release();
        return toSubscriptionMeta(id);
      }
      const { tokenHash, user } = authentication;
      return openStream(slot, { tokenHash, userId: user.id, studioId: caller.studio.id }, posts, notify, id);
    },
  };

  async function findPosts({ caller, countCall }: Exchange, uris: readonly string[]): Promise<SubscribedPosts> {
    try {
      countCall();
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
    notify: Notifier,
    id: string | number,
  ): OpenStream {
    return (end) => {
      const cleanUp = (): void => {
        removeFromFeed();
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
