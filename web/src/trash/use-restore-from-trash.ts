import { useRouter } from "@tanstack/react-router";
import { formatError } from "../api/api-error.ts";
import { useStudio } from "../layout/use-studio.ts";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";
import { ensureRestored } from "./ensure-restored.ts";

/** The topic of the toast that offers to undo a deletion. Restoring the item in another way replaces that toast. */
export const getTrashTopic = (id: string): string => `trash ${id}`;

/** Restores a post or file from the trash, and reports the result in a toast, which leads to a post. */
export function useRestoreFromTrash(): (id: string) => Promise<void> {
  const { studio } = useStudio();
  const showToast = useToast();
  const router = useRouter();
  return async (id) => {
    const topic = getTrashTopic(id);
    try {
      const restoredItem = await ensureRestored(studio.id, id);
      const link = { to: "/studios/$studioId/posts/$postId", params: { studioId: studio.id, postId: id } } as const;
      const isOpen = router.state.location.pathname === router.buildLocation(link).pathname;
      showToast({
        text: restoredItem ? `Restored “${restoredItem.title}”.` : "It was already restored.",
        topic,
        ...(restoredItem?.type === "post" &&
          !isOpen && { action: { label: "Open", run: () => void router.navigate(link) } }),
      });
    } catch (error) {
      showToast({ text: formatError(error), topic });
    }
    restoreFocusSoon();
  };
}
