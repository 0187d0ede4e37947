import { useRef, useState } from "react";
import { inBatch } from "../api/change.ts";
import { attachAsset, deleteAsset, detachAsset, updateAsset } from "../api/mutations.ts";
import type { Asset, Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mergeOrder } from "../media/merge-order.ts";
import { maxTags } from "../tags/parse-new-tags.ts";
import { ensureRestored } from "../trash/ensure-restored.ts";
import { useToast } from "../ui/Toasts.tsx";
import { attachOrCopy, undoAttachOrCopy } from "./attach-or-copy.ts";
import { formatFileCount } from "./labels.ts";
import { runBulk, type BulkFailure, type BulkResult } from "../bulk/run-bulk.ts";

interface BulkReport {
  title: string;
  failures: readonly BulkFailure<Asset>[];
}

export interface BulkActionsState {
  /** The running action, with a label such as "Moving 3 of 12…". */
  progress: { label: string; totalCount: number } | undefined;
  /** Why some files were not changed. */
  report: BulkReport | undefined;
  closeReport: () => void;
  moveToTrash: (assets: readonly Asset[]) => Promise<UnchangedAssets>;
  changeTags: (assets: readonly Asset[], change: TagChange) => Promise<UnchangedAssets>;
  addToPost: (assets: readonly Asset[], post: { id: string; title: string }) => Promise<UnchangedAssets>;
  /** Undo puts the files back at their positions. `postName` is for the toast, if the post is not the open one. */
  removeFromPost: (
    assets: readonly Asset[],
    post: Pick<Post, "id" | "assets">,
    postName?: string,
  ) => Promise<UnchangedAssets>;
}

export interface TagChange {
  addedTags: readonly string[];
  removedTags: readonly string[];
}

type UnchangedAssets = readonly Asset[];

const defaultConcurrency = 4;

/** Actions on several files. Each ends with a toast that offers Undo, and a report if some files failed. */
export function useBulkActions(): BulkActionsState {
  const { studio } = useStudio();
  const showToast = useToast();
  const [progress, setProgress] = useState<BulkActionsState["progress"]>();
  const [report, setReport] = useState<BulkReport>();
  /** By post, the order of its files, with those removed earlier, so that Undo can restore each at its position. */
  const lastOrders = useRef(new Map<string, readonly string[]>());

  async function run<Item, Result>(
    items: readonly Item[],
    verb: string,
    action: (item: Item) => Promise<Result>,
    concurrency = defaultConcurrency,
  ): Promise<BulkResult<Item, Result>> {
    const totalCount = items.length;
    const onProgress = (finishedCount: number) =>
      setProgress({ label: `${verb} ${finishedCount} of ${totalCount}…`, totalCount });
    onProgress(0);
    try {
      return await inBatch(() => runBulk(items, action, { concurrency, onProgress }));
    } finally {
      setProgress(undefined);
    }
  }

  async function undo<Item>(items: readonly Item[], action: (item: Item) => Promise<unknown>): Promise<void> {
    const { successes, failures } = await run(items, "Undoing", action);
    const [failure] = failures;
    showToast({
      text: failure
        ? `${formatFileCount(failures.length)} couldn’t be changed back. ${failure.message}`
        : `Undone for ${formatFileCount(successes.length)}.`,
    });
  }

  function showResult<Result>(
    { successes, failures }: BulkResult<Asset, Result>,
    successText: string,
    failureText: string,
    revert: (entry: { item: Asset; result: Result }) => Promise<unknown>,
  ): UnchangedAssets {
    if (successes.length > 0)
      showToast({ text: successText, action: { label: "Undo", run: () => void undo(successes, revert) } });
    if (failures.length > 0) setReport({ title: `${formatFileCount(failures.length)} ${failureText}`, failures });
    return failures.map(({ item }) => item);
  }

  return {
    progress,
    report,
    closeReport: () => setReport(undefined),
    async moveToTrash(assets) {
      const usedAssets = assets.filter(({ postId }) => postId !== null);
      const unusedAssets = assets.filter(({ postId }) => postId === null);
      const result = await run(unusedAssets, "Moving", ({ id }) => deleteAsset({ studioId: studio.id, assetId: id }));
      const message = "It is used in a post. Remove it from the post first.";
      result.failures.push(...usedAssets.map((item) => ({ item, message })));
      return showResult(
        result,
        `Moved ${formatFileCount(result.successes.length)} to the trash.`,
        "not moved to the trash",
        ({ item }) => ensureRestored(studio.id, item.id),
      );
    },
    async changeTags(assets, change) {
      const changes = assets
        .map((item) => ({ item, tags: applyTagChange(item.tags ?? [], change) }))
        .filter(({ item, tags }) => tags.join() !== (item.tags ?? []).join());
      const changesOverLimit = changes.filter(({ tags }) => tags.length > maxTags);
      const { successes, failures } = await run(
        changes.filter((entry) => !changesOverLimit.includes(entry)),
        "Tagging",
        ({ item, tags }) => updateAsset({ studioId: studio.id, assetId: item.id }, { tags }),
      );
      const message = `It would have more than ${maxTags} tags. Remove some first.`;
      return showResult(
        {
          successes: successes.map(({ item: { item }, result }) => ({ item, result })),
          failures: [
            ...failures.map((failure) => ({ ...failure, item: failure.item.item })),
            ...changesOverLimit.map(({ item }) => ({ item, message })),
          ],
        },
        `Changed the tags of ${formatFileCount(successes.length)}.`,
        "not tagged",
        ({ item }) => updateAsset({ studioId: studio.id, assetId: item.id }, { tags: item.tags ?? [] }),
      );
    },
    async addToPost(assets, post) {
      // One after another, so that the post has the files in the order of the selection.
      const result = await run(assets, "Adding", (asset) => attachOrCopy(studio.id, post.id, asset), 1);
      const count = result.successes.length;
      return showResult(
        result,
        `Added ${formatFileCount(count)} to “${post.title}”.`,
        "not added",
        ({ result: addedAsset }) => undoAttachOrCopy(studio.id, post.id, addedAsset),
      );
    },
    async removeFromPost(assets, post, postName = "the post") {
      const order = mergeOrder(
        lastOrders.current.get(post.id) ?? [],
        post.assets.map(({ id }) => id),
      );
      lastOrders.current.set(post.id, order);
      const result = await run(assets, "Removing", ({ id }) =>
        detachAsset({ studioId: studio.id, postId: post.id, assetId: id }),
      );
      const [firstSuccess, ...otherSuccesses] = result.successes;
      const removedFiles =
        firstSuccess && otherSuccesses.length === 0
          ? firstSuccess.item.filename
          : formatFileCount(result.successes.length);
      return showResult(
        result,
        `Removed ${removedFiles} from ${postName}. Still in your library.`,
        `not removed from ${postName}`,
        ({ item }) => attachAsset({ studioId: studio.id, postId: post.id, assetId: item.id }, { order }),
      );
    },
  };
}

const applyTagChange = (tags: readonly string[], { addedTags, removedTags }: TagChange): string[] => [
  ...new Set([...tags.filter((tag) => !removedTags.includes(tag)), ...addedTags]),
];
