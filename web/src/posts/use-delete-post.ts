import { useNavigate } from "@tanstack/react-router";
import { formatError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { deletePost } from "../api/mutations.ts";
import { postQuery } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { getTrashTopic, useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { useToast } from "../ui/Toasts.tsx";
import { getPostUploadsKey, useUploaderRegistry } from "../upload/uploader-registry.tsx";
import { readLastPostsView } from "./last-posts-view.ts";
import { useConfirmRemoval } from "./use-confirm-removal.tsx";
import { unsavedMessages, type EditorController } from "./use-editor.ts";

/**
 * Moves the open post to the trash and returns to the list; a toast offers Undo. Asks first if Undo can't restore
 * everything.
 */
export function useDeletePost(editor: EditorController): () => Promise<void> {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const showToast = useToast();
  const restore = useRestoreFromTrash();
  const uploaderRegistry = useUploaderRegistry();
  const confirmRemoval = useConfirmRemoval();
  const { id, title } = editor.post;

  return () => confirmRemoval("trash", [editor.post], () => inBatch(moveToTrash));

  async function moveToTrash(): Promise<void> {
    const result = await editor.save();
    if (result !== "saved") {
      showToast({ text: unsavedMessages[result] });
      return;
    }
    // Leave the page first, so that it does not request the deleted post.
    await navigate({
      to: "/studios/$studioId/posts",
      params: { studioId: studio.id },
      search: readLastPostsView(studio.id).search,
      // The post is saved. If the leave question blocked this, the deletion would run when the user leaves later.
      ignoreBlocker: true,
    });
    try {
      await deletePost({ studioId: studio.id, postId: id });
      uploaderRegistry.discard(getPostUploadsKey(id));
      showToast({
        text: `“${title}” moved to the trash.`,
        action: { label: "Undo", run: () => void restore(id) },
        topic: getTrashTopic(id),
      });
    } catch (error) {
      showToast({ text: formatError(error) });
    }
    queryClient.removeQueries({ queryKey: postQuery(studio.id, id).queryKey });
  }
}
