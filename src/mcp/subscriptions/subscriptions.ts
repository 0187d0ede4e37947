import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createChangeFeed, type ChangeFeed } from "#domain/subscriptions/change-feed.ts";
import type { Log } from "#lib/log.ts";
import type { Method } from "../protocol/method.ts";
import type { Challenges } from "../transport/bearer-challenge.ts";
import { createListenMethod } from "./listen.ts";
import { createSessionStreams, type SessionStreams } from "./session-streams.ts";
import { createStreamSlots, type StreamSlots } from "./stream-slots.ts";

export interface Subscriptions {
  methods: [string, Method][];
  isStreamRequest: SessionStreams["isStreamRequest"];
  openSessionStream: SessionStreams["open"];
  feed: ChangeFeed;
  /** All streams of the process share the same limits. */
  slots: StreamSlots;
}

export interface SubscriptionOptions {
  deps: Deps;
  log: Log;
  challenges: Challenges;
  countCall: (caller: Caller) => void;
}

/** Announces changes of posts to clients of all protocol versions. */
export function createSubscriptions({ log, ...options }: SubscriptionOptions): Subscriptions {
  const feed = createChangeFeed(options.deps, log);
  const slots = createStreamSlots();
  const sessionStreams = createSessionStreams({ ...options, feed, slots });
  return {
    methods: [["subscriptions/listen", createListenMethod({ ...options, feed, slots })], ...sessionStreams.methods],
    isStreamRequest: sessionStreams.isStreamRequest,
    openSessionStream: sessionStreams.open,
    feed,
    slots,
  };
}
