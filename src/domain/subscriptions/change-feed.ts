import type { Log } from "#lib/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { SubscribedPosts, TokenAccess } from "../ports/subscriptions.ts";
import { createCheckLoop, type NotifiedFeed, type StreamSubscriber, toBatches } from "./check-loop.ts";
import { createWatchedPosts, type PostWatcher } from "./watched-posts.ts";

/** An open event stream of a client. */
export interface Subscriber extends StreamSubscriber {
  /** The session of a 2025 protocol version, whose subscriptions can change while the stream is open. */
  readonly session?: { readonly idHash: string; readonly streamId: string };
  announce(postId: string): void;
}

export interface ChangeFeed extends NotifiedFeed {
  /** Announces changes of these posts until the returned function is called or the subscriber ends. */
  add(subscriber: Subscriber, posts: SubscribedPosts): () => void;
}

interface Stream extends PostWatcher {
  subscriber: Subscriber;
}

/**
 * Finds changed posts for all streams of this process together: the number of queries depends on the posts, tokens and
 * sessions, not on the number of streams. Receives `post:<id>`, `studio:<id>`, `user:<id>` and `session:<digest>`.
 */
export function createChangeFeed(deps: Pick<Deps, "subscriptions" | "clock" | "baseUrl">, log: Log): ChangeFeed {
  const audience = `${deps.baseUrl}/mcp`;
  const watchedPosts = createWatchedPosts<Stream>();
  let changedPostIds = new Set<string>();
  let changedSessionHashes = new Set<string>();
  const loop = createCheckLoop<Stream, TokenAccess>({
    deps,
    readChanges,
    hasSignals: () => changedPostIds.size + changedSessionHashes.size > 0,
    hasPending: ({ pendingIds }) => pendingIds.size > 0,
    findAccess: (tokenHashes, now) => deps.subscriptions.findAccess(tokenHashes, audience, now),
    // A session keeps its studio. A stream without a session ends when the grant moves to another studio.
    hasAccess: ({ session, studioId }, { grantStudioId, studioIds }) =>
      session ? studioIds.has(studioId) : grantStudioId === studioId,
    deliver(stream) {
      for (const postId of watchedPosts.takePending(stream)) stream.subscriber.announce(postId);
    },
    onRemove(stream) {
      for (const postId of stream.postIds) watchedPosts.unwatch(stream, postId);
    },
    log,
    subject: "changes of posts",
  });

  function setPosts(stream: Stream, posts: SubscribedPosts): void {
    for (const postId of stream.postIds) if (!posts.has(postId)) watchedPosts.unwatch(stream, postId);
    for (const [postId, version] of posts) {
      if (stream.postIds.has(postId)) continue;
      watchedPosts.watch(stream, postId, version);
      changedPostIds.add(postId);
    }
  }

  async function readChanges(mayBeAnything: boolean): Promise<void> {
    const [postIds, sessionHashes] = [changedPostIds, changedSessionHashes];
    changedPostIds = new Set();
    changedSessionHashes = new Set();
    await updateSessions((idHash) => mayBeAnything || sessionHashes.has(idHash));
    const watchedIds = mayBeAnything
      ? watchedPosts.listIds()
      : [...postIds].filter((postId) => watchedPosts.has(postId));
    for (const batch of toBatches(watchedIds)) {
      const versions = await deps.subscriptions.findVersions(batch);
      for (const postId of batch) {
        const { version = "deleted", studioId } = versions.get(postId) ?? {};
        watchedPosts.update(postId, version, studioId);
      }
    }
  }

  async function updateSessions(isChanged: (idHash: string) => boolean): Promise<void> {
    const sessionStreams = [...loop.streams.keys()].filter(
      ({ subscriber: { session } }) => session && isChanged(session.idHash),
    );
    for (const batch of toBatches(sessionStreams)) {
      const idHashes = batch.map(({ subscriber }) => subscriber.session?.idHash ?? "");
      const sessions = await deps.subscriptions.findSessions([...new Set(idHashes)]);
      for (const stream of batch) {
        if (!loop.streams.has(stream)) continue;
        const { idHash = "", streamId } = stream.subscriber.session ?? {};
        const storedSession = sessions.get(idHash);
        if (storedSession && storedSession.streamId !== streamId) loop.end(stream);
        else setPosts(stream, storedSession?.posts ?? new Map());
      }
    }
  }

  return {
    ...loop,
    add(subscriber, posts) {
      const stream = {
        subscriber,
        studioId: subscriber.studioId,
        postIds: new Set<string>(),
        pendingIds: new Set<string>(),
      };
      setPosts(stream, posts);
      if (subscriber.session) changedSessionHashes.add(subscriber.session.idHash);
      return loop.add(stream);
    },
    receive(change) {
      if (!loop.hasStreams()) return;
      const separator = change.indexOf(":");
      const id = change.slice(separator + 1);
      const kind = change.slice(0, separator);
      if (kind === "user") return loop.signalUser(id);
      if (kind === "post" && watchedPosts.has(id)) changedPostIds.add(id);
      else if (kind === "studio") for (const postId of watchedPosts.listIds(id)) changedPostIds.add(postId);
      else if (kind === "session") changedSessionHashes.add(id);
      else return;
      loop.schedule();
    },
  };
}
