import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deleteAsset, restoreFromTrash, updateAsset } from "../api/mutations.ts";
import { refreshQueries, type Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { maxTags } from "../tags/add-tags.ts";
import { useToast } from "../ui/Toasts.tsx";
import { attachOrCopy, removeAdded } from "./attach-or-copy.ts";
import { countFiles } from "./labels.ts";
import { runBulk, type BulkFailure, type BulkResult } from "../bulk/run-bulk.ts";

interface BulkReport {
  title: string;
  failures: readonly BulkFailure<Asset>[];
}

interface BulkActionsState {
  /** What is running, such as "Moving 3 of 12…". */
  progress: { label: string; total: number } | undefined;
  /** Why some files were not changed. */
  report: BulkReport | undefined;
  closeReport: () => void;
  moveToTrash: (assets: readonly Asset[]) => Promise<BulkOutcome>;
  changeTags: (assets: readonly Asset[], change: TagChange) => Promise<BulkOutcome>;
  addToPost: (assets: readonly Asset[], post: { id: string; title: string }) => Promise<BulkOutcome>;
}

export interface TagChange {
  addedTags: readonly string[];
  removedTags: readonly string[];
}

/** The files that were not changed. */
type BulkOutcome = readonly Asset[];

const parallelRequests = 4;

/** Actions on several files. Each ends with a toast that offers Undo, and a report if some files failed. */
export function useBulkActions(): BulkActionsState {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const [progress, setProgress] = useState<BulkActionsState["progress"]>();
  const [report, setReport] = useState<BulkReport>();

  async function run<Item, Result>(
    items: readonly Item[],
    verb: string,
    action: (item: Item) => Promise<Result>,
    parallel = parallelRequests,
  ): Promise<BulkResult<Item, Result>> {
    const total = items.length;
    const onProgress = (finished: number) => setProgress({ label: `${verb} ${finished} of ${total}…`, total });
    onProgress(0);
    try {
      return await runBulk(items, action, { parallel, onProgress });
    } finally {
      await refreshQueries(queryClient, studio.id);
      setProgress(undefined);
    }
  }

  async function undo<Item>(items: readonly Item[], action: (item: Item) => Promise<unknown>): Promise<void> {
    const { done, failures } = await run(items, "Undoing", action);
    const [failure] = failures;
    showToast({
      text: failure
        ? `${countFiles(failures.length)} couldn’t be changed back. ${failure.message}`
        : `Undone for ${countFiles(done.length)}.`,
    });
  }

  function finish<Result>(
    { done, failures }: BulkResult<Asset, Result>,
    text: string,
    failureText: string,
    revert: (entry: { item: Asset; result: Result }) => Promise<unknown>,
  ): BulkOutcome {
    if (done.length > 0) showToast({ text, action: { label: "Undo", run: () => void undo(done, revert) } });
    if (failures.length > 0) setReport({ title: `${countFiles(failures.length)} ${failureText}`, failures });
    return failures.map(({ item }) => item);
  }

  return {
    progress,
    report,
    closeReport: () => setReport(undefined),
    async moveToTrash(assets) {
      const usedAssets = assets.filter(({ postId }) => postId !== null);
      const unusedAssets = assets.filter(({ postId }) => postId === null);
      const result = await run(unusedAssets, "Moving", ({ id }) => deleteAsset(studio.id, id));
      const message = "It is used in a post. Remove it from the post first.";
      result.failures.push(...usedAssets.map((item) => ({ item, message })));
      return finish(
        result,
        `Moved ${countFiles(result.done.length)} to the trash.`,
        "not moved to the trash",
        ({ item }) => restoreFromTrash(studio.id, item.id),
      );
    },
    async changeTags(assets, change) {
      const changes = assets
        .map((item) => ({ item, tags: applyTagChange(item.tags ?? [], change) }))
        .filter(({ item, tags }) => tags.join() !== (item.tags ?? []).join());
      const tooMany = changes.filter(({ tags }) => tags.length > maxTags);
      const { done, failures } = await run(
        changes.filter((entry) => !tooMany.includes(entry)),
        "Tagging",
        ({ item, tags }) => updateAsset(studio.id, item.id, { tags }),
      );
      const message = `It would have more than ${maxTags} tags. Remove some first.`;
      return finish(
        {
          done: done.map(({ item: { item }, result }) => ({ item, result })),
          failures: [
            ...failures.map((failure) => ({ ...failure, item: failure.item.item })),
            ...tooMany.map(({ item }) => ({ item, message })),
          ],
        },
        `Changed the tags of ${countFiles(done.length)}.`,
        "not tagged",
        ({ item }) => updateAsset(studio.id, item.id, { tags: item.tags ?? [] }),
      );
    },
    async addToPost(assets, post) {
      // One after another, so that the post has the files in the order of the selection.
      const result = await run(assets, "Adding", (asset) => attachOrCopy(studio.id, post.id, asset), 1);
      const count = result.done.length;
      return finish(result, `Added ${countFiles(count)} to “${post.title}”.`, "not added", ({ result: added }) =>
        removeAdded(studio.id, post.id, added),
      );
    },
  };
}

const applyTagChange = (tags: readonly string[], { addedTags, removedTags }: TagChange): string[] => [
  ...new Set([...tags.filter((tag) => !removedTags.includes(tag)), ...addedTags]),
];
