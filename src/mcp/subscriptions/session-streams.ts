import { ProtocolError } from "@modelcontextprotocol/server";
import type { IncomingMessage, ServerResponse } from "node:http";
import { toCaller } from "#domain/model/authentication.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { ChangeFeed, Subscriber } from "#domain/subscriptions/change-feed.ts";
import type { McpSession, SubscribedPosts } from "#domain/ports/subscriptions.ts";
import {
  maxSubscribedPosts,
  openSessionStream,
  subscribeSession,
  unsubscribeSession,
} from "#domain/subscriptions/session-subscriptions.ts";
import { sha256 } from "#lib/digest.ts";
import { parsePostUri, resourceNotFoundError, respondToResource, toPostUri, uriParams } from "../post-resources.ts";
import { findScopeProblem } from "../protocol/check-scope.ts";
import { createRejection, errorCodes } from "../protocol/messages.ts";
import type { Exchange, Method } from "../protocol/method.ts";
import type { Challenges } from "../transport/bearer-challenge.ts";
import { openEventStream } from "../transport/event-stream.ts";
import type { RequestAuthority } from "../transport/request-authority.ts";
import { respondSessionNotFound, respondWithRejection } from "../transport/response.ts";
import { sessionLifetime, type Session } from "../transport/session-id.ts";
import { streamLimitMessage, type StreamSlot, type StreamSlots } from "./stream-slots.ts";

const requiredScope = "studio:read";

export interface SessionStreams {
  methods: [string, Method][];
  /** Opens the event stream of a session. */
  open(req: IncomingMessage, res: ServerResponse, authority: RequestAuthority, session: Session): Promise<void>;
}

/**
 * Subscriptions of legacy protocol versions: `resources/subscribe`, `resources/unsubscribe`, and the event stream that a
 * GET opens. Each of these requests may reach another process, so the session's subscriptions are in the database.
 */
export function createSessionStreams(
  deps: Deps,
  feed: ChangeFeed,
  slots: StreamSlots,
  challenges: Challenges,
  countCall: (caller: Caller) => void,
): SessionStreams {
  const toSession = (sessionId: string, grantId: string): McpSession => ({
    idHash: sha256(sessionId),
    grantId,
    expiresAt: deps.clock() + sessionLifetime,
  });
  const createSubscriptionMethod = (
    changeSubscription: (caller: Caller, input: { session: McpSession; postId: string }) => Promise<void>,
  ): Method => ({
    era: "legacy",
    getRequiredScope: () => requiredScope,
    handle: (exchange) =>
      respondToResource(exchange, uriParams, async ({ uri }) => {
        const postId = parsePostUri(uri);
        if (postId === undefined) throw resourceNotFoundError(exchange.era, uri);
        const session = toSession(requireSessionId(exchange), exchange.authentication.grantId);
        await changeSubscription(exchange.caller, { session, postId });
        feed.receive(`session:${session.idHash}`);
        return {};
      }),
  });
  return {
    methods: [
      [
        "resources/subscribe",
        createSubscriptionMethod(async (caller, input) => {
          if (await subscribeSession(deps, caller, input)) return;
          throw new ProtocolError(
            errorCodes.httpError,
            `Subscription limit reached: a session can follow ${maxSubscribedPosts} posts. Call resources/unsubscribe first.`,
          );
        }),
      ],
      ["resources/unsubscribe", createSubscriptionMethod((caller, input) => unsubscribeSession(deps, caller, input))],
    ],
    async open(req, res, { authentication, memberships, sessionId = "" }, { studioId }) {
      const { grantId, scopes, tokenHash, user } = authentication;
      const reject = (status: number, message: string, headers?: Record<string, string>): void =>
        respondWithRejection(req, res, createRejection(status, errorCodes.httpError, message), headers);
      // A user who left the session's studio acts on another one, but the subscriptions are for posts of the first.
      if (memberships.current.studio.id !== studioId) return respondSessionNotFound(req, res);
      const problem = findScopeProblem(requiredScope, scopes, challenges);
      if (problem) return respondWithRejection(req, res, problem.rejection, problem.headers);
      if (slots.isClosed) return reject(503, "The server is shutting down.", { "retry-after": "1" });
      const caller = toCaller(authentication, memberships.current);
      countCall(caller);
      const slot = slots.take(grantId, user.id);
      if (!slot) return reject(429, streamLimitMessage);
      const session = toSession(sessionId, grantId);
      const streamId = deps.newSecret();
      try {
        const posts = await openSessionStream(deps, caller, { session, streamId });
        const identity = {
          tokenHash,
          userId: user.id,
          studioId,
          session: { idHash: session.idHash, streamId },
        };
        startStream(res, slot, identity, posts);
      } catch (error) {
        slot.release();
        throw error;
      }
    },
  };

  function startStream(
    res: ServerResponse,
    slot: StreamSlot,
    identity: Omit<Subscriber, "announce" | "end">,
    posts: SubscribedPosts,
  ): void {
    const stream = openEventStream(res);
    slot.end = () => stream.end();
    const removeFromFeed = feed.add(
      { ...identity, announce: (postId) => stream.send(formatUpdate(postId)), end: slot.end },
      posts,
    );
    stream.onClose(() => {
      removeFromFeed();
      slot.release();
    });
    if (slots.isClosed) slot.end();
  }
}

const formatUpdate = (postId: string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: toPostUri(postId) },
  });

function requireSessionId({ sessionId, method }: Exchange): string {
  if (sessionId !== undefined) return sessionId;
  throw new ProtocolError(
    errorCodes.invalidRequest,
    `${method} requires a session: call initialize and send its Mcp-Session-Id header`,
  );
}
