import { formatError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { holdLists } from "../api/list-holds.ts";
import type { PostStatus } from "../api/queries.ts";
import type { PostSummary } from "../api/summary-queries.ts";
import { getTrashTopic } from "../trash/use-restore-from-trash.ts";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";
import { statusLabels } from "./status-labels.ts";
import { usePostChanges, type PostChange } from "./use-post-changes.ts";
import { useConfirmRemoval } from "./use-confirm-removal.tsx";

/**
 * Changes one post of a list; a toast offers Undo, or says why the change failed. Asks first if Undo can't restore
 * everything.
 */
export function useChangePost(): {
  setStatus: (post: PostSummary, status: PostStatus) => Promise<void>;
  moveToTrash: (post: PostSummary) => Promise<void>;
} {
  const changes = usePostChanges();
  const showToast = useToast();
  const confirmRemoval = useConfirmRemoval();

  function reportError(error: unknown): void {
    showToast({ text: formatError(error) });
  }

  const run = (post: PostSummary, change: PostChange, toast: { text: string; topic?: string }): Promise<void> =>
    inBatch(async () => {
      const release = holdLists();
      try {
        await changes.show(new Map([[post.id, change.preview(post)]]));
        restoreFocusSoon();
        const changedPost = await change.apply(post);
        await changes.show(new Map([[post.id, changedPost]]));
        showToast({ ...toast, action: { label: "Undo", run: () => void undo(post, change, changedPost) } });
      } catch (error) {
        await changes.show(new Map([[post.id, post]]));
        reportError(error);
      } finally {
        release();
        restoreFocusSoon();
      }
    });

  const undo = (post: PostSummary, change: PostChange, changedPost: PostSummary | undefined): Promise<void> =>
    inBatch(async () => changes.show(new Map([[post.id, await change.revert(post, changedPost)]]))).catch(reportError);

  return {
    setStatus: (post, status) => {
      const text = `“${post.title}” is now ${statusLabels[status].singular.toLowerCase()}.`;
      const setStatus = () => run(post, changes.setStatus(status), { text });
      return status === "archived" ? confirmRemoval("archive", [post], setStatus) : setStatus();
    },
    moveToTrash: (post) =>
      confirmRemoval("trash", [post], () =>
        run(post, changes.moveToTrash, {
          text: `“${post.title}” moved to the trash.`,
          topic: getTrashTopic(post.id),
        }),
      ),
  };
}
