import { useRouter } from "@tanstack/react-router";
import { formatError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { deletePost } from "../api/mutations.ts";
import { postQuery } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useToast } from "../ui/Toasts.tsx";
import type { EditedText } from "./duplicate-post.ts";
import type { EditorController } from "./use-editor.ts";

/** Duplicates a post and opens the new draft, unless the user has opened another page meanwhile. A toast offers Undo. */
export function useDuplicatePost(): (post: { id: string; title: string }, editedText?: EditedText) => Promise<void> {
  const { studio } = useStudio();
  const router = useRouter();
  const showToast = useToast();

  return async (post, editedText) => {
    const topic = `duplicate ${post.id}`;
    const { href: initialHref } = router.state.location;
    showToast({ text: "Duplicating…", topic });
    try {
      const { duplicatePost } = await import("./duplicate-post.ts");
      const { id, omissions } = await inBatch(() => duplicatePost(studio.id, post.id, editedText));
      const omissionText = omissions.length === 0 ? "" : ` without ${omissions.join(", and without ")}`;
      const undo = { label: "Undo", run: () => void inBatch(() => removeDuplicate(id, initialHref)) };
      showToast({ text: `Duplicated “${post.title}”${omissionText}.`, action: undo, topic });
      if (router.state.location.href === initialHref) await router.navigate(getPostLink(id));
    } catch (error) {
      showError(error, topic);
    }
  };

  /** Leaves the page of the new post first, so that it does not request the deleted post. */
  async function removeDuplicate(id: string, previousHref: string): Promise<void> {
    const isOpen = router.state.location.pathname === router.buildLocation(getPostLink(id)).pathname;
    if (isOpen) router.history.push(previousHref);
    try {
      await deletePost({ studioId: studio.id, postId: id });
      showToast({ text: "The duplicate moved to the trash." });
    } catch (error) {
      showError(error);
    }
    queryClient.removeQueries({ queryKey: postQuery(studio.id, id).queryKey });
  }

  function getPostLink(postId: string) {
    return { to: "/studios/$studioId/posts/$postId", params: { studioId: studio.id, postId } } as const;
  }

  function showError(error: unknown, topic?: string): void {
    showToast({ text: formatError(error), ...(topic === undefined ? {} : { topic }) });
  }
}

/** Saves the post in the editor and duplicates it as the user sees it, even if saving fails. */
export function useDuplicateOpenPost(editor: EditorController): () => Promise<void> {
  const duplicate = useDuplicatePost();
  const showToast = useToast();
  return async () => {
    if (editor.hasConflict) {
      showToast({ text: "Choose between the two versions first, then duplicate the post." });
      return;
    }
    const { post, title, body } = editor;
    await editor.save();
    await duplicate(post, { title, body });
  };
}
