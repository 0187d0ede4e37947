import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { describeError } from "../api/api-error.ts";
import { deletePost } from "../api/mutations.ts";
import { postQuery, refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { useToast } from "../ui/Toasts.tsx";
import type { DraftController } from "./use-draft.ts";

/** Moves the open post to the trash and returns to the list; a toast offers Undo. */
export function useDeletePost(controller: DraftController): () => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const showToast = useToast();
  const restore = useRestoreFromTrash();
  const { id, title } = controller.base;

  return async () => {
    await controller.save();
    // Leave the page first, so that it does not request the deleted post.
    await navigate({ to: "/studios/$studioId/posts", params: { studioId: studio.id } });
    try {
      await deletePost(studio.id, id);
      showToast({ text: `“${title}” moved to the trash.`, undo: { label: "Undo", run: () => void restore(id) } });
    } catch (error) {
      const { message, hint } = describeError(error);
      showToast({ text: `${message} ${hint}` });
    }
    queryClient.removeQueries({ queryKey: postQuery(studio.id, id).queryKey });
    await refreshQueries(queryClient, studio.id);
  };
}
