/** An open stream that announces changes of posts. */
export interface PostWatcher {
  readonly studioId: string;
  postIds: Set<string>;
  /** Posts that changed and were not announced yet. */
  pendingIds: Set<string>;
}

interface WatchedPost<Watcher> {
  /** The last version that was seen. */
  version: string;
  watchers: Set<Watcher>;
  /** Undefined until it is read; null if the post was deleted before it was read. */
  studioId?: string | null;
}

/** The posts that streams of this process watch. All watchers of a post share one entry with its last version. */
export interface WatchedPosts<Watcher extends PostWatcher> {
  /** Lists all posts, or those that may be of this studio, including posts whose studio was not read yet. */
  listIds(studioId?: string): string[];
  has(postId: string): boolean;
  /** `version` is what the client may have seen; if the post has changed since then, it becomes pending. */
  watch(watcher: Watcher, postId: string, version: string): void;
  unwatch(watcher: Watcher, postId: string): void;
  /** Makes the post pending for all of its watchers if the version is new. A deleted post has no studio. */
  update(postId: string, version: string, studioId: string | undefined): void;
  /** Removes and returns the watcher's pending posts. Leaves out posts of other studios. */
  takePending(watcher: Watcher): string[];
}

export function createWatchedPosts<Watcher extends PostWatcher>(): WatchedPosts<Watcher> {
  const posts = new Map<string, WatchedPost<Watcher>>();
  return {
    listIds: (studioId) =>
      [...posts]
        .filter(([, post]) => studioId === undefined || (post.studioId ?? studioId) === studioId)
        .map(([postId]) => postId),
    has: (postId) => posts.has(postId),
    watch(watcher, postId, version) {
      const post = posts.get(postId) ?? { version, watchers: new Set() };
      if (post.version !== version) watcher.pendingIds.add(postId);
      post.watchers.add(watcher);
      watcher.postIds.add(postId);
      posts.set(postId, post);
    },
    unwatch(watcher, postId) {
      const post = posts.get(postId);
      post?.watchers.delete(watcher);
      if (post?.watchers.size === 0) posts.delete(postId);
      watcher.postIds.delete(postId);
      watcher.pendingIds.delete(postId);
    },
    update(postId, version, studioId) {
      const post = posts.get(postId);
      if (!post) return;
      post.studioId = studioId ?? post.studioId ?? null;
      if (post.version === version) return;
      post.version = version;
      for (const watcher of post.watchers) watcher.pendingIds.add(postId);
    },
    takePending(watcher) {
      const takenIds: string[] = [];
      for (const postId of watcher.pendingIds) {
        const studioId = posts.get(postId)?.studioId;
        if (studioId === undefined) continue; // stays pending until the studio is read
        watcher.pendingIds.delete(postId);
        if (studioId === null || studioId === watcher.studioId) takenIds.push(postId);
      }
      return takenIds;
    },
  };
}
