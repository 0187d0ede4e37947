import { useState } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import { runBulk, type BulkFailure } from "../../bulk/run-bulk.ts";
import { restoreFocusSoon } from "../../ui/restore-focus.ts";
import { useToast } from "../../ui/Toasts.tsx";
import { usePostChanges, type PostChange, type PostChanges } from "../use-post-changes.ts";

/** The most posts that one action can change: each one is a request. */
export const maxBulkPosts = 100;

export interface BulkProgress {
  done: number;
  total: number;
}

interface ChangedPost {
  post: PostSummary;
  changedPost: PostSummary | undefined;
}

export interface BulkChanges {
  changes: PostChanges;
  /** Undefined if no action is running. */
  progress: BulkProgress | undefined;
  /** The posts that the last action could not change. */
  failures: readonly BulkFailure<PostSummary>[];
  dismissFailures: () => void;
  run: (
    posts: readonly PostSummary[],
    change: PostChange,
    /** Returns the text of the toast; `postCount` is such as "3 posts". */
    describeResult: (postCount: string) => string,
  ) => Promise<void>;
}

const formatCount = (count: number): string => (count === 1 ? "1 post" : `${count} posts`);

/**
 * Changes several posts, one after another. A failure does not stop the others; a toast offers Undo for the changed
 * posts.
 */
export function useBulkChanges(): BulkChanges {
  const changes = usePostChanges();
  const showToast = useToast();
  const [progress, setProgress] = useState<BulkProgress>();
  const [failures, setFailures] = useState<readonly BulkFailure<PostSummary>[]>([]);

  /** One after another: each change of a post is a revision, and the server limits requests. */
  async function runForEach<Item extends { post: PostSummary }>(
    items: readonly Item[],
    apply: (item: Item) => Promise<PostSummary | undefined>,
  ): Promise<{ changedPosts: ChangedPost[]; failedPosts: BulkFailure<PostSummary>[] }> {
    const total = items.length;
    setFailures([]);
    setProgress({ done: 0, total });
    const { successes, failures: failedItems } = await runBulk(items, apply, {
      parallel: 1,
      onProgress: (doneCount) => setProgress({ done: doneCount, total }),
    });
    const changedPosts = successes.map(({ item: { post }, result }) => ({ post, changedPost: result }));
    const failedPosts = failedItems.map(({ item: { post }, message }) => ({ item: post, message }));
    await changes.show(new Map(changedPosts.map(({ post, changedPost }) => [post.id, changedPost])));
    setProgress(undefined);
    setFailures(failedPosts);
    // The selected rows, and with them the focused button, may be gone.
    restoreFocusSoon();
    void changes.refresh();
    return { changedPosts, failedPosts };
  }

  async function undo(changedPosts: readonly ChangedPost[], change: PostChange): Promise<void> {
    const { changedPosts: revertedPosts, failedPosts } = await runForEach(changedPosts, ({ post, changedPost }) =>
      change.revert(post, changedPost),
    );
    const [failure] = failedPosts;
    showToast({
      text: failure
        ? `${formatCount(failedPosts.length)} couldn’t be changed back. ${failure.message}`
        : `Undone for ${formatCount(revertedPosts.length)}.`,
    });
  }

  return {
    changes,
    progress,
    failures,
    dismissFailures: () => setFailures([]),
    run: async (posts, change, describeResult) => {
      const items = posts.slice(0, maxBulkPosts).map((post) => ({ post }));
      const { changedPosts } = await runForEach(items, ({ post }) => change.apply(post));
      if (changedPosts.length === 0) return;
      showToast({
        text: describeResult(formatCount(changedPosts.length)),
        action: { label: "Undo", run: () => void undo(changedPosts, change) },
      });
    },
  };
}
