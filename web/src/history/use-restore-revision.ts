import { useQueryClient } from "@tanstack/react-query";
import { describeError } from "../api/api-error.ts";
import { restoreRevision } from "../api/mutations.ts";
import { postQuery, refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { DraftController } from "../posts/use-draft.ts";
import { useToast } from "../ui/Toasts.tsx";

export type MissingAsset = Awaited<ReturnType<typeof restoreRevision>>["missingAssets"][number];

/**
 * Restores a revision of the open post; a toast offers Undo. With `onlyIfCurrent`, does nothing if the post has another
 * current revision by then.
 */
export function useRestoreRevision(
  controller: DraftController,
  onMissingAssets: (assets: readonly MissingAsset[]) => void,
): (revision: number, onlyIfCurrent?: number) => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const postId = controller.base.id;

  /** Returns the number of the revision that was current before. */
  async function restore(revision: number): Promise<number> {
    const { missingAssets, ...post } = await restoreRevision(studio.id, postId, revision);
    controller.accept(post);
    onMissingAssets(missingAssets);
    await refreshQueries(queryClient, studio.id);
    return post.revision - 1;
  }

  async function readCurrentRevision(): Promise<number | undefined> {
    const { queryKey } = postQuery(studio.id, postId);
    await queryClient.refetchQueries({ queryKey });
    return queryClient.getQueryData(queryKey)?.revision;
  }

  return async (revision, onlyIfCurrent) => {
    await controller.save();
    if (onlyIfCurrent !== undefined && (await readCurrentRevision()) !== onlyIfCurrent) {
      showToast({ text: "The post has changed in the meantime. Nothing was undone." });
      return;
    }
    const previousRevision = await restore(revision);
    const undo = (): void =>
      void restore(previousRevision).then(
        () => showToast({ text: "Restore undone." }),
        (error: unknown) => {
          const { message, hint } = describeError(error);
          showToast({ text: `${message} ${hint}` });
        },
      );
    showToast({ text: `Revision ${revision} restored.`, action: { label: "Undo", run: undo } });
  };
}

const reasonLabels: Record<MissingAsset["reason"], string> = {
  deleted: "deleted for good",
  on_another_post: "on another post now",
  post_full: "the post is full",
};

export const describeMissingAssets = (assets: readonly MissingAsset[]): string =>
  `Restored without ${assets.map(({ filename, reason }) => `${filename} (${reasonLabels[reason]})`).join(", ")}.`;
