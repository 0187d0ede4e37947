import { useQueryClient } from "@tanstack/react-query";
import { formatError, isNotFound } from "../api/api-error.ts";
import { restoreRevision } from "../api/mutations.ts";
import { postQuery, refreshQueries, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { DraftController } from "../posts/use-draft.ts";
import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { useToast } from "../ui/Toasts.tsx";
import { describeRestore } from "./describe-restore.ts";

export type MissingAsset = Awaited<ReturnType<typeof restoreRevision>>["missingAssets"][number];

export interface RestoreOptions {
  /** Does nothing if the post has another current revision by then. */
  onlyIfCurrent?: number;
  /** What the user undoes by restoring the revision. */
  undoes?: "Change" | "Changes";
}

/** Restores a revision of the open post; a toast offers Undo. */
export function useRestoreRevision(
  controller: DraftController,
  onMissingAssets: (assets: readonly MissingAsset[]) => void,
): (revision: number, options?: RestoreOptions) => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const restoreFromTrash = useRestoreFromTrash();
  const postId = controller.base.id;

  async function restore(revision: number): Promise<{ post: Post; missingAssets: readonly MissingAsset[] }> {
    const { missingAssets, ...post } = await restoreRevision(studio.id, postId, revision);
    controller.accept(post);
    onMissingAssets(missingAssets);
    await refreshQueries(queryClient, studio.id);
    return { post, missingAssets };
  }

  async function readCurrentRevision(): Promise<number | undefined> {
    const { queryKey } = postQuery(studio.id, postId);
    await queryClient.refetchQueries({ queryKey });
    return queryClient.getQueryData(queryKey)?.revision;
  }

  function reportUndoError(error: unknown, { title }: Post): void {
    showToast(
      isNotFound(error)
        ? {
            text: `“${title}” is in the trash. Restore it first.`,
            action: { label: "Restore", run: () => void restoreFromTrash(postId) },
          }
        : { text: formatError(error) },
    );
  }

  return async (revision, { onlyIfCurrent, undoes } = {}) => {
    await controller.save();
    if (onlyIfCurrent !== undefined && (await readCurrentRevision()) !== onlyIfCurrent) {
      showToast({ text: "The post has changed in the meantime. Nothing was undone." });
      return;
    }
    const publications = queryClient.getQueryData(postQuery(studio.id, postId).queryKey)?.publications;
    const { post: restoredPost, missingAssets } = await restore(revision);
    const missingFilenames = missingAssets.map(({ filename }) => filename);
    const undo = (): void =>
      void restore(restoredPost.revision - 1).then(
        () => showToast({ text: undoes === undefined ? "Restore undone." : `${undoes} reapplied.` }),
        (error: unknown) => reportUndoError(error, restoredPost),
      );
    const outcome = undoes === undefined ? `Revision ${revision} restored` : `${undoes} undone`;
    const text = describeRestore(outcome, missingFilenames, studio.timezone, publications, restoredPost.publications);
    showToast({ text, action: { label: "Undo", run: undo } });
  };
}

const reasonLabels: Record<MissingAsset["reason"], string> = {
  deleted: "deleted for good",
  on_another_post: "on another post now",
  post_full: "the post is full",
};

export const describeMissingAssets = (assets: readonly MissingAsset[]): string =>
  `Restored without ${assets.map(({ filename, reason }) => `${filename} (${reasonLabels[reason]})`).join(", ")}.`;
