import { useState } from "react";
import { inBatch } from "../../api/change.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { runBulk, type BulkFailure } from "../../bulk/run-bulk.ts";
import { restoreFocusSoon } from "../../ui/restore-focus.ts";
import { useToast } from "../../ui/Toasts.tsx";
import { usePostChanges, type PostChange, type PostChanges } from "../use-post-changes.ts";

/** The most posts that one action can change, because each change is a request. */
export const maxBulkPosts = 100;

export interface BulkProgress {
  doneCount: number;
  totalCount: number;
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
    /** Returns the text of the toast; `countedPosts` is a text such as "3 posts". */
    describeResult: (countedPosts: string) => string,
  ) => Promise<void>;
}

const formatPostCount = (count: number): string => (count === 1 ? "1 post" : `${count} posts`);

/**
 * Changes several posts, one after another. If one fails, the others are still changed. A toast offers Undo for the
 * changed posts.
 */
export function useBulkChanges(): BulkChanges {
  const changes = usePostChanges();
  const showToast = useToast();
  const [progress, setProgress] = useState<BulkProgress>();
  const [failures, setFailures] = useState<readonly BulkFailure<PostSummary>[]>([]);

  /** Runs one request at a time, because the server limits requests. */
  async function runForEach<Item extends { post: PostSummary }>(
    items: readonly Item[],
    apply: (item: Item) => Promise<PostSummary | undefined>,
  ): Promise<{ changedPosts: ChangedPost[]; failedPosts: BulkFailure<PostSummary>[] }> {
    const totalCount = items.length;
    setFailures([]);
    setProgress({ doneCount: 0, totalCount });
    const { successes, failures: failedItems } = await runBulk(items, apply, {
      onProgress: (doneCount) => setProgress({ doneCount, totalCount }),
    });
    const changedPosts = successes.map(({ item: { post }, result }) => ({ post, changedPost: result }));
    const failedPosts = failedItems.map(({ item: { post }, message }) => ({ item: post, message }));
    await changes.show(new Map(changedPosts.map(({ post, changedPost }) => [post.id, changedPost])));
    setProgress(undefined);
    setFailures(failedPosts);
    // The selected rows may be gone, and with them the bar whose button had the focus.
    restoreFocusSoon();
    return { changedPosts, failedPosts };
  }

  const undo = (changedPosts: readonly ChangedPost[], change: PostChange): Promise<void> =>
    inBatch(async () => {
      const { changedPosts: revertedPosts, failedPosts } = await runForEach(changedPosts, ({ post, changedPost }) =>
        change.revert(post, changedPost),
      );
      const [failure] = failedPosts;
      showToast({
        text: failure
          ? `${formatPostCount(failedPosts.length)} couldn’t be changed back. ${failure.message}`
          : `Undone for ${formatPostCount(revertedPosts.length)}.`,
      });
    });

  return {
    changes,
    progress,
    failures,
    dismissFailures: () => setFailures([]),
    run: (posts, change, describeResult) =>
      inBatch(async () => {
        const items = posts.slice(0, maxBulkPosts).map((post) => ({ post }));
        const { changedPosts } = await runForEach(items, ({ post }) => change.apply(post));
        if (changedPosts.length === 0) return;
        showToast({
          text: describeResult(formatPostCount(changedPosts.length)),
          action: { label: "Undo", run: () => void undo(changedPosts, change) },
        });
      }),
  };
}
