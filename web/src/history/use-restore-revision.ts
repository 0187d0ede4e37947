import type { ReactNode } from "react";
import { formatError, isNotFound } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { previewRestore, restoreRevision } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useApprovalDialog } from "../undo/use-approval-dialog.tsx";
import { describeRestore } from "./describe-restore.ts";

export type MissingAsset = Awaited<ReturnType<typeof restoreRevision>>["missingAssets"][number];

export interface RestoreOptions {
  /** Does nothing if the post has another current revision by then. */
  onlyIfCurrent?: number;
  /** What the user undoes by restoring the revision. */
  undoes?: "Change" | "Changes";
}

/**
 * Restores a revision of the open post; a toast offers Undo. Asks first if the restore can schedule publications again:
 * the component has to render `dialog`.
 */
export function useRestoreRevision(
  controller: EditorController,
  onMissingAssets: (assets: readonly MissingAsset[]) => void,
): { restore: (revision: number, options?: RestoreOptions) => Promise<void>; dialog: ReactNode } {
  const { studio } = useStudio();
  const showToast = useToast();
  const restoreFromTrash = useRestoreFromTrash();
  const { chooseApprovals, dialog } = useApprovalDialog();
  const postId = controller.post.id;

  /** Restores the revision and returns the post, with a text that says what happened. */
  async function restoreAndDescribe(
    revision: number,
    outcome: string,
    { publications }: Pick<Post, "publications">,
    approve?: string[],
  ): Promise<{ post: Post; text: string }> {
    return inBatch(async () => {
      const { missingAssets, ...post } = await restoreRevision({ studioId: studio.id, postId }, revision, approve);
      controller.accept(post);
      onMissingAssets(missingAssets);
      const missingFilenames = missingAssets.map(({ filename }) => filename);
      return {
        post,
        text: describeRestore(outcome, missingFilenames, studio.timezone, publications, post.publications),
      };
    });
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

  const restore = async (revision: number, { onlyIfCurrent, undoes }: RestoreOptions = {}): Promise<void> => {
    await controller.save();
    if (onlyIfCurrent !== undefined && (await readCurrentRevision()) !== onlyIfCurrent) {
      showToast({ text: "The post has changed in the meantime. Nothing was undone." });
      return;
    }
    const { approvable } = await previewRestore({ studioId: studio.id, postId }, revision);
    const labels =
      undoes === undefined
        ? { title: `Restore revision ${revision}`, action: "Restore" }
        : { title: `Undo ${undoes.toLowerCase()}`, action: "Undo" };
    const approve = await chooseApprovals(approvable, labels);
    if (!approve) return;
    const post = queryClient.getQueryData(postQuery(studio.id, postId).queryKey);
    const outcome = undoes === undefined ? `Revision ${revision} restored` : `${undoes} undone`;
    const restored = await restoreAndDescribe(revision, outcome, { publications: post?.publications }, approve);
    const undo = (): void =>
      void restoreAndDescribe(
        restored.post.revision - 1,
        undoes === undefined ? "Restore undone" : `${undoes} reapplied`,
        restored.post,
      ).then(
        ({ text }) => showToast({ text }),
        (error: unknown) => reportUndoError(error, restored.post),
      );
    showToast({ text: restored.text, action: { label: "Undo", run: undo } });
  };
  return { restore, dialog };
}

const reasonLabels: Record<MissingAsset["reason"], string> = {
  deleted: "deleted for good",
  on_another_post: "on another post now",
  post_full: "the post is full",
};

export const describeMissingAssets = (assets: readonly MissingAsset[]): string =>
  `Restored without ${assets.map(({ filename, reason }) => `${filename} (${reasonLabels[reason]})`).join(", ")}.`;
