import { setImmediate as nextIteration } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { SubscribedPosts, TokenAccess } from "../ports/subscriptions.ts";
import { createWatchedPosts, type PostWatcher } from "./watched-posts.ts";

/** An open event stream of a client. */
export interface Subscriber {
  readonly tokenHash: string;
  readonly userId: string;
  /** Only posts of this studio are announced. */
  readonly studioId: string;
  /** The session of a 2025 protocol version, whose subscriptions can change while the stream is open. */
  readonly session?: { readonly idHash: string; readonly streamId: string };
  announce(postId: string): void;
  /** Ends the stream: its token or access ended, or a newer stream of its session replaced it. */
  end(): void;
}

export interface ChangeFeed {
  /** Announces changes of these posts until the returned function is called or the subscriber ends. */
  add(subscriber: Subscriber, posts: SubscribedPosts): () => void;
  /** Receives a notification of the database: `post:<id>`, `studio:<id>`, `user:<id>` or `session:<digest>`. */
  receive(change: string): void;
  /** Whether a stream is open. If not, `receive` ignores notifications. */
  hasStreams(): boolean;
  /** Sets whether `receive` gets all notifications from now on. Otherwise, every poll asks the database for changes. */
  setNotificationsReliable(areReliable: boolean): void;
}

/** Notifications that arrive within this time share one check, so many changes cost few queries. */
const coalesceMs = 50;
const pollMs = 500;
/** While notifications arrive, every 20th poll checks all streams and posts, in case notifications were lost. */
const pollsPerFullCheck = 20;
/** The most posts or tokens per query, and the most streams per iteration of the event loop. */
const batchSize = 500;

interface Stream extends PostWatcher {
  subscriber: Subscriber;
  /** When the token expires; known after the first check. */
  expiresAt: number;
}

interface Changes {
  /** Whether anything may have changed. If so, everything is checked, and the other fields have no effect. */
  mayBeAnything: boolean;
  postIds: Set<string>;
  userIds: Set<string>;
  sessionHashes: Set<string>;
}

const createChanges = (): Changes => ({
  mayBeAnything: false,
  postIds: new Set(),
  userIds: new Set(),
  sessionHashes: new Set(),
});

/**
 * Finds changed posts for all streams of this process together: the number of queries depends on the posts, tokens and
 * sessions, not on the number of streams. Queries run after a change, and now and then in case a notification was lost.
 * Access is checked again before anything is sent. Without streams, the feed does nothing.
 */
export function createChangeFeed(deps: Pick<Deps, "subscriptions" | "clock" | "baseUrl">, log: Log): ChangeFeed {
  const audience = `${deps.baseUrl}/mcp`;
  const streams = new Set<Stream>();
  const watchedPosts = createWatchedPosts<Stream>();
  let changes = createChanges();
  let areNotificationsReliable = false;
  let isChecking = false;
  let isFailing = false;
  let lastMarker: number | undefined;
  let pollCount = 0;
  let checkTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  return {
    add(subscriber, posts) {
      const { studioId } = subscriber;
      const stream: Stream = {
        subscriber,
        studioId,
        postIds: new Set(),
        pendingIds: new Set(),
        expiresAt: Infinity,
      };
      streams.add(stream);
      pollTimer ??= setInterval(poll, pollMs).unref();
      setPosts(stream, posts);
      changes.userIds.add(subscriber.userId);
      if (subscriber.session) changes.sessionHashes.add(subscriber.session.idHash);
      scheduleCheck();
      return () => remove(stream);
    },
    receive(change) {
      if (streams.size === 0) return;
      const separator = change.indexOf(":");
      const id = change.slice(separator + 1);
      const kind = change.slice(0, separator);
      if (kind === "post" && watchedPosts.has(id)) changes.postIds.add(id);
      else if (kind === "studio") for (const postId of watchedPosts.listIds(id)) changes.postIds.add(postId);
      else if (kind === "user") changes.userIds.add(id);
      else if (kind === "session") changes.sessionHashes.add(id);
      else return;
      scheduleCheck();
    },
    hasStreams: () => streams.size > 0,
    setNotificationsReliable(areReliable) {
      areNotificationsReliable = areReliable;
      checkAll();
    },
  };

  function setPosts(stream: Stream, posts: SubscribedPosts): void {
    for (const postId of stream.postIds) if (!posts.has(postId)) watchedPosts.unwatch(stream, postId);
    for (const [postId, version] of posts) {
      if (stream.postIds.has(postId)) continue;
      watchedPosts.watch(stream, postId, version);
      changes.postIds.add(postId);
    }
  }

  function remove(stream: Stream): void {
    if (!streams.delete(stream)) return;
    for (const postId of stream.postIds) watchedPosts.unwatch(stream, postId);
    if (streams.size > 0) return;
    clearInterval(pollTimer);
    pollTimer = undefined;
  }

  function endStream(stream: Stream): void {
    remove(stream);
    stream.subscriber.end();
  }

  function poll(): void {
    const now = deps.clock();
    for (const stream of streams) if (stream.expiresAt <= now) endStream(stream);
    pollCount++;
    if (changes.mayBeAnything || (areNotificationsReliable && pollCount % pollsPerFullCheck === 0)) checkAll();
    else if (!areNotificationsReliable) void checkIfCommitted();
  }

  /** Checks everything if any process has committed since the last poll, or if the database has no commit marker. */
  async function checkIfCommitted(): Promise<void> {
    const marker = await deps.subscriptions.getCommitMarker().catch(() => undefined);
    if (marker !== undefined && marker === lastMarker) return;
    lastMarker = marker;
    checkAll();
  }

  function checkAll(): void {
    if (streams.size === 0) return;
    changes.mayBeAnything = true;
    scheduleCheck();
  }

  function scheduleCheck(): void {
    if (isChecking) return; // `runCheck` schedules the next check when the current one ends
    checkTimer ??= setTimeout(() => void runCheck(), coalesceMs).unref();
  }

  async function runCheck(): Promise<void> {
    checkTimer = undefined;
    isChecking = true;
    const currentChanges = changes;
    changes = createChanges();
    let hasFailed = false;
    try {
      await check(currentChanges);
      if (isFailing) log.info("changes of posts are announced again");
    } catch (error) {
      hasFailed = true;
      if (!isFailing) log.error({ err: error }, "failed to check for changes of posts; will retry");
      changes.mayBeAnything = true; // the next poll checks everything
    }
    isFailing = hasFailed;
    isChecking = false;
    const { mayBeAnything, postIds, userIds, sessionHashes } = changes;
    if (!hasFailed && (mayBeAnything || postIds.size + userIds.size + sessionHashes.size > 0)) scheduleCheck();
  }

  async function check({ mayBeAnything, postIds, userIds, sessionHashes }: Changes): Promise<void> {
    await updateSessions((idHash) => mayBeAnything || sessionHashes.has(idHash));
    const changedIds = mayBeAnything
      ? watchedPosts.listIds()
      : [...postIds].filter((postId) => watchedPosts.has(postId));
    for (const batch of toBatches(changedIds)) {
      const versions = await deps.subscriptions.findVersions(batch);
      for (const postId of batch) {
        const { version = "deleted", studioId } = versions.get(postId) ?? {};
        watchedPosts.update(postId, version, studioId);
      }
    }
    const isAffected = ({ pendingIds, subscriber }: Stream): boolean =>
      mayBeAnything || pendingIds.size > 0 || userIds.has(subscriber.userId);
    for (const batch of toBatches([...streams].filter(isAffected))) {
      await deliver(batch);
      await nextIteration();
    }
  }

  async function updateSessions(isChanged: (idHash: string) => boolean): Promise<void> {
    const sessionStreams = [...streams].filter(({ subscriber: { session } }) => session && isChanged(session.idHash));
    for (const batch of toBatches(sessionStreams)) {
      const idHashes = batch.map(({ subscriber }) => subscriber.session?.idHash ?? "");
      const sessions = await deps.subscriptions.findSessions([...new Set(idHashes)]);
      for (const stream of batch) {
        if (!streams.has(stream)) continue;
        const { idHash = "", streamId } = stream.subscriber.session ?? {};
        const storedSession = sessions.get(idHash);
        if (storedSession && storedSession.streamId !== streamId) endStream(stream);
        else setPosts(stream, storedSession?.posts ?? new Map());
      }
    }
  }

  /** Announces the pending posts of these streams. Ends the streams that no longer have access. */
  async function deliver(batch: readonly Stream[]): Promise<void> {
    const tokenHashes = [...new Set(batch.map(({ subscriber }) => subscriber.tokenHash))];
    const accessByToken = await deps.subscriptions.findAccess(tokenHashes, audience, deps.clock());
    for (const stream of batch) {
      if (!streams.has(stream)) continue;
      const { subscriber } = stream;
      const access = accessByToken.get(subscriber.tokenHash);
      if (!access || !hasAccess(subscriber, access)) {
        endStream(stream);
        continue;
      }
      stream.expiresAt = access.expiresAt;
      for (const postId of watchedPosts.takePending(stream)) subscriber.announce(postId);
    }
  }
}

/** A session keeps its studio. A stream without a session ends when the grant moves to another studio. */
const hasAccess = ({ session, studioId }: Subscriber, { grantStudioId, studioIds }: TokenAccess): boolean =>
  session ? studioIds.has(studioId) : grantStudioId === studioId;

function* toBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batchSize) yield items.slice(from, from + batchSize);
}
