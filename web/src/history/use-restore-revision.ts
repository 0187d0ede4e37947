import { useQueryClient } from "@tanstack/react-query";
import { describeError } from "../api/api-error.ts";
import { restoreRevision } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { DraftController } from "../posts/use-draft.ts";
import { useToast } from "../ui/Toasts.tsx";

export type MissingAsset = Awaited<ReturnType<typeof restoreRevision>>["missingAssets"][number];

/** Restores a revision of the open post; a toast offers Undo. */
export function useRestoreRevision(
  controller: DraftController,
  onMissingAssets: (assets: readonly MissingAsset[]) => void,
): (revision: number) => Promise<void> {
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

  return async (revision) => {
    await controller.save();
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
